// SPDX-License-Identifier: BSD-3-Clause
// Follows links by rtnetlink(7); see kernel_links.h. Whenever messages were lost it starts over with a fresh
// socket and question; what was known stays until the new answer. Main thread.
#include "pmd_glue/kernel_links.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace glue {
namespace {

// What netlink(7) advises; a longer message (an interface with hundreds of names) makes the buffer grow.
constexpr size_t kBufferBytes = 32 * 1024;
// Bounds a tick's work. A socket's queue holds about as many.
constexpr int kMostDatagrams = 256;

struct Question {
  nlmsghdr header;
  ifinfomsg about;
  rtattr attribute;
  uint32_t filter;
};

// Every link, without its counters: they are most of an answer.
constexpr Question kAllLinks = {
    .header = {.nlmsg_len = sizeof(Question),
               .nlmsg_type = RTM_GETLINK,
               .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
    .about = {.ifi_family = AF_UNSPEC},
    .attribute = {.rta_len = RTA_LENGTH(sizeof(uint32_t)), .rta_type = IFLA_EXT_MASK},
    .filter = RTEXT_FILTER_SKIP_STATS,
};

}  // namespace

KernelLinks::KernelLinks(std::vector<unsigned> if_indices) : buffer_(kBufferBytes) {
  for (const unsigned if_index : if_indices) links_.push_back({.if_index = if_index});
  if (std::any_of(if_indices.begin(), if_indices.end(), [](unsigned i) { return i != 0; })) start_over();
}

KernelLinks::~KernelLinks() {
  if (fd_ >= 0) close(fd_);
}

// A new socket rather than a second question on the old one, which loses more until it has been emptied, and
// refuses a question (EBUSY) while it is still answering one.
void KernelLinks::start_over() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  torn_ = false;
  for (Link& link : links_) link.told = false;
  if (open_and_ask()) return;
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  forget_untold();
}

// Subscribed before the question, so that no change falls in between.
bool KernelLinks::open_and_ask() {
  fd_ = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd_ < 0) return false;
  const sockaddr_nl changes = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
  return bind(fd_, reinterpret_cast<const sockaddr*>(&changes), sizeof(changes)) == 0 &&
         send(fd_, &kAllLinks, sizeof(kAllLinks), 0) == sizeof(kAllLinks);
}

void KernelLinks::poll() {
  for (int datagram = 0; fd_ >= 0 && datagram < kMostDatagrams; ++datagram) {
    sockaddr_nl sender{};
    socklen_t sender_bytes = sizeof(sender);
    const ssize_t got = recvfrom(fd_, buffer_.data(), buffer_.size(), MSG_TRUNC,
                                 reinterpret_cast<sockaddr*>(&sender), &sender_bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got >= 0 && sender.nl_pid != 0) continue;  // not the kernel's
    const bool cut_off = got > static_cast<ssize_t>(buffer_.size());
    if (cut_off) buffer_.resize(static_cast<size_t>(got));
    if (got >= 0 && !cut_off && read(buffer_.data(), got)) continue;
    start_over();  // ENOBUFS: the kernel had more to say than the socket holds
    return;
  }
}

// False when the answer is of no use.
bool KernelLinks::read(const std::byte* datagram, int64_t length) {
  const auto* message = reinterpret_cast<const nlmsghdr*>(datagram);
  for (; NLMSG_OK(message, length); message = NLMSG_NEXT(message, length)) {
    const bool is_answer = (message->nlmsg_flags & NLM_F_MULTI) != 0;
    torn_ |= (message->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
    if (message->nlmsg_type == NLMSG_DONE && torn_) return false;
    if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR) forget_untold();
    if (message->nlmsg_type != RTM_NEWLINK && message->nlmsg_type != RTM_DELLINK) continue;
    if (message->nlmsg_len < NLMSG_LENGTH(sizeof(ifinfomsg))) continue;
    const auto* about = static_cast<const ifinfomsg*>(NLMSG_DATA(message));
    // Bridges speak here of their ports, as AF_BRIDGE: there RTM_DELLINK only means that one left its bridge.
    if (about->ifi_family != AF_UNSPEC) continue;
    std::optional<bool> running;
    if (message->nlmsg_type == RTM_NEWLINK) {
      running = (about->ifi_flags & IFF_UP) != 0 && (about->ifi_flags & IFF_RUNNING) != 0;
    }
    learn(static_cast<unsigned>(about->ifi_index), running, is_answer);
  }
  return true;
}

// A part of the answer may be queued behind a change that came after it was written. So a change overrules
// the answer; if the answer was the newer, another change follows.
void KernelLinks::learn(unsigned if_index, std::optional<bool> running, bool is_answer) {
  for (Link& link : links_) {
    if (link.if_index != if_index || (is_answer && link.told)) continue;
    link.running = running;
    link.told = true;
  }
}

// At the end of the answer: what it did not mention is not there. Also when there is no answer.
void KernelLinks::forget_untold() {
  for (Link& link : links_) {
    if (!link.told) link.running.reset();
  }
}

std::optional<bool> KernelLinks::running(size_t port) const {
  return port < links_.size() ? links_[port].running : std::nullopt;
}

}  // namespace glue
