// SPDX-License-Identifier: BSD-3-Clause
// Whose hashes are taken, and what is told of it.
#include "core/rss_reuse.h"

#include <gtest/gtest.h>

#include <functional>

namespace {

using core::PortFacts;
using core::Settings;
using core::ToeplitzKey;

// Access and uplink with four queues each, hash toeplitz of devices; both devices are set up with its key.
struct Bench {
  Settings settings;
  std::vector<PortFacts> facts;
  Bench() {
    for (const char* group : {"access", "uplink"}) {
      settings.ports.emplace_back().group = group;
      PortFacts& port = facts.emplace_back();
      port.device = group[0];
      port.max_rx_queues = port.max_tx_queues = 8;
      port.gives_rss_hash = true;
      port.hashes_by = ToeplitzKey::microsoft;
    }
    settings.distribution.hash = core::HashAlgorithm::toeplitz;
    settings.distribution.reuse_rss_hash = true;
    settings.distribution.queues_per_nic = 4;
  }
  core::Plan plan() const {
    return core::make_plan(settings, facts, core::lay_out_queues(settings, facts, 1));
  }
};

struct Row {
  const char* name;
  std::function<void(Settings&, std::vector<PortFacts>&)> change;
  bool access, uplink;  // whose hashes are taken
  std::vector<std::string> notes;
};

const Row kRows[] = {
    {"as set up", [](auto&, auto&) {}, true, true, {}},
    {"not asked for", [](auto& s, auto&) { s.distribution.reuse_rss_hash = false; }, false, false, {}},
    {"another key than set up with",
     [](auto& s, auto&) { s.distribution.toeplitz_key = ToeplitzKey::mlx5; },
     false,
     false,
     {"port a is set up with toeplitz_key \"microsoft\", not \"mlx5\": its packets' hash is computed until "
      "the "
      "next run (distribution.reuse_rss_hash)",
      "port u is set up with toeplitz_key \"microsoft\", not \"mlx5\": its packets' hash is computed until "
      "the "
      "next run (distribution.reuse_rss_hash)"}},
    {"set up with that key, too",
     [](auto& s, auto& f) {
       s.distribution.toeplitz_key = ToeplitzKey::mlx5;
       f[0].hashes_by = f[1].hashes_by = ToeplitzKey::mlx5;
     },
     true,
     true,
     {}},
    {"a device's own RSS was changed",
     [](auto&, auto& f) { f[0].hashes_by.reset(); },
     false,
     true,
     {"port a is set up to hash otherwise: its packets' hash is computed until the next run "
      "(distribution.reuse_rss_hash)"}},
    {"a device that cannot",
     [](auto&, auto& f) { f[1].gives_rss_hash = false, f[1].hashes_by.reset(); },
     true,
     false,
     {"port u gives no RSS hash of its packets: it is computed (distribution.reuse_rss_hash)"}},
    {"a device that cannot, and by which nothing comes in",
     [](auto&, auto& f) { f[1].gives_rss_hash = f[1].receives = false, f[1].hashes_by.reset(); },
     true,
     false,
     {}},
    {"a device that cannot, and no choice where its packets go",
     [](auto& s, auto& f) {
       s.distribution.queues_per_nic = 1;
       f[1].gives_rss_hash = false, f[1].hashes_by.reset();
     },
     true,
     false,
     {}},
    {"another hash",
     [](auto& s, auto& f) {
       s.distribution.hash = core::HashAlgorithm::jenkins;
       f[1].gives_rss_hash = false, f[1].hashes_by.reset();
     },
     false,
     false,
     {}},
    {"symmetric", [](auto& s, auto&) { s.distribution.fields.symmetric = true; }, false, false, {}},
    {"another field", [](auto& s, auto&) { s.distribution.fields.proto = true; }, false, false, {}},
    {"one field less", [](auto& s, auto&) { s.distribution.fields.src_port = false; }, false, false, {}},
    {"a mode without hash", [](auto& s, auto&) { s.engine.mode = core::Mode::io; }, false, false, {}},
    {"RSS of addresses was asked for",
     [](auto& s, auto& f) {
       s.engine.rss = core::Rss::ip;
       f[1].receives = false;
     },
     true,
     true,
     {"port a hashes addresses and ports of TCP and UDP for its RX queues, too: engine.rss has no effect "
      "there "
      "(distribution.reuse_rss_hash)"}},
};

TEST(RssReuse, HashesAreTakenWhileTheyAreTheRules) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    Bench bench;
    row.change(bench.settings, bench.facts);
    const core::Plan plan = bench.plan();
    EXPECT_EQ(plan.ports[0].gives_rss_hash, row.access);
    EXPECT_EQ(plan.ports[1].gives_rss_hash, row.uplink);
    EXPECT_EQ(core::reuse_notes(bench.settings, bench.facts, plan), row.notes);
  }
}

}  // namespace
