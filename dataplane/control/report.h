// SPDX-License-Identifier: BSD-3-Clause
// The books as values, and their two faces: text for people, JSON for programs. Filled by control/engine,
// printed by control/supervisor and main on the control thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/distribution_table.h"
#include "core/fairness.h"
#include "core/member_health.h"
#include "pmd_glue/ports.h"

namespace control {

struct PortReport {
  uint16_t id = 0;  // DPDK's
  std::string device, group;
  uint64_t rx_packets = 0, rx_bytes = 0, tx_packets = 0, tx_bytes = 0;
  uint64_t tx_dropped = 0;        // what should have left here and did not, as tx_full
  core::IngressTotals from_here;  // what became of packets that came in by this port
  glue::DriverCounters driver;    // what its driver counted since start
  bool link_up = false;
  uint64_t speed_bps = 0;  // by setting, else as the driver says; 0 when unknown

  core::Ledger ledger() const;
  // Part of the link that the busier direction took in `seconds`, preamble, FCS and gap included; 0 without a
  // speed.
  double use(double seconds) const;
  // A driver that counts at all must have counted what it accepted from us, sent or failed.
  bool driver_counts() const { return driver.tx_packets + driver.tx_errors > 0; }
  bool driver_agrees() const {
    return !driver_counts() || driver.tx_packets + driver.tx_errors >= tx_packets;
  }
};

struct QueueReport {
  uint64_t packets = 0, bytes = 0;
  uint64_t dropped = 0;  // for this queue, as tx_full
};

// "up", "down (link)", "down (probe)".
std::string state_word(core::DownCause cause);

struct MemberReport {
  std::string device, group;
  bool up = false;    // its link
  std::string state;  // "up", "down (link)", "down (probe)", "down (domain)", "drained", "stopped"
  uint32_t weight = 1;
  uint64_t packets = 0, bytes = 0;
  std::vector<QueueReport> queues;  // by the rule's q
};

// Sequence numbers of sampled flows that were sent to a group; see core/reorder_meter.h.
struct OrderReport {
  uint64_t packets = 0, flows = 0, reordered = 0, repeated = 0, evicted = 0, farthest = 0;
};

struct GroupReport {
  std::string group;
  uint64_t packets = 0;
  uint64_t flows = 0;        // estimate
  uint32_t queues = 0;       // that were meant to carry something
  bool equal_shares = true;  // else chance gives no yardstick: queues of unlike weight fill unlike
  core::Fairness fairness;   // over TX queues, by packets
  core::IdealSpread ideal;   // what chance gives for as many flows; see add_yardstick
  bool steady = true;        // no bucket moved during the run; else loads are those of several tables
  OrderReport order;
};

struct LcoreReport {
  unsigned lcore = 0;
  double busy_share = 0;
  double worst_round_us = 0;
  double busy_s = 0;   // since start; their quotient over an interval is the busy share in it
  double total_s = 0;  // of its rounds
};

struct EventReport {
  double at_s = 0;  // since start
  std::string text;
};

struct Report {
  std::string mode;
  double seconds = 0;       // of forwarding
  double uptime_s = 0;      // of the program, forwarding or not
  bool forwarding = false;  // now
  std::vector<PortReport> ports;
  std::vector<MemberReport> members;  // of the target groups, in the file's order
  std::vector<GroupReport> groups;
  core::Moves moved;  // buckets that do not follow the documents' rule now
  uint32_t reorder_sample = 0;
  uint32_t publications = 0;          // plans so far, the first included
  double longest_publication_ms = 0;  // from a verdict or a command to the published plan
  std::vector<EventReport> events;    // the last ones
  std::vector<LcoreReport> lcores;
  bool final = false;  // ports are closed: the pool must be whole
  uint32_t pool_mbufs = 0, pool_back = 0;

  core::IngressTotals totals() const;
  core::Ledger ledger() const;
  // What the books may be off by while they are read: each worker can be amid a burst of each port. 0 once
  // final.
  uint64_t slack_packets() const;
  // received + generated = sent + held + dropped on every port and in all, and what ports sent is what was
  // sent, within the slack; once final, drivers agree and every mbuf is back.
  bool balanced() const;
  // The target group that got most packets; null when there is none.
  const GroupReport* busiest() const;
};

// Simulates the yardstick of every group; takes up to a tenth of a second, so it is done for a last report
// only.
void add_yardstick(Report& report);

std::string to_text(const Report& report);
// Parts of it: the books; how traffic to one group was spread.
std::string ledger_text(const Report& report);
std::string spread_text(const Report& report, const GroupReport& group);
std::string to_json(const Report& report);
// One line for --stats-period: rates since `before`.
std::string stats_line(const Report& before, const Report& now);

}  // namespace control
