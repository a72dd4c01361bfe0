// SPDX-License-Identifier: BSD-3-Clause
// Link state as the kernel tells it, on veth pairs in a network namespace of the test's own. Needs root and
// iproute2, and skips without.
#include "pmd_glue/kernel_links.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/process.h"

namespace {

constexpr std::optional<bool> kUnknown = std::nullopt;
constexpr unsigned kNobody = 0x7ffffff0;  // an index that no interface has

// How iproute2 ended when told `words`, in this thread's namespace.
test_support::Ended ip(const std::string& words) {
  std::istringstream in(words);
  std::vector<std::string> arguments;
  for (std::string word; in >> word;) arguments.push_back(word);
  return test_support::Process("ip", arguments).wait();
}

void must(const std::string& words) {
  const test_support::Ended ended = ip(words);
  ASSERT_EQ(ended.status, 0) << "ip " << words << ": " << ended.err;
}

// Commands for `ip -batch`, in a file of their own.
class Batch {
 public:
  explicit Batch(const std::string& lines) { std::ofstream(path_) << lines; }
  ~Batch() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("roceway-links-" + std::to_string(getpid()));
};

// Polls until the port's state is `wanted`. A kernel that keeps a change back does so for a second at most;
// the polls last that long when nothing else runs, and longer when something does.
bool comes_to(glue::KernelLinks& links, size_t port, std::optional<bool> wanted) {
  for (int polls = 0; polls < 1'500'000; ++polls) {
    links.poll();
    if (links.running(port) == wanted) return true;
    sched_yield();
  }
  return false;
}

int lowest_free_descriptor() {
  const int fd = dup(STDERR_FILENO);
  close(fd);
  return fd;
}

// A namespace with "lo" and the pair near - far, all down.
class KernelLinks : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, for a network namespace";
    home_ = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(home_, 0);
    if (unshare(CLONE_NEWNET) != 0) GTEST_SKIP() << "no network namespace can be made here";
    const test_support::Ended ended = ip("link add near type veth peer name far");
    if (ended.status == 127) GTEST_SKIP() << "iproute2 is not here";
    if (ended.status != 0) GTEST_SKIP() << "no veth here: " << ended.err;
    near_ = if_nametoindex("near");
    far_ = if_nametoindex("far");
  }
  void TearDown() override {
    if (home_ < 0) return;
    EXPECT_EQ(setns(home_, CLONE_NEWNET), 0);
    close(home_);
  }

  void bring_up() {
    must("link set near up");
    must("link set far up");
    glue::KernelLinks links({near_});
    ASSERT_TRUE(comes_to(links, 0, true));
  }

  int home_ = -1;
  unsigned near_ = 0, far_ = 0;
};

TEST_F(KernelLinks, FollowTheInterface) {
  struct Row {
    const char* name;
    const char* command;
    std::optional<bool> near, far, lo;
  };
  const Row rows[] = {
      {"all down", "link show", false, false, false},
      {"up without a peer", "link set near up", false, false, false},
      {"both ends up", "link set far up", true, true, false},
      {"peer down", "link set far down", false, false, false},
      {"peer up again", "link set far up", true, true, false},
      {"itself down", "link set near down", false, false, false},
      {"itself up again", "link set near up", true, true, false},
      {"lo has no carrier to wait for", "link set lo up", true, true, true},
      {"renamed", "link set near name close", true, true, true},
      {"deleted, and its peer with it", "link del close", kUnknown, kUnknown, true},
      {"lo down", "link set lo down", kUnknown, kUnknown, false},
  };
  glue::KernelLinks links({near_, 0, far_, kNobody, 1, near_});
  for (size_t port = 0; port < 6; ++port) EXPECT_EQ(links.running(port), kUnknown);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    must(row.command);
    ASSERT_TRUE(comes_to(links, 0, row.near));
    ASSERT_TRUE(comes_to(links, 2, row.far));
    ASSERT_TRUE(comes_to(links, 4, row.lo));
    EXPECT_EQ(links.running(5), row.near) << "a second port on the same interface";
    EXPECT_EQ(links.running(1), kUnknown) << "a port without one";
    EXPECT_EQ(links.running(3), kUnknown) << "an interface that is not there";
    EXPECT_EQ(links.running(6), kUnknown) << "no such port";
  }
}

TEST_F(KernelLinks, OfTheStartAreKnownByTheFirstPoll) {
  bring_up();
  glue::KernelLinks links({1, near_, kNobody});
  links.poll();
  EXPECT_EQ(links.running(0), false);
  EXPECT_EQ(links.running(1), true);
  EXPECT_EQ(links.running(2), kUnknown);
}

TEST_F(KernelLinks, AreForgottenWhenMovedAway) {
  bring_up();
  const std::string here = "/proc/" + std::to_string(getpid()) + "/fd/";
  const int first = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  glue::KernelLinks links({near_, far_});
  ASSERT_TRUE(comes_to(links, 0, true));
  ASSERT_EQ(unshare(CLONE_NEWNET), 0);
  const int second = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(setns(first, CLONE_NEWNET), 0);
  must("link set near netns " + here + std::to_string(second));
  ASSERT_TRUE(comes_to(links, 0, kUnknown));
  ASSERT_TRUE(comes_to(links, 1, false));  // its peer was set down by the move

  ASSERT_EQ(setns(second, CLONE_NEWNET), 0);
  must("link set near netns " + here + std::to_string(first));
  ASSERT_EQ(setns(first, CLONE_NEWNET), 0);
  ASSERT_EQ(if_nametoindex("near"), near_);
  must("link set near up");
  ASSERT_TRUE(comes_to(links, 0, true));
  close(first);
  close(second);
}

// A bridge speaks of its ports by the same messages: its RTM_DELLINK means that one left it.
TEST_F(KernelLinks, AreNotForgottenWhenTheyLeaveABridge) {
  bring_up();
  if (ip("link add bridge type bridge").status != 0) GTEST_SKIP() << "no bridge here";
  glue::KernelLinks links({near_, if_nametoindex("bridge")});
  ASSERT_TRUE(comes_to(links, 0, true));
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += "link set near master bridge\nlink set near nomaster\n";
  const Batch batch(lines + "link del bridge\n");
  test_support::Process joins_and_leaves("ip", {"-batch", batch.path()});
  // Read while it happens, since the next message of the interface puts things right.
  for (int polls = 0; polls < 1'500'000 && links.running(1).has_value(); ++polls) {
    links.poll();
    ASSERT_EQ(links.running(0), true) << "after " << polls << " polls";
    sched_yield();
  }
  EXPECT_EQ(joins_and_leaves.wait().status, 0);
  ASSERT_TRUE(comes_to(links, 1, kUnknown));
  EXPECT_EQ(links.running(0), true);
}

// Dropped messages of this process's netlink sockets, by /proc/net/netlink.
unsigned long dropped_messages() {
  std::ifstream table("/proc/thread-self/net/netlink");
  std::string line;
  unsigned long sum = 0;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string sk, eth, pid, groups, rmem, wmem, dump, locks, drops;
    words >> sk >> eth >> pid >> groups >> rmem >> wmem >> dump >> locks >> drops;
    if (pid == std::to_string(getpid())) sum += std::strtoul(drops.c_str(), nullptr, 10);
  }
  return sum;
}

TEST_F(KernelLinks, AreAskedForAgainWhenMessagesWereLost) {
  bring_up();
  must("link add gone type veth peer name gone2");
  const int descriptor = lowest_free_descriptor();
  {
    glue::KernelLinks links({near_, if_nametoindex("gone"), 1});
    ASSERT_TRUE(comes_to(links, 0, true));
    ASSERT_EQ(links.running(1), false);
    std::string lines;
    for (int i = 0; i < 2000; ++i) lines += "link set lo mtu " + std::to_string(30000 + i) + "\n";
    must("-batch " + Batch(lines + "link del gone\nlink set lo up\nlink set far down\n").path());
    ASSERT_GT(dropped_messages(), 0u);
    ASSERT_TRUE(comes_to(links, 0, false));
    ASSERT_TRUE(comes_to(links, 1, kUnknown));
    ASSERT_TRUE(comes_to(links, 2, true));
    // And changes are heard as before.
    must("link set far up");
    ASSERT_TRUE(comes_to(links, 0, true));
    must("link set lo down");
    ASSERT_TRUE(comes_to(links, 2, false));
  }
  EXPECT_EQ(lowest_free_descriptor(), descriptor);
}

// An answer in many parts, made while it is read: what comes and goes meanwhile tears it.
TEST_F(KernelLinks, AreFoundAmongMany) {
  bring_up();
  std::string lines;
  for (int i = 0; i < 150; ++i) {
    const std::string number = std::to_string(i);
    lines += "link add a" + number + " type veth peer name b" + number + "\n";
  }
  must("-batch " + Batch(lines).path());
  must("link add last type veth peer name last2");
  const unsigned last = if_nametoindex("last");
  glue::KernelLinks links({last, near_, if_nametoindex("a149"), if_nametoindex("a0")});
  must("link del a0");
  must("link set far down");
  ASSERT_TRUE(comes_to(links, 0, false));
  ASSERT_TRUE(comes_to(links, 1, false));
  ASSERT_TRUE(comes_to(links, 2, false));
  ASSERT_TRUE(comes_to(links, 3, kUnknown));
  must("link set last up");
  must("link set last2 up");
  ASSERT_TRUE(comes_to(links, 0, true));
}

// A message beyond 32 KiB: 400 names of 127 characters.
TEST_F(KernelLinks, WithHundredsOfNamesAreRead) {
  bring_up();
  glue::KernelLinks early({near_});
  ASSERT_TRUE(comes_to(early, 0, true));
  std::string lines;
  for (int i = 1000; i < 1400; ++i) {
    lines += "link property add dev near altname n" + std::to_string(i) + std::string(122, 'x') + "\n";
  }
  if (ip("-batch " + Batch(lines).path()).status != 0) GTEST_SKIP() << "no further names here";
  must("link set far down");
  ASSERT_TRUE(comes_to(early, 0, false));
  glue::KernelLinks late({near_, far_});
  ASSERT_TRUE(comes_to(late, 0, false));
  must("link set far up");
  ASSERT_TRUE(comes_to(early, 0, true));
  ASSERT_TRUE(comes_to(late, 0, true));
}

TEST_F(KernelLinks, OfNobodyButTheKernelAreBelieved) {
  bring_up();
  glue::KernelLinks links({near_, kNobody});
  ASSERT_TRUE(comes_to(links, 0, true));
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  for (const uint16_t type : {RTM_DELLINK, RTM_NEWLINK}) {
    for (const unsigned if_index : {near_, kNobody}) {
      const struct {
        nlmsghdr header;
        ifinfomsg about;
      } lie = {{.nlmsg_len = sizeof(lie), .nlmsg_type = type},
               {.ifi_index = static_cast<int>(if_index), .ifi_flags = if_index == kNobody ? 0x41u : 0u}};
      // The first netlink socket of a process has its number for an address.
      const sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_pid = static_cast<uint32_t>(getpid())};
      ASSERT_EQ(sendto(fd, &lie, sizeof(lie), 0, reinterpret_cast<const sockaddr*>(&to), sizeof(to)),
                static_cast<ssize_t>(sizeof(lie)));
      links.poll();
      EXPECT_EQ(links.running(0), true);
      EXPECT_EQ(links.running(1), kUnknown);
    }
  }
  close(fd);
  must("link set far down");
  ASSERT_TRUE(comes_to(links, 0, false));
}

TEST(KernelLinksAnywhere, NothingIsKnownWithoutNetlink) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  glue::KernelLinks links({1, 0});  // no descriptor is left for its socket
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  links.poll();
  EXPECT_EQ(links.running(0), kUnknown);
  EXPECT_EQ(links.running(1), kUnknown);
}

TEST(KernelLinksAnywhere, HoldOneDescriptorOnlyWhenThereIsSomethingToFollow) {
  const int free_before = lowest_free_descriptor();
  {
    glue::KernelLinks none({0, 0});
    EXPECT_EQ(lowest_free_descriptor(), free_before);
    none.poll();
    EXPECT_EQ(none.running(0), kUnknown);
    glue::KernelLinks some({1});
    if (lowest_free_descriptor() == free_before) GTEST_SKIP() << "no netlink here";
    EXPECT_NE(fcntl(free_before, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(fcntl(free_before, F_GETFD) & FD_CLOEXEC, 0);
    // Needs no rights: "lo" is 1 in every namespace.
    some.poll();
    EXPECT_NE(some.running(0), kUnknown);
  }
  EXPECT_EQ(lowest_free_descriptor(), free_before);
}

}  // namespace
