// SPDX-License-Identifier: BSD-3-Clause
// One run of forwarding, from start to stop: the plan's publication, the workers and what watches them. A
// program may have several, one after the other, over the same devices; what each counted is added up in
// RunTotals. Control thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/devices.h"
#include "control/monitor.h"
#include "control/publisher.h"
#include "control/report.h"
#include "core/flow_meter.h"
#include "core/plan.h"
#include "path/plane.h"
#include "path/worker.h"
#include "pmd_glue/lcores.h"

namespace control {

// Plain sums over workers, and over runs.
struct RunTotals {
  struct OfPort {
    core::IngressTotals ingress;
    std::vector<QueueReport> queues;  // sent, by the rule's q
    QueueReport sent() const;
  };
  struct OfGroup {
    core::FlowMeter flows;
    OrderReport order;
  };
  struct OfLcore {
    double busy_s = 0, total_s = 0, worst_round_us = 0;
  };
  std::map<std::string, OfPort> ports;    // by device
  std::map<std::string, OfGroup> groups;  // target groups by name
  std::map<unsigned, OfLcore> lcores;
  uint32_t publications = 0;
  uint64_t longest_publication_ns = 0;

  void add(const RunTotals& other);
};

struct Run {
  // Prepares it; nothing moves yet. Each TX queue sends `tx_first_bursts` bursts before its worker polls.
  // `layout` fits the settings and `devices` are set up for it.
  Run(const core::Settings& settings, const Devices& devices, const std::vector<unsigned>& lcores,
      core::Layout layout, unsigned tx_first_bursts);
  ~Run() { stop(); }

  void start();
  // Workers give up what they hold within 100 ms and end; then all counters are final.
  void stop();

  core::IngressTotals ingress(uint16_t port) const;
  QueueReport sent_by(uint16_t exit) const;
  // Reading while workers run is allowed at any moment.
  RunTotals totals() const;
  const core::Plan& plan() const { return plane->publication.newest(); }

  const std::vector<unsigned> lcores;
  const core::Layout layout;
  const core::FlowPattern flowgen;
  std::unique_ptr<path::Plane> plane;
  std::vector<std::unique_ptr<path::Worker>> workers;
  std::optional<Publisher> publisher;
  std::optional<Monitor> monitor;  // mode gateway, once started
  bool started = false, stopped = false;

 private:
  std::atomic<bool> stop_{false};
  glue::WorkerLcores running_;
};

}  // namespace control
