// SPDX-License-Identifier: BSD-3-Clause
// Tells what was decided; see describe.h.
#include "control/describe.h"

#include <algorithm>

#include "control/words.h"
#include "core/rss_reuse.h"
#include "pmd_glue/pools.h"

namespace control {
namespace {

std::string group_line(const core::GroupPlan& group, bool sends, const core::Settings& settings) {
  if (!sends)
    return "  to " + group.name +
           ": nothing, its ports only play captures; what should go there is dropped as no_tx";
  const unsigned q = group.table(0).state.queues_per_nic;
  std::string line = "  to " + group.name +
                     ": q = " + std::string(core::name_of(settings.distribution.hash)) + "(" +
                     fields_of(settings.distribution.fields) + ") % (" + counted(q, "queue") + " x " +
                     counted(group.members.size(), "NIC") + "), nic = q / " + std::to_string(q) + "; " +
                     counted(group.table(0).slots.size(), "bucket");
  if (group.table(0).from_rule.buckets > 0) {
    line += "; " + grouped(group.table(0).from_rule.buckets) + " of them are not where the rule has them, " +
            grouped(group.table(0).from_rule.needed) + " had to move";
  }
  return line;
}

std::string pool_line(const core::PoolNeed& need, uint16_t mbuf_bytes) {
  std::string line =
      "  packet pool of NUMA node " + std::to_string(need.numa_node) + ": " + grouped(need.mbufs()) +
      " mbufs, " + grouped(glue::pool_bytes(need.mbufs(), mbuf_bytes, glue::pool_page_bytes()) >> 20) +
      " MB (RX rings " + grouped(need.rx_rings) + ", TX rings " + grouped(need.tx_rings) + ", caches " +
      grouped(need.caches) + ", in flight " + grouped(need.in_flight) + ", held " + grouped(need.held);
  if (need.preloaded > 0) line += ", preloaded captures " + grouped(need.preloaded);
  return line + ", reserve " + grouped(need.reserve) + ")";
}

}  // namespace

std::string fields_of(const core::KeyFields& fields) {
  std::string text;
  for (const core::KeyFieldName& field : core::kKeyFieldNames) {
    if (fields.*field.chosen) text += (text.empty() ? "" : ", ") + std::string(field.name);
  }
  return text;
}

std::vector<std::string> device_notes(const core::Settings& settings,
                                      const std::vector<core::PortFacts>& facts, const core::Layout& layout,
                                      const core::Plan& plan) {
  std::vector<std::string> notes = layout.notes;
  for (std::string& note : core::reuse_notes(settings, facts, plan)) notes.push_back(std::move(note));
  return notes;
}

std::vector<std::string> describe(const core::Settings& settings, const std::vector<core::PortFacts>& facts,
                                  const core::Layout& layout, const std::vector<core::PoolNeed>& needs,
                                  const core::Plan& plan, const std::vector<unsigned>& lcores) {
  std::vector<std::string> lines;
  std::string workers;
  for (unsigned lcore : lcores) workers += (workers.empty() ? "" : ", ") + std::to_string(lcore);
  lines.push_back("mode " + std::string(core::name_of(plan.mode)) + ", worker lcore" +
                  (lcores.size() > 1 ? "s " : " ") + workers + ", burst " + std::to_string(plan.burst));
  for (size_t i = 0; i < facts.size(); ++i) {
    const core::PortPlan& port = plan.ports[i];
    lines.push_back("  port " + std::to_string(port.port) + " " + port.device + " (" + facts[i].driver + ")" +
                    (settings.ports[i].group.empty() ? "" : " in " + settings.ports[i].group) + ": " +
                    std::to_string(layout.ports[i].rx_queues) + " RX, " +
                    (port.sends ? std::to_string(layout.ports[i].tx_queues) : "no") + " TX queue(s), MTU " +
                    std::to_string(port.mtu));
  }
  for (const core::GroupPlan& group : plan.groups) {
    const bool sends = std::any_of(group.members.begin(), group.members.end(),
                                   [&](uint16_t member) { return plan.ports[member].sends; });
    lines.push_back(group_line(group, sends, settings));
  }
  for (const core::PoolNeed& need : needs) lines.push_back(pool_line(need, settings.engine.mbuf_bytes));
  for (const std::string& note : device_notes(settings, facts, layout, plan))
    lines.push_back("note: " + note);
  return lines;
}

std::string nobody_left(const core::Settings& settings, const core::Plan& plan, size_t group) {
  const std::string& name = plan.groups[group].name;
  const auto usable = [&](const std::string& other) {
    return std::any_of(plan.groups.begin(), plan.groups.end(),
                       [&](const core::GroupPlan& g) { return g.name == other && g.usable(); });
  };
  std::string fallbacks;
  bool some_dropped = settings.routes.empty();
  std::vector<std::string> seen;
  for (const core::RouteSettings& route : settings.routes) {
    if (route.to != name && (route.fallback != name || usable(route.to))) continue;
    if (!usable(route.fallback)) {
      some_dropped = true;
    } else if (std::find(seen.begin(), seen.end(), route.fallback) == seen.end()) {
      seen.push_back(route.fallback);
      fallbacks += (fallbacks.empty() ? "" : " or ") + route.fallback;
    }
  }
  const std::string start = "nobody is left in " + name;
  if (fallbacks.empty())
    return start + (some_dropped ? ": its packets are dropped until a member returns" : "");
  return start + ": its packets go to fallback " + fallbacks +
         (some_dropped ? ", those of a route without one are dropped until a member returns" : "");
}

}  // namespace control
