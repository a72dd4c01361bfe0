// SPDX-License-Identifier: BSD-3-Clause
// The control socket against clients that behave and clients that do not.
#include "console/ctl_server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <future>

#include "console/ctl_bench.h"
#include "console/small_table.h"
#include "pmd_glue/start_error.h"

namespace {

namespace fs = std::filesystem;
using console::Answer;
using console::CtlServer;
using console_test::RawClient;
using console_test::TemporaryFolder;

class Ctl : public testing::Test {
 protected:
  // "big N" answers N bytes; the other lines are those of the small table.
  std::optional<Answer> run(const std::string& line) {
    ++lines_;
    if (line.starts_with("big ")) return Answer::say(std::string(std::stoul(line.substr(4)), 'b'));
    if (line == "end") return std::nullopt;
    return console_test::understood(line);
  }
  console::RunLine run_line() {
    return [this](const std::string& line) { return run(line); };
  }
  static size_t descriptors() {
    const fs::directory_iterator all("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("s");
  std::atomic<unsigned> lines_ = 0;
};

const std::string kHelp = "ok 9\nran help\n";

TEST_F(Ctl, AnswersLines) {
  const CtlServer server(path_, run_line());
  const struct {
    std::string sent, answer;
  } rows[] = {
      {"help\n", kHelp},
      {"help\r\n", kHelp},
      {"\n# nothing\n", "ok 0\nok 0\n"},
      {"help\nhelp\nstart\n", kHelp + kHelp + "ok 10\nran start\n"},
      {"set burst 0\n", "error 47\nn: found \"0\"; allowed: a whole number 1 to 512\n"},
      {"he\x01lp\n", "error 71\nfound control character 0x01 at byte 3; allowed: text, blanks and tabs\n"},
      {std::string("he\0lp\n", 6),
       "error 71\nfound control character 0x00 at byte 3; allowed: text, blanks and tabs\n"},
      {"help \xff\n", "error 62\nfound 0xff at byte 6, which is not UTF-8; allowed: UTF-8 text\n"},
      {"help # half", ""},
      {"", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.sent);
    const RawClient client(path_);
    ASSERT_TRUE(client.send(row.sent));
    client.ends_input();
    EXPECT_EQ(client.receive_all(), row.answer);
  }
}

TEST_F(Ctl, TakesLinesInPieces) {
  const CtlServer server(path_, run_line());
  const RawClient slow(path_), quick(path_);
  ASSERT_TRUE(slow.send("he"));
  ASSERT_TRUE(quick.send("help\n"));
  quick.expect(kHelp);
  ASSERT_TRUE(slow.send("lp\nst"));
  slow.expect(kHelp);
  ASSERT_TRUE(slow.send("art\n"));
  slow.expect("ok 10\nran start\n");
}

TEST_F(Ctl, LoadsAScript) {
  const CtlServer server(path_, run_line());
  std::ofstream(folder_.file("script")) << "start\nset burst 0\n";
  const RawClient client(path_);
  ASSERT_TRUE(client.send("load " + folder_.file("script") + "\n"));
  client.ends_input();
  const std::string text =
      "ran start\n" + folder_.file("script") + ":2: n: found \"0\"; allowed: a whole number 1 to 512\n";
  EXPECT_EQ(client.receive_all(), console::ctl_answer("error", text));
}

TEST_F(Ctl, CutsOffLinesThatAreTooLong) {
  const CtlServer server(path_, run_line());
  const struct {
    std::string sent, why;
  } rows[] = {
      {std::string(5000, 'x') + "\nhelp\n", "5,000"},
      {std::string(1 << 20, 'x'), "more than 4,095"},
  };
  for (const auto& row : rows) {
    const RawClient client(path_);
    client.send("help\n");
    client.expect(kHelp);
    client.send(row.sent);
    const std::string answer = client.receive_all();
    EXPECT_EQ(answer.substr(0, 4), "bye ");
    EXPECT_NE(answer.find(row.why), std::string::npos) << answer;
    EXPECT_EQ(answer.find("ran help"), std::string::npos);
  }
  EXPECT_EQ(lines_, 2U);
}

TEST_F(Ctl, SendsAnswersOfAnySizeToWhoReads) {
  const CtlServer server(path_, run_line());
  const RawClient client(path_);
  ASSERT_TRUE(client.send("big 5000000\nhelp\n"));
  client.expect("ok 5000000\n");
  EXPECT_TRUE(client.receive(5000000) == std::string(5000000, 'b'));
  client.expect(kHelp);
}

// It asks on and on and reads nothing: it gets no more than was waiting when it was cut off, and others are
// served meanwhile.
TEST_F(Ctl, CutsOffWhoDoesNotRead) {
  const CtlServer server(path_, run_line(), std::chrono::milliseconds(1));
  const RawClient deaf(path_), other(path_);
  while (deaf.send("big 100000\n")) {
    ASSERT_TRUE(other.send("help\n"));
    other.expect(kHelp);
  }
  EXPECT_LE(deaf.receive_all().size(), 2 * console::kMostWaitingBytes);
}

TEST_F(Ctl, ServesSixtyFour) {
  const CtlServer server(path_, run_line());
  std::vector<RawClient> clients;
  for (size_t i = 0; i < console::kMostCtlClients; ++i) {
    clients.emplace_back(path_);
    ASSERT_TRUE(clients.back().send("help\n"));
    clients.back().expect(kHelp);
  }
  const RawClient last(path_);
  EXPECT_EQ(last.receive_all(),
            console::ctl_answer("bye", "there are 64 clients; allowed: up to that many at a time\n"));
  clients.front().hang_up();
  ASSERT_TRUE(clients.back().send("help\n"));
  clients.back().expect(kHelp);  // in this turn or the one before, the first was let go
  const RawClient next(path_);
  ASSERT_TRUE(next.send("help\n"));
  next.expect(kHelp);
}

TEST_F(Ctl, LeaksNothingWhenClientsHangUp) {
  const CtlServer server(path_, run_line());
  const auto serves = [&] {
    const RawClient client(path_);
    client.send("help\n");
    client.ends_input();
    EXPECT_EQ(client.receive_all(), kHelp);
  };
  serves();
  const size_t before = descriptors();
  for (int i = 0; i < 50; ++i) {
    const RawClient client(path_);
    if (i % 4 == 0) client.send("set bur");
    if (i % 4 == 1) client.send("big 3000000\n");
    if (i % 4 == 2) client.send("big 3000000\nbig 1\nhel");
  }
  serves();
  // The server closes its end when its turn comes.
  while (descriptors() > before) serves();
  EXPECT_EQ(descriptors(), before);
}

// A complete command of somebody who has hung up is run, half a one is not.
TEST_F(Ctl, RunsWholeLinesOnlyOfWhoHungUp) {
  const CtlServer server(path_, run_line());
  {
    const RawClient client(path_);
    ASSERT_TRUE(client.send("start\nstart\nsta"));
  }
  const RawClient other(path_);
  while (lines_ < 2) {
    ASSERT_TRUE(other.send("#\n"));
    other.expect("ok 0\n");
    --lines_;
  }
  EXPECT_EQ(lines_, 2U);
}

TEST_F(Ctl, TellsThatTheProgramEnds) {
  const CtlServer server(path_, run_line());
  const RawClient client(path_);
  ASSERT_TRUE(client.send("end\nhelp\n"));
  EXPECT_EQ(client.receive_all(), console::ctl_answer("bye", "the program is ending\n"));
}

// Also to clients that wait for nothing.
TEST_F(Ctl, SaysByeWhenItEnds) {
  std::optional<CtlServer> server(std::in_place, path_, run_line());
  const RawClient idle(path_), half(path_), ended(path_);
  ASSERT_TRUE(ended.send("end\n"));
  const std::string bye = console::ctl_answer("bye", "the program is ending\n");
  EXPECT_EQ(ended.receive_all(), bye);
  for (const RawClient* client : {&idle, &half}) {
    ASSERT_TRUE(client->send("help\n"));
    client->expect(kHelp);
  }
  ASSERT_TRUE(half.send("hel"));
  server.reset();
  EXPECT_EQ(idle.receive_all(), bye);
  EXPECT_EQ(half.receive_all(), bye);
}

TEST_F(Ctl, AcceptsAgainWhenDescriptorsAreBack) {
  const CtlServer server(path_, run_line());
  const RawClient client(path_);
  ASSERT_TRUE(client.send("help\n"));
  client.expect(kHelp);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  RawClient waiting(path_);
  ASSERT_TRUE(waiting.send("help\n"));
  waiting.expect(kHelp);
  // The next one has a descriptor of its own, and none is left for the server's end of it.
  const RawClient last = [&] {
    const int probe = dup(0);
    close(probe);
    const rlimit tight{static_cast<rlim_t>(probe) + 1, before.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
    return RawClient(path_);
  }();
  ASSERT_TRUE(last.is_connected());
  ASSERT_TRUE(last.send("help\n"));
  ASSERT_TRUE(client.send("help\n"));
  client.expect(kHelp);  // others are served
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  last.expect(kHelp);
}

TEST_F(Ctl, SocketIsForThisUserAndGoesAtTheEnd) {
  {
    const mode_t mask = umask(0);
    const CtlServer server(path_, run_line());
    umask(mask);
    EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_THROW(CtlServer(path_, run_line()), glue::StartError);
    EXPECT_TRUE(RawClient(path_).is_connected());
  }
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Ctl, LeavesASocketThatIsNotItsOwn) {
  std::optional<CtlServer> second;
  {
    const CtlServer first(path_, run_line());
    fs::remove(path_);
    second.emplace(path_, run_line());
  }
  EXPECT_TRUE(RawClient(path_).is_connected());
}

TEST_F(Ctl, RefusesPaths) {
  const CtlServer server(path_, run_line());
  std::ofstream(folder_.file("file")) << "keep me";
  fs::create_symlink(folder_.file("file"), folder_.file("link"));
  const struct {
    std::string path, why;
  } rows[] = {
      {path_, "another roceway listens there"},
      {folder_.file("file"), "there is something that is no socket"},
      {folder_.file("link"), "there is something that is no socket"},
      {folder_.file("no/such"), "No such file or directory"},
      {folder_.file(std::string(108, 'x')), "allowed: 1 to 107 for a socket's path"},
      {"", "allowed: 1 to 107 for a socket's path"},
  };
  for (const auto& row : rows) {
    try {
      const CtlServer other(row.path, run_line());
      ADD_FAILURE() << row.path;
    } catch (const glue::StartError& error) {
      EXPECT_NE(std::string(error.what()).find(row.why), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(fs::file_size(folder_.file("file")), 7U);
}

TEST_F(Ctl, ReplacesASocketOfADeadProgram) {
  {
    const auto address = console::socket_address(path_);
    const console::Descriptor dead(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(dead.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  }
  ASSERT_TRUE(fs::exists(path_));
  const CtlServer server(path_, run_line());
  EXPECT_TRUE(RawClient(path_).is_connected());
}

TEST(CtlPath, IsInTheUsersFolder) {
  EXPECT_EQ(console::ctl_folder(0, "/run/user/0"), "/run/roceway");
  EXPECT_EQ(console::ctl_folder(1000, "/run/user/1000"), "/run/user/1000/roceway");
  EXPECT_EQ(console::ctl_folder(1000, nullptr), "/tmp/roceway-1000");
  EXPECT_EQ(console::ctl_folder(1000, ""), "/tmp/roceway-1000");
  EXPECT_EQ(console::ctl_path_of("roceway-two_port"), console::ctl_folder() + "/roceway-two_port.sock");
}

TEST(CtlPath, FolderMustBeSafe) {
  const TemporaryFolder place;
  EXPECT_EQ(console::make_ctl_folder(place.file("new")), std::nullopt);
  EXPECT_EQ(fs::status(place.file("new")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(console::make_ctl_folder(place.file("new")), std::nullopt);
  fs::permissions(place.file("new"), fs::perms::all);
  EXPECT_TRUE(console::make_ctl_folder(place.file("new")));
  fs::create_directory_symlink(place.path(), place.file("link"));
  EXPECT_TRUE(console::make_ctl_folder(place.file("link")));
  EXPECT_TRUE(console::make_ctl_folder(place.file("no/such")));
}

}  // namespace
