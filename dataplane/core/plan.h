// SPDX-License-Identifier: BSD-3-Clause
// The immutable bundle that workers read, built from valid settings, what glue found of the devices, and
// which ports are up. A pure function of these: equal states give equal plans. Built by control/publisher on
// the control thread, published whole, never changed afterwards.
//
// Every plan of one run has the same ports, exits, groups and numbers of buckets; only what they mean may
// differ.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/distribution_table.h"
#include "core/fast_modulo.h"
#include "core/flow_hash.h"
#include "core/layout.h"
#include "core/route.h"
#include "core/settings.h"
#include "core/simd.h"

namespace core {

// Exit: one (port, rule's queue) pair, numbered over all ports.
inline constexpr uint16_t kNoExit = 0xffff;
inline constexpr uint16_t kNoPort = 0xffff;

// Whose queue an exit is, when the owner is chosen by hash.
inline uint16_t owner_of(uint16_t exit, unsigned workers) {
  return static_cast<uint16_t>(exit % workers);
}

struct PortPlan {
  std::string device;
  uint16_t port = 0;
  bool enabled = true;  // else it is stopped: nobody polls it, nothing is sent by it
  bool sends = true;    // else what should leave here is dropped, reason no_tx
  uint16_t mtu = 1500;
  uint16_t queues_per_nic = 1;
  uint16_t first_exit = 0;    // exits of this port: first_exit + q
  uint16_t group = kNoGroup;  // mode gateway: index in Plan::groups
  uint16_t paired = 0;        // other modes: index of the port that packets from here leave by
  bool gives_rss_hash = false;  // which is the hash of its packets, where their mbufs say so
  uint64_t speed_bps = 0;     // by setting; 0: what the driver says
  MacAddress mac{};
  std::optional<MacAddress> next_hop;  // rewrite frames that leave here
  std::optional<IpAddress> address;    // questions for it are answered
  std::optional<IpAddress> next_hop_ip;
  bool speaks_ip() const { return address || next_hop_ip; }
};

// The table of a group for packets of some priorities.
struct TablePlan {
  GroupState state;
  std::vector<Slot> slots;               // by bucket
  std::vector<uint16_t> exit_of_bucket;  // slots, resolved to exits
  std::vector<uint8_t>
      gone;         // by exit of the whole plan, 1: its member is down or excluded; leave it at once
  Moves from_rule;  // against the documents' rule
};

struct GroupPlan {
  std::string name;
  std::vector<uint16_t> members;  // indices into Plan::ports, in the file's order
  FastModulo buckets;             // hash -> bucket
  std::vector<TablePlan> tables;  // the first is that of the lowest priority
  std::array<uint8_t, kPriorities> table_of_priority{};
  RouteList routes;            // where packets that come in by this group go
  uint16_t elected = kNoPort;  // the member that takes in flooded frames; kNoPort: any
  bool loop_guard = false;     // watch for own frames that come back
  uint32_t takes_as_is = 0;    // bytes of a frame that every member sends without a further look
  bool usable() const;         // some member takes packets
  const TablePlan& table(uint8_t priority) const { return tables[table_of_priority[priority]]; }
};

struct Plan {
  uint32_t generation = 0;  // 1 for the first; set by who publishes
  Mode mode = Mode::io;
  uint16_t burst = 32;
  unsigned workers = 1;
  Owner owner = Owner::per_worker;
  bool drop_link_local = true;
  bool drop_malformed = false;
  uint32_t hold_packets = 0;
  uint32_t settle_us = 0;
  uint32_t reorder_sample = 0;
  bool record_cycles = false;  // workers count what each step of a round takes
  bool record_bursts = false;  // and how many packets each burst has
  VlanTag vlan_tag = VlanTag::outer;
  Simd simd = Simd::portable;  // width of the burst kernels
  KeyFields fields;
  FlowHash hash{HashAlgorithm::jenkins, 0};
  std::vector<PortPlan> ports;
  std::vector<GroupPlan> groups;  // mode gateway, in the order of group_names
  uint16_t exits = 0;
  std::vector<uint16_t> port_of_exit;
};

// The reason to drop a packet of this verdict, or nothing when it goes on.
std::optional<DropReason> reason_of(Verdict verdict, const Plan& plan);

// The reason why a frame must not leave by a port; `l3_offset`: bytes of Ethernet and tags.
inline std::optional<DropReason> reason_to_stay(const PortPlan& to, uint32_t frame_bytes,
                                                uint32_t l3_offset) {
  if (!to.sends) [[unlikely]]
    return DropReason::no_tx;
  if (frame_bytes > to.mtu + l3_offset) [[unlikely]]
    return DropReason::too_big;
  return std::nullopt;
}

// `up[i]`: port i of the settings can carry traffic; empty: all can.
Plan make_plan(const Settings& settings, const std::vector<PortFacts>& facts, const Layout& layout,
               const std::vector<bool>& up = {});

}  // namespace core
