// SPDX-License-Identifier: BSD-3-Clause
// Network namespaces of a test's own: made without a name, entered for a while, gone with the process
// whatever happens to it; iproute2 in one of them; frames to and from an interface there as the wire would
// show them. Used by tests that need the kernel as a peer, on their own thread; a program started during a
// visit lives there.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/process.h"

namespace test_support {

// Closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// While it lives this thread, and what it starts, is in another namespace.
class Visit {
 public:
  explicit Visit(int space) : home_(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
    if (home_.get() < 0 || setns(space, CLONE_NEWNET) != 0)
      throw std::runtime_error("no way into a namespace");
  }
  ~Visit() {
    if (setns(home_.get(), CLONE_NEWNET) != 0) std::abort();  // anything else would go on in a wrong place
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Descriptor home_;
};

inline Ended in_words(const std::string& program, const std::string& words) {
  std::istringstream in(words);
  std::vector<std::string> arguments;
  for (std::string word; in >> word;) arguments.push_back(word);
  return Process(program, arguments, {".", {{"LC_ALL", "C"}}}).wait();
}

class Namespace {
 public:
  // Nothing where the kernel makes none for us. Without IPv6, so that it says nothing unasked.
  static std::optional<Namespace> make() {
    const Descriptor home(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (unshare(CLONE_NEWNET) != 0) return std::nullopt;
    Namespace made;
    made.space_ = Descriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (setns(home.get(), CLONE_NEWNET) != 0) std::abort();
    made.set("ipv6/conf/default/disable_ipv6", "1");
    made.set("ipv6/conf/all/disable_ipv6", "1");
    return made;
  }

  Visit visit() const { return Visit(space_.get()); }
  // By which iproute2 finds it ("netns PATH").
  std::string path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(space_.get());
  }

  // A value of /proc/sys/net.
  void set(const std::string& name, const std::string& value) const {
    const Visit inside = visit();
    std::ofstream("/proc/sys/net/" + name) << value;
  }
  Ended run(const std::string& program, const std::string& words) const {
    const Visit inside = visit();
    return in_words(program, words);
  }
  Ended ip(const std::string& words) const { return run("ip", words); }

  // Packets that an interface has received.
  uint64_t received(const std::string& interface) const {
    const Visit inside = visit();
    std::ifstream table("/proc/thread-self/net/dev");
    for (std::string line; std::getline(table, line);) {
      std::istringstream words(line);
      std::string name;
      uint64_t bytes = 0, packets = 0;
      if (words >> name >> bytes >> packets && name == interface + ':') return packets;
    }
    return 0;
  }

 private:
  Descriptor space_;
};

// Sends frames by an interface and sees those that it receives, whomever they are for. The kernel takes the
// outer tag out of a frame; here it is put back.
class FrameSocket {
 public:
  using Frame = std::vector<uint8_t>;

  FrameSocket(const Namespace& space, const std::string& interface) {
    const Visit inside = space.visit();
    socket_ = Descriptor(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)));
    sockaddr_ll at{};
    at.sll_family = AF_PACKET;
    at.sll_protocol = htons(ETH_P_ALL);
    at.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
    packet_mreq all{};
    all.mr_ifindex = at.sll_ifindex;
    all.mr_type = PACKET_MR_PROMISC;
    const int on = 1;
    const int fd = socket_.get();
    if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) != 0) {
      throw std::runtime_error("no packet socket on " + interface);
    }
  }

  bool send(const Frame& frame) const {
    return ::send(socket_.get(), frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
  }

  // The next frame; nothing when none comes in a minute, which means that none will.
  std::optional<Frame> receive() const { return next(60'000); }
  // A frame that has come already.
  std::optional<Frame> left_over() const { return next(0); }

 private:
  std::optional<Frame> next(int limit_ms) const {
    pollfd ready{socket_.get(), POLLIN, 0};
    if (poll(&ready, 1, limit_ms) != 1) return std::nullopt;
    Frame frame(65'536);
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(tpacket_auxdata))];
    iovec room{frame.data(), frame.size()};
    msghdr message{};
    message.msg_iov = &room;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t size = recvmsg(socket_.get(), &message, 0);
    if (size < ETH_HLEN) return std::nullopt;
    frame.resize(static_cast<size_t>(size));
    for (cmsghdr* said = CMSG_FIRSTHDR(&message); said != nullptr; said = CMSG_NXTHDR(&message, said)) {
      if (said->cmsg_level == SOL_PACKET && said->cmsg_type == PACKET_AUXDATA)
        put_tag_back(frame, CMSG_DATA(said));
    }
    return frame;
  }

  static void put_tag_back(Frame& frame, const uint8_t* data) {
    tpacket_auxdata about;
    std::memcpy(&about, data, sizeof(about));
    if ((about.tp_status & TP_STATUS_VLAN_VALID) == 0) return;
    const unsigned type =
        (about.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0 ? about.tp_vlan_tpid : ETH_P_8021Q;
    const uint8_t tag[4] = {static_cast<uint8_t>(type >> 8), static_cast<uint8_t>(type),
                            static_cast<uint8_t>(about.tp_vlan_tci >> 8),
                            static_cast<uint8_t>(about.tp_vlan_tci)};
    frame.insert(frame.begin() + 12, tag, tag + sizeof(tag));
  }

  Descriptor socket_;
};

}  // namespace test_support
