// SPDX-License-Identifier: BSD-3-Clause
// Judges a port by its link and its next hop's answers. Called by control/monitor on the control thread, once
// a tick.
#include "core/member_health.h"

namespace core {

DownCause MemberHealth::judge(const HealthSample& sample) {
  take_in(sample);
  if (!link_up_) {
    cause_ = DownCause::link;
  } else if (missed_ >= policy_.probes) {
    cause_ = DownCause::probe;
    answering_ = false;
  } else if (cause_ != DownCause::none && good_long_enough(sample.now_ns)) {
    cause_ = DownCause::none;
  }
  return cause_;
}

bool MemberHealth::ask_now(uint64_t now_ns) {
  if (!policy_.probe || !link_up_) return false;
  if (asked_ns_ && now_ns - *asked_ns_ < policy_.probe_interval_ns) return false;
  close_question(now_ns);  // the caller may ask before it judges
  asked_ns_ = now_ns;
  open_ = true;
  return true;
}

void MemberHealth::set_policy(const HealthPolicy& policy) {
  if (policy.probe != policy_.probe) forget_questions();
  policy_ = policy;
}

void MemberHealth::take_in(const HealthSample& sample) {
  if (!sample.link_up) {
    link_up_ = false;
    forget_questions();
  } else if (!link_up_) {
    // What was answered up to here was asked before the link was lost.
    link_up_ = true;
    link_since_ns_ = sample.now_ns;
  } else if (sample.answers > answers_) {
    if (!answering_) answering_since_ns_ = sample.now_ns;
    answering_ = true;
    open_ = false;
    missed_ = 0;
  }
  answers_ = sample.answers;
  close_question(sample.now_ns);
}

// An open question whose interval has passed is a missed one.
void MemberHealth::close_question(uint64_t now_ns) {
  if (!open_ || now_ns - *asked_ns_ < policy_.probe_interval_ns) return;
  open_ = false;
  if (missed_ < policy_.probes) ++missed_;
}

void MemberHealth::forget_questions() {
  answering_ = false;
  asked_ns_.reset();
  open_ = false;
  missed_ = 0;
}

bool MemberHealth::good_long_enough(uint64_t now_ns) const {
  if (now_ns - link_since_ns_ < policy_.hold_down_ns) return false;
  if (!policy_.probe) return true;
  return answering_ && missed_ == 0 && now_ns - answering_since_ns_ >= policy_.hold_down_ns;
}

}  // namespace core
