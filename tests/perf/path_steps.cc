// SPDX-License-Identifier: BSD-3-Clause
// Classify and distribute, and then one TX queue for all; see path_steps.h.
#include "perf/path_steps.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/flow_meter.h"
#include "path/classify.h"
#include "path/distribute.h"
#include "path/follow.h"
#include "path/instruments.h"
#include "path/plane.h"
#include "path/send.h"
#include "pmd_glue/burst.h"

namespace perf {
namespace {

// What path/gateway has of its own for these steps.
struct Steps {
  Steps(const CycleRig& rig, core::Plan first)
      : plane(std::make_unique<core::Plan>(std::move(first))),
        plan(plane.publication.newest()),
        ingress(plan.ports.size()),
        sender(plan, 0, ingress, plane.exits(0), plane.handover, instruments),
        classifier(plan, plane.mac_tables, 0, std::vector<rte_mempool*>(plan.ports.size(), rig.pool()),
                   instruments.tracer()),
        follower(plan, 0, sender, plane.handover, ingress, plane.exits_of_workers(), instruments.tracer()),
        flows(plan.groups.size()) {}

  void take(std::span<rte_mbuf* const> mbufs, LastStep last) {
    while (!mbufs.empty()) {
      const size_t size = std::min<size_t>(mbufs.size(), core::kBatch);
      classifier.classify<false>(mbufs.first(size), 0, ingress[0], batch, answers);
      if (last == LastStep::distribute) path::distribute(plan, follower, flows, sender.watch_below(), batch);
      mbufs = mbufs.subspan(size);
    }
  }

  path::Plane plane;
  const core::Plan& plan;
  std::vector<core::IngressCounters> ingress;
  path::Instruments instruments{0, 0};
  path::Sender sender;
  path::Classifier classifier;
  path::Follower follower;
  std::vector<core::FlowMeter> flows;
  path::Batch batch;
  std::vector<rte_mbuf*> answers;
};

}  // namespace

double path_steps(CycleRig& rig, uint64_t packets, const core::Settings& settings, const PlaneShape& shape,
                  LastStep last) {
  const auto steps = std::make_unique<Steps>(rig, rig.plan(settings, shape));
  return rig.cycles(packets, [&](unsigned, const std::atomic<bool>& stop) {
    rte_mbuf* mbufs[core::kMaxBurst];
    while (!stop.load(std::memory_order_relaxed)) {
      const uint16_t received = glue::rx_burst(rig.rx(0), {mbufs, settings.engine.burst});
      steps->take({mbufs, received}, last);
      glue::tx_burst(rig.tx(0, 0), {mbufs, received});
    }
  });
}

}  // namespace perf
