// SPDX-License-Identifier: BSD-3-Clause
// Keeps the pace of publications as a token bucket of whole tokens. Called by control on the control thread.
#include "core/publication_pacer.h"

namespace core {

bool PublicationPacer::may_publish(uint64_t now_ns) {
  const uint64_t earned = (now_ns - last_refill_ns_) / kIntervalNs;
  if (earned >= kAtOnce - credit_) {
    // Full: what is earned beyond that, a fraction of an interval too, is lost. Kept, it would let a 101st
    // out.
    credit_ = kAtOnce;
    last_refill_ns_ = now_ns;
  } else {
    credit_ += static_cast<unsigned>(earned);
    last_refill_ns_ += earned * kIntervalNs;
  }
  if (credit_ == 0) return false;
  --credit_;
  return true;
}

}  // namespace core
