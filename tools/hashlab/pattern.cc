// SPDX-License-Identifier: BSD-3-Clause
// Names of the patterns, the limits of their numbers, and the traffic that each makes; see pattern.h. Pure.
#include "hashlab/pattern.h"

#include <string>
#include <utility>

#include "hashlab/bad_input.h"
#include "hashlab/pattern_flows.h"
#include "hashlab/pattern_roce.h"

namespace hashlab {
namespace {

constexpr uint64_t kMostPackets = 1'000'000, kMostElephants = 1'000'000;
constexpr uint32_t kLeastFrameBytes = 60, kMostFrameBytes = 9216;
constexpr uint32_t kMostHosts = 65'536, kMostQps = 65'536;

template <typename Maker>
class Made : public Traffic {
 public:
  Made(const Pattern& pattern, uint64_t flows)
      : name_("pattern " + std::string(name_of(pattern.kind))), flows_(flows), flow_of_(pattern) {}
  std::string name() const override { return name_; }
  uint64_t flows() const override { return flows_; }
  void fill(uint64_t first, std::span<Flow> into) const override {
    for (Flow& flow : into) flow = flow_of_(first++);
  }

 private:
  const std::string name_;
  const uint64_t flows_;
  const Maker flow_of_;
};

void check(const char* option, uint64_t value, uint64_t least, uint64_t most, const std::string& of = "") {
  if (least <= value && value <= most) return;
  throw BadInput("--" + std::string(option) + " " + std::to_string(value) + ": out of range" + of +
                 "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
}

uint64_t most_flows(PatternKind kind) {
  if (kind == PatternKind::same_ports) return UINT16_MAX - kFirstSamePort + 1;
  if (kind == PatternKind::even_ports) return kEvenPorts;
  return kMostPatternFlows;
}

void check_flows(const Pattern& pattern) {
  check("flows", pattern.flows, 1, most_flows(pattern.kind),
        " for pattern " + std::string(name_of(pattern.kind)));
}

// NaN is out of range, too.
void check_elephants(const Pattern& pattern) {
  check("elephants", pattern.elephants, 1, kMostElephants);
  if (!(pattern.elephant_share > 0 && pattern.elephant_share < 1)) {
    throw BadInput("--elephant-share " + std::to_string(pattern.elephant_share) +
                   ": out of range; allowed: above 0, below 1");
  }
  if (!(pattern.zipf >= 0 && pattern.zipf <= 4))
    throw BadInput("--zipf " + std::to_string(pattern.zipf) + ": out of range; allowed: 0 to 4");
}

RoceSize checked_size(const Pattern& pattern) {
  check("hosts", pattern.hosts, pattern.kind == PatternKind::roce_qps ? 1 : 2, kMostHosts);
  check("qps", pattern.qps, 1, kMostQps);
  const RoceSize size = size_of(pattern.kind, pattern.hosts, pattern.qps);
  const std::string given =
      "--hosts " + std::to_string(pattern.hosts) + " --qps " + std::to_string(pattern.qps);
  if (size.flows > kMostPatternFlows) {
    throw BadInput(given + ": " + std::to_string(size.flows) + " flows; allowed: 1 to " +
                   std::to_string(kMostPatternFlows));
  }
  if (size.qps_of_host > kQps) {
    throw BadInput(given + ": " + std::to_string(size.qps_of_host) +
                   " queue pairs on one host; allowed: 1 to " + std::to_string(kQps));
  }
  return size;
}

}  // namespace

std::string_view name_of(PatternKind kind) {
  return kPatternNames[static_cast<size_t>(kind)];
}

std::unique_ptr<Traffic> make_traffic(const Pattern& pattern) {
  check("packets", pattern.packets, 1, kMostPackets);
  check("frame-bytes", pattern.frame_bytes, kLeastFrameBytes, kMostFrameBytes);
  switch (pattern.kind) {
    case PatternKind::random:
      check_flows(pattern);
      return std::make_unique<Made<RandomFlows>>(pattern, pattern.flows);
    case PatternKind::counting:
      check_flows(pattern);
      return std::make_unique<Made<CountingFlows>>(pattern, pattern.flows);
    case PatternKind::same_ports:
      check_flows(pattern);
      return std::make_unique<Made<SamePortFlows>>(pattern, pattern.flows);
    case PatternKind::even_ports:
      check_flows(pattern);
      return std::make_unique<Made<EvenPortFlows>>(pattern, pattern.flows);
    case PatternKind::elephants:
      check_flows(pattern);
      check_elephants(pattern);
      return std::make_unique<Made<ElephantFlows>>(pattern, pattern.elephants + pattern.flows);
    case PatternKind::roce_qps:
    case PatternKind::clos:
    case PatternKind::all_reduce:
    case PatternKind::all_to_all:
      return std::make_unique<Made<RoceFlows>>(pattern, checked_size(pattern).flows);
  }
  throw BadInput("--pattern: unknown");
}

}  // namespace hashlab
