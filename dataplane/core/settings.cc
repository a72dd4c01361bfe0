// SPDX-License-Identifier: BSD-3-Clause
// Decides whether a set of settings can be used: every number in its range, and the rules between settings
// (those of groups and what belongs to them are in settings_paths and settings_routes). Called by control, on
// the control thread, before a plan is built; by tools and tests. Pure.
#include "core/settings.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "core/eal_options.h"
#include "core/names.h"
#include "core/settings_checks.h"

namespace core {
namespace {

constexpr std::array<std::string_view, 8> kModes = {"gateway", "io",     "mac",    "macswap",
                                                    "5tswap",  "rxonly", "txonly", "flowgen"};

void check_eal(const Settings& settings, Findings& findings) {
  const auto& args = settings.eal.args;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string where = item("eal.args", i);
    if (args[i].empty()) findings.add(where, "found an empty string; leave it out");
    if (args[i].starts_with('-') && args[i].find(" -") != std::string::npos) {
      findings.add(where, "found several arguments in one string; write each as a string of its own");
    }
    if (args[i] == "--") findings.add(where, "found \"--\", which ends EAL's options; leave it out");
  }
}

void check_lcores(const Settings& settings, Findings& findings) {
  const auto& lcores = settings.engine.lcores;
  for (size_t i = 0; i < lcores.size(); ++i) {
    const std::string where = item("engine.lcores", i);
    findings.number(where, lcores[i].lcore, limits::kLcore);
    findings.number(where, lcores[i].cpu, limits::kCpu);
    for (size_t earlier = 0; earlier < i; ++earlier) {
      if (lcores[earlier].lcore != lcores[i].lcore) continue;
      findings.add(where, "lcore " + std::to_string(lcores[i].lcore) + " is already entry " +
                              std::to_string(earlier) + "; each lcore is one worker");
      break;
    }
  }
  if (!lcores.empty() && names_lcores(settings.eal.args)) {
    findings.add("engine.lcores", "eal.args choose lcores too; keep one of the two");
  }
  if (!settings.distribution.queues_per_nic && lcores.size() > kMaxQueuesPerNic) {
    findings.add("engine.lcores", "found " + std::to_string(lcores.size()) + " workers; more than " +
                                      std::to_string(kMaxQueuesPerNic) +
                                      " need distribution.queues_per_nic, which is otherwise their number");
  }
}

void check_engine(const Settings& settings, Findings& findings) {
  const EngineSettings& engine = settings.engine;
  check_lcores(settings, findings);
  for (size_t i = 0; i < engine.forwarding_ports.size(); ++i) {
    const std::string where = item("engine.forwarding_ports", i);
    const std::string& device = engine.forwarding_ports[i];
    const auto before = engine.forwarding_ports.begin() + static_cast<std::ptrdiff_t>(i);
    const bool there = settings.ports.empty() ||
                       std::any_of(settings.ports.begin(), settings.ports.end(),
                                   [&](const PortSettings& port) { return port.device == device; });
    if (engine.mode == Mode::gateway) {
      findings.add(where, "mode gateway forwards between groups; leave engine.forwarding_ports out");
      break;
    }
    if (!there) findings.add(where, "found " + quoted(device) + "; allowed: the device of a [[port]]");
    if (std::find(engine.forwarding_ports.begin(), before, device) != before)
      findings.add(where, quoted(device) + " is listed twice");
  }
  findings.number("engine.burst", engine.burst, limits::kBurst);
  findings.number("engine.idle_rounds", engine.idle_rounds, limits::kIdleRounds);
  findings.number("engine.idle_sleep_us", engine.idle_sleep_us, limits::kIdleSleepUs);
  findings.number("engine.hold_packets", engine.hold_packets, limits::kHoldPackets);
  findings.number("engine.mbuf_bytes", engine.mbuf_bytes, limits::kMbufBytes);
  findings.number("engine.reserve_mbufs", engine.reserve_mbufs, limits::kReserveMbufs);
  findings.number("engine.reorder_sample", engine.reorder_sample, limits::kReorderSample);
}

void check_log(const Settings& settings, Findings& findings) {
  findings.number("log.slow_round_us", settings.log.slow_round_us, limits::kSlowRoundUs);
}

void check_device(const Settings& settings, size_t index, Findings& findings) {
  const std::string& device = settings.ports[index].device;
  const std::string where = port_key(index, "device");
  if (device.empty()) {
    findings.add(
        where,
        "missing; allowed: a PCI address as in \"0000:01:00.0\", or a vdev's name as in \"net_pcap0\"");
    return;
  }
  if (device.find_first_of(", \t") != std::string::npos) {
    findings.add(where,
                 "found " + quoted(device) + "; allowed: the name alone, its arguments stand in eal.args");
    return;
  }
  for (size_t earlier = 0; earlier < index; ++earlier) {
    if (full_device_name(settings.ports[earlier].device) != full_device_name(device)) continue;
    findings.add(where, quoted(device) + " is already " + item("port", earlier));
    return;
  }
}

void check_next_hop(const MacAddress& mac, size_t index, Findings& findings) {
  if ((mac[0] & 1) != 0) {  // IEEE 802-2014 section 8.2.2: the I/G bit marks a group address
    findings.add(port_key(index, "next_hop_mac"),
                 "found a group address; allowed: the address of one station");
  } else if (mac == MacAddress{}) {
    findings.add(port_key(index, "next_hop_mac"), "found all zeros; allowed: the address of one station");
  }
}

void check_ports(const Settings& settings, Findings& findings) {
  if (!limits::kPorts.holds(settings.ports.size())) {
    findings.add("port", "found " + std::to_string(settings.ports.size()) + " ports; allowed " +
                             text_of(limits::kPorts));
  }
  for (size_t i = 0; i < settings.ports.size(); ++i) {
    const PortSettings& port = settings.ports[i];
    check_device(settings, i, findings);
    if (port.rx_queues) findings.number(port_key(i, "rx_queues"), *port.rx_queues, limits::kRxQueues);
    findings.number(port_key(i, "rx_descriptors"), port.rx_descriptors, limits::kDescriptors);
    findings.number(port_key(i, "tx_descriptors"), port.tx_descriptors, limits::kDescriptors);
    findings.number(port_key(i, "weight"), port.weight, limits::kWeight);
    if (port.speed_bps != 0) findings.number(port_key(i, "speed"), port.speed_bps, limits::kSpeedBps);
    findings.number(port_key(i, "mtu"), port.mtu, limits::kMtu);
    if (port.next_hop_mac) check_next_hop(*port.next_hop_mac, i, findings);
  }
}

bool has_no_field(const KeyFields& f) {
  return !(f.src_ip || f.dst_ip || f.src_port || f.dst_port || f.proto || f.vlan || f.dest_qp ||
           f.packet_length || f.port_range);
}

void check_distribution(const DistributionSettings& distribution, Findings& findings) {
  if (distribution.seed != 0 && !takes_seed(distribution.hash)) {
    findings.add("distribution.seed", "hash " + quoted(name_of(distribution.hash)) +
                                          " takes no seed; leave it out or set it to 0");
  }
  const KeyFields& fields = distribution.fields;
  if (has_no_field(fields)) findings.add("distribution.fields", "found none; a key needs at least one field");
  if (fields.port_range && fields.port_ranges.empty()) {
    findings.add("distribution.port_ranges", "found none; field port_range needs at least one");
  }
  if (!limits::kPortRanges.holds(fields.port_ranges.size())) {
    findings.add("distribution.port_ranges", "found " + std::to_string(fields.port_ranges.size()) +
                                                 " ranges; allowed " + text_of(limits::kPortRanges));
  }
  for (size_t i = 0; i < fields.port_ranges.size(); ++i) {
    const PortRange range = fields.port_ranges[i];
    if (range.first <= range.last) continue;
    findings.add(item("distribution.port_ranges", i), "found " + std::to_string(range.first) + "-" +
                                                          std::to_string(range.last) +
                                                          "; the smaller port stands first");
  }
  if (distribution.queues_per_nic) {
    findings.number("distribution.queues_per_nic", *distribution.queues_per_nic, limits::kQueuesPerNic);
  }
  findings.number("distribution.buckets_per_queue", distribution.buckets_per_queue, limits::kBucketsPerQueue);
}

void check_flowgen(const Settings& settings, Findings& findings) {
  const FlowPattern& flowgen = settings.flowgen;
  findings.number("flowgen.flows", flowgen.flows, limits::kFlows);
  if (flowgen.sizes.empty()) {
    findings.add("flowgen.sizes", "found none; at least one frame length is needed");
    return;
  }
  const Range allowed{shortest_frame(flowgen.kind, flowgen.ip), kMaxFrameBytes};
  for (size_t i = 0; i < flowgen.sizes.size(); ++i) {
    if (allowed.holds(flowgen.sizes[i])) continue;
    findings.add(item("flowgen.sizes", i), found_outside(std::to_string(flowgen.sizes[i]), allowed) +
                                               " for kind " + quoted(name_of(flowgen.kind)) + ", ip " +
                                               quoted(name_of(flowgen.ip)));
  }
  const uint64_t largest = *std::max_element(flowgen.sizes.begin(), flowgen.sizes.end());
  const bool sends = settings.engine.mode == Mode::flowgen || settings.engine.mode == Mode::txonly;
  for (size_t i = 0; sends && i < settings.ports.size(); ++i) {
    constexpr uint64_t kAroundMtu = 18;  // Ethernet header and FCS
    if (largest <= settings.ports[i].mtu + kAroundMtu) continue;
    findings.add("flowgen.sizes", std::to_string(largest) + " is more than " + port_key(i, "mtu") +
                                      " lets through (" + std::to_string(settings.ports[i].mtu + kAroundMtu) +
                                      " with FCS); raise the MTU, or send shorter frames");
    break;
  }
  if (flowgen.flows * largest > limits::kFlowgenBytes) {
    findings.add("flowgen.flows",
                 std::to_string(flowgen.flows) + " flows of up to " + std::to_string(largest) +
                     " bytes need " + std::to_string(flowgen.flows * largest / 1'000'000) +
                     " MB; allowed at most " + std::to_string(limits::kFlowgenBytes / 1'000'000) + " MB");
  }
}

// Once for each CPU that several lcores share.
void warn_of_shared_cpus(const EngineSettings& engine, Findings& findings) {
  std::map<unsigned, std::vector<size_t>> entries_on;
  for (size_t i = 0; i < engine.lcores.size(); ++i) entries_on[engine.lcores[i].cpu].push_back(i);
  for (const auto& [cpu, entries] : entries_on) {
    if (entries.size() < 2) continue;
    std::string lcores;
    for (const size_t i : entries) {
      lcores += (i == entries.front()  ? ""
                 : i == entries.back() ? " and "
                                       : ", ") +
                std::to_string(engine.lcores[i].lcore);
    }
    findings.add(item("engine.lcores", entries[1]), "lcores " + lcores + " share CPU " + std::to_string(cpu) +
                                                        ": each runs only part of the time");
  }
}

void warn_of_distribution(const DistributionSettings& distribution, Findings& findings) {
  const KeyFields& fields = distribution.fields;
  if (distribution.toeplitz_key != ToeplitzKey::microsoft && distribution.hash != HashAlgorithm::toeplitz) {
    findings.add(
        "distribution.toeplitz_key",
        "has no effect with hash " + quoted(name_of(distribution.hash)) + ", only with \"toeplitz\"");
  }
  if (distribution.reuse_rss_hash && distribution.hash != HashAlgorithm::toeplitz) {
    findings.add("distribution.reuse_rss_hash",
                 "has no effect with hash " + quoted(name_of(distribution.hash)) + ", only with \"toeplitz\"");
  } else if (distribution.reuse_rss_hash && fields != KeyFields{}) {
    findings.add("distribution.reuse_rss_hash",
                 "has no effect with other fields: devices hash src_ip, dst_ip, src_port and dst_port");
  }
  const bool added =
      fields.proto || fields.vlan || fields.dest_qp || fields.packet_length || fields.port_range;
  const bool xors = distribution.hash == HashAlgorithm::bond_l2 ||
                    distribution.hash == HashAlgorithm::bond_l23 ||
                    distribution.hash == HashAlgorithm::bond_l34;
  if (xors && (added || fields.symmetric)) {
    findings.add("distribution.hash",
                 quoted(name_of(distribution.hash)) +
                     " looks at MAC addresses, IP addresses and ports only and is symmetric: "
                     "other fields and symmetric have no effect");
  } else if (fields.packet_length) {
    findings.add(
        "distribution.fields",
        "packet_length sends packets of one flow by several queues: they can arrive in another order");
  }
  if (!fields.src_ip && !fields.dst_ip && !has_no_field(fields)) {
    findings.add("distribution.fields",
                 "neither src_ip nor dst_ip: many hosts can share few keys, so few queues");
  }
  if (!fields.port_range && !fields.port_ranges.empty()) {
    findings.add("distribution.port_ranges", "has no effect without \"port_range\" in fields");
  }
}

}  // namespace

std::string_view name_of(Mode mode) {
  return kModes[static_cast<size_t>(mode)];
}

std::string_view name_of(PortTopology topology) {
  constexpr std::string_view kNames[] = {"paired", "chained", "loop"};
  return kNames[static_cast<size_t>(topology)];
}

std::string_view name_of(Rss rss) {
  constexpr std::string_view kNames[] = {"all", "ip", "udp"};
  return kNames[static_cast<size_t>(rss)];
}

std::optional<Mode> mode_of(std::string_view name) {
  return value_of<Mode>(kModes, name);
}

std::string text_of(Range range) {
  return std::to_string(range.least) + " to " + std::to_string(range.most);
}

std::string found_outside(std::string_view found, Range allowed) {
  return "found " + std::string(found) + "; allowed " + text_of(allowed);
}

std::string in_lines(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : "\n") + text_of(problem);
  return text;
}

std::vector<std::string> texts_of(const std::vector<Problem>& problems) {
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(text_of(problem));
  return texts;
}

std::vector<PortRange> default_port_ranges() {
  return {{0, 1023}, {1024, 49151}, {49152, 65535}};
}

std::vector<Problem> validate(const Settings& settings) {
  Findings findings;
  check_eal(settings, findings);
  check_engine(settings, findings);
  check_log(settings, findings);
  check_ports(settings, findings);
  check_paths(settings, findings);
  check_distribution(settings.distribution, findings);
  check_flowgen(settings, findings);
  return findings.take();
}

std::vector<Problem> warnings(const Settings& settings) {
  Findings findings;
  warn_of_shared_cpus(settings.engine, findings);
  warn_of_paths(settings, findings);
  warn_of_distribution(settings.distribution, findings);
  return findings.take();
}

std::string_view target_of(std::string_view group) {
  if (group == kAccess) return kUplink;
  if (group == kUplink) return kAccess;
  return {};
}

}  // namespace core
