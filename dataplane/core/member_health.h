// SPDX-License-Identifier: BSD-3-Clause
// Decides whether a port may carry traffic: from what its link says and, where asked, whether its next hop
// answers. Down at once; up again only after a hold-down during which nothing was wrong, so that a flapping
// link does not move flows to and fro. Time is passed in. One for each port; called by control/monitor on the
// control thread, once a tick.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

struct HealthPolicy {
  bool probe = false;                   // liveness = "probe": the next hop must answer too
  uint64_t hold_down_ns = 500'000'000;  // good for so long before it is up again
  uint64_t probe_interval_ns = 100'000'000;
  unsigned probes = 3;  // so many in a row without an answer: down; 1 or more
};

// What is known at one moment.
struct HealthSample {
  uint64_t now_ns = 0;
  bool link_up = false;
  uint64_t answers = 0;  // from the next hop so far; only its growing counts
};

enum class DownCause : uint8_t { none, link, probe };  // none: it is up
constexpr std::string_view name_of(DownCause cause) {
  return cause == DownCause::none ? "none" : cause == DownCause::link ? "link" : "probe";
}

class MemberHealth {
 public:
  // Starts as the first sample says: up at once when the link is up (a gateway that starts does not wait; a
  // probe has `probes` intervals to be answered). After that, what was down is up again when the link has
  // been up, and the next hop been answering, for the hold-down. One missed probe does not restart the
  // hold-down, `probes` in a row do; but the last question must not have been missed, or a next hop that
  // rarely answers would go up and down.
  explicit MemberHealth(const HealthPolicy& policy) : policy_(policy) {}

  // The verdict now. Samples come in the order of time. While it waits to be up again the cause stays what
  // was wrong last; a link that is down comes before a probe.
  DownCause judge(const HealthSample& sample);
  bool up() const { return cause_ == DownCause::none; }
  DownCause cause() const { return cause_; }
  // Whether the next hop is to be asked now; true counts as having asked. Always false without `probe` or
  // while the link is down. Asked every probe_interval_ns, also while the member is down, and at once when
  // the link returns. A probe is missed when its interval has passed without `answers` growing.
  bool ask_now(uint64_t now_ns);
  // A changed policy; the verdict stays until the next judge(). Probing that begins starts like a gateway
  // does.
  void set_policy(const HealthPolicy& policy);

 private:
  void take_in(const HealthSample& sample);
  void close_question(uint64_t now_ns);
  void forget_questions();
  bool good_long_enough(uint64_t now_ns) const;

  HealthPolicy policy_;
  DownCause cause_ = DownCause::none;

  bool link_up_ = false;  // at the last sample
  uint64_t link_since_ns_ = 0;

  uint64_t answers_ = 0;    // at the last sample
  bool answering_ = false;  // one came since the link is up, and never were so many missed that it is down
  uint64_t answering_since_ns_ = 0;
  std::optional<uint64_t> asked_ns_;  // the last question since the link is up
  bool open_ = false;                 // that question is neither answered nor missed
  unsigned missed_ = 0;               // in a row; counts to `probes`
};

}  // namespace core
