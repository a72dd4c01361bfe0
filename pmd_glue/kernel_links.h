// SPDX-License-Identifier: BSD-3-Clause
// Link state of the kernel interfaces behind ports whose driver works on one, as the kernel tells it over
// netlink. Such a driver often does not know: af_packet, af_xdp and pcap of DPDK 22.11 call a started port
// up. Needs no rights and no DPDK. Made and called by control on the main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace glue {

class KernelLinks {
 public:
  // Subscribes to changes and asks once for the present state; the first poll() reads the answer. By port
  // index; 0: the port has no interface. Where netlink cannot be had (a sandbox), nothing is ever known.
  explicit KernelLinks(std::vector<unsigned> if_indices);
  ~KernelLinks();
  KernelLinks(const KernelLinks&) = delete;
  KernelLinks& operator=(const KernelLinks&) = delete;

  // Reads what has come; never blocks. Once a tick.
  void poll();

  // IFF_UP and IFF_RUNNING, by which the kernel sums up RFC 2863's operational state. Nothing when the port
  // has no interface, or it is not, or no longer, in this network namespace. The kernel tells the first
  // change at once; a link lost again within a second of the last change may be told up to a second late
  // (linkwatch).
  std::optional<bool> running(size_t port) const;

 private:
  struct Link {
    unsigned if_index = 0;
    std::optional<bool> running = {};
    bool told = false;  // since the last start_over()
  };

  void start_over();
  bool open_and_ask();
  bool read(const std::byte* datagram, int64_t length);
  void learn(unsigned if_index, std::optional<bool> running, bool is_answer);
  void forget_untold();

  std::vector<Link> links_;
  std::vector<std::byte> buffer_;
  int fd_ = -1;
  bool torn_ = false;  // the answer being read is no snapshot: interfaces came or went meanwhile
};

}  // namespace glue
