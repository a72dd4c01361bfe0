// SPDX-License-Identifier: BSD-3-Clause
// `roceway ctl` against a control socket in this process: what is printed where, and the exit status.
#include "console/ctl_client.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <iterator>
#include <optional>

#include "console/ctl_bench.h"
#include "console/ctl_server.h"
#include "console/small_table.h"

namespace {

using console::Answer;
using console::CtlServer;
using console_test::TemporaryFolder;
using Words = std::vector<std::string>;

class CtlClient : public testing::Test {
 protected:
  int run(const Words& words, const std::string& input = "") {
    std::ofstream(place_.file("in"), std::ios::binary) << input;
    const console::Descriptor in(open(place_.file("in").c_str(), O_RDONLY | O_CLOEXEC)), out(create("out")),
        err(create("err"));
    const int status = console::ctl_main(words, nullptr, place_.path(), {in.get(), out.get(), err.get()});
    out_ = read("out");
    err_ = read("err");
    return status;
  }
  std::string socket_of(const std::string& name) const { return place_.file(name + ".sock"); }

  static std::optional<Answer> understand(const std::string& line) {
    if (line == "end") return std::nullopt;
    if (line == "big") return Answer::say(std::string(3000000, 'b') + '\n');
    return console_test::understood(line);
  }

  TemporaryFolder place_;
  std::string out_, err_;

  int create(const std::string& name) const {
    return open(place_.file(name).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  std::string read(const std::string& name) const {
    std::ifstream in(place_.file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(CtlClient, RunsCommands) {
  const CtlServer server(socket_of("a"), understand);
  std::ofstream(place_.file("script")) << "start\nhelp\n";
  std::ofstream(place_.file("with_quit")) << "start\nquit\nhelp\n";
  const struct {
    Words words;
    std::string input, out, err;
    int status;
  } rows[] = {
      {{"help"}, "", "ran help\n", "", 0},
      {{"set", "burst", "32"}, "", "ran set burst <n:number(1,512)>\n", "", 0},
      {{"set burst 32"}, "", "ran set burst <n:number(1,512)>\n", "", 0},
      {{"--ctl", socket_of("a"), "help"}, "", "ran help\n", "", 0},
      {{"--ctl=" + socket_of("a"), "help"}, "", "ran help\n", "", 0},
      {{"set", "burst", "0"}, "", "", "roceway ctl: n: found \"0\"; allowed: a whole number 1 to 512\n", 2},
      {{"help\nquit"},
       "",
       "",
       "roceway ctl: found control character 0x0a at byte 5; allowed: text, blanks and tabs\n",
       2},
      {{std::string(5000, 'x')}, "", "", "roceway ctl: line of 5,000 bytes; allowed: up to 4,095\n", 2},
      {{"load", place_.file("script")}, "", "ran start\nran help\n", "", 0},
      {{"load", place_.file("with_quit")}, "", "ran start\n", "", 0},
      {{}, "load " + place_.file("with_quit") + "\nhelp\n", "ran start\n", "", 0},
      {{"quit"}, "", "ran quit\n", "", 0},
      {{"set", "note", "\"a#b\""}, "", "ran set note <text...>\n", "", 0},
      {{"set", "note", "a#b"},
       "",
       "",
       "roceway ctl: found # outside of quotes, which begins a comment; allowed in a string that keeps its "
       "quotes, as in: roceway ctl set port 1 domain '\"A#1\"'\n",
       2},
      {{"big"}, "", std::string(3000000, 'b') + '\n', "", 0},
      {{"end"}, "", "", "roceway ctl: " + socket_of("a") + ": the program is ending\n", 1},
      {{"--ctl"}, "", "", "roceway ctl: --ctl: needs a value, as in --ctl PATH\n", 2},
      {{"--clt", "x"}, "", "", "roceway ctl: --clt: unknown option; see roceway ctl --help\n", 2},
      {{}, "help\n\n# no\nstart", "ran help\nran start\n", "", 0},
      {{}, "help\r\nquit\nstart\n", "ran help\n", "", 0},
      {{},
       "help\nfoo\nstart\n",
       "ran help\n",
       "roceway ctl: stdin:2: \"foo\": unknown command; \"help\" tells them all\n",
       2},
      {{},
       std::string(5000, 'x'),
       "",
       "roceway ctl: stdin:1: line of 5,000 bytes; allowed: up to 4,095\n",
       2},
      {{}, "", "", "", 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.words).substr(0, 80) + row.input.substr(0, 60));
    EXPECT_EQ(run(row.words, row.input), row.status);
    EXPECT_EQ(out_, row.out);
    EXPECT_EQ(err_, row.err);
  }
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_EQ(out_.find("Usage: roceway ctl"), 0U);
}

// The lines come from a pipe to which nobody writes any more: only the end of the program ends the session.
TEST_F(CtlClient, HearsThatTheProgramEnds) {
  std::optional<CtlServer> server(std::in_place, socket_of("a"), understand);
  int to_session[2], from_session[2];
  ASSERT_EQ(pipe2(to_session, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(from_session, O_CLOEXEC), 0);
  const console::Descriptor in(to_session[0]), lines(to_session[1]), answers(from_session[0]),
      out(from_session[1]), err(create("err"));
  auto session = std::async(std::launch::async, [&] {
    return console::ctl_main({}, nullptr, place_.path(), {in.get(), out.get(), err.get()});
  });
  ASSERT_TRUE(console::write_all(lines.get(), "help\n", -1));
  char heard[16] = {};
  ASSERT_EQ(::read(answers.get(), heard, sizeof heard - 1), 9);
  EXPECT_STREQ(heard, "ran help\n");
  server.reset();
  EXPECT_EQ(session.get(), 1);
  EXPECT_EQ(read("err"), "roceway ctl: " + socket_of("a") + ": the program is ending\n");
}

TEST_F(CtlClient, FindsTheSocket) {
  EXPECT_EQ(run({"help"}), 1);
  EXPECT_EQ(err_, "roceway ctl: no control socket in " + place_.path() +
                      "; start roceway with --config FILE, or say where it listens: --ctl PATH\n");
  EXPECT_EQ(run({"--ctl", socket_of("a"), "help"}), 1);
  EXPECT_EQ(err_, "roceway ctl: " + socket_of("a") + ": no roceway listens there; start one with --ctl " +
                      socket_of("a") + ", or give another path\n");
  EXPECT_EQ(run({"--ctl", std::string(200, 'x'), "help"}), 1);

  std::optional<CtlServer> first(std::in_place, socket_of("a"), understand);
  {
    const CtlServer second(socket_of("b"), understand);
    EXPECT_EQ(run({"help"}), 2);
    EXPECT_EQ(err_, "roceway ctl: several roceways run; choose one:\n  --ctl " + socket_of("a") +
                        "\n  --ctl " + socket_of("b") + "\n");
    EXPECT_EQ(run({"--ctl", socket_of("b"), "help"}), 0);
  }
  {
    // What a killed program leaves is no roceway.
    const auto address = console::socket_address(socket_of("dead"));
    const console::Descriptor dead(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(dead.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  }
  EXPECT_EQ(run({"help"}), 0);
  EXPECT_EQ(out_, "ran help\n");
  first.reset();
  EXPECT_EQ(run({"help"}), 1);
}

// Something else listens there, or the server dies in the middle of an answer.
TEST_F(CtlClient, TellsThatTheConnectionBroke) {
  const std::string path = socket_of("odd");
  const auto address = console::socket_address(path);
  const console::Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  for (const std::string answer :
       {"", "ok", "ok 10\nhalf", "ok x\n", "what 2\nx\n", "ok 99999999999999999999999\n",
        "HTTP/1.1 400 Bad Request\r\nServer: x\r\n\r\n"}) {
    SCOPED_TRACE(answer);
    std::thread server([&] {
      const console::Descriptor client(accept(listener.get(), nullptr, nullptr));
      char line[64];
      EXPECT_GT(recv(client.get(), line, sizeof line, 0), 0);
      send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    });
    EXPECT_EQ(run({"--ctl", path, "help"}), 1);
    server.join();
    EXPECT_EQ(out_, "");
    EXPECT_EQ(err_, "roceway ctl: " + path + ": the connection broke; see whether roceway still runs\n");
  }
}

}  // namespace
