// SPDX-License-Identifier: BSD-3-Clause
// Decides when a changed plan may be published: at most 100 times in any second, changes in between are
// merged into the next. A few may go out one behind the other, so a lone failure never waits; after that one
// every 10.5 ms. Control thread; time is passed in.
#pragma once

#include <cstdint>

namespace core {

class PublicationPacer {
 public:
  static constexpr unsigned kAtOnce = 5;
  static constexpr uint64_t kIntervalNs = 10'500'000;  // 5 + 95 = 100 in the first second
  // Whether one may go out now; true counts it as gone out. `now_ns` never runs backwards.
  bool may_publish(uint64_t now_ns);

 private:
  uint64_t last_refill_ns_ = 0;  // from when the next credit is earned; now, while credit is full
  unsigned credit_ = kAtOnce;
};

}  // namespace core
