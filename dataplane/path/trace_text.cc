// SPDX-License-Identifier: BSD-3-Clause
// Traces in words; see trace_text.h. Control thread.
#include "path/trace_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <span>

#include "core/bucket_moves.h"

namespace path {
namespace {

// printf into a string; what is longer than any line here is cut.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

std::string hex(std::span<const uint8_t> bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += text("%02x", byte);
  return out;
}

std::string exit_text(const core::Plan& plan, uint16_t exit) {
  if (exit == core::kNoExit) return "no exit";
  if (exit == core::kWaitExit) return "none now, its bucket moves";
  const core::PortPlan& port = plan.ports[plan.port_of_exit[exit]];
  return port.device + " queue " + std::to_string(exit - port.first_exit);
}

const char* verdict_text(core::Verdict verdict) {
  switch (verdict) {
    case core::Verdict::forward:
      return "well-formed";
    case core::Verdict::runt:
      return "runt";
    case core::Verdict::mac_control:
      return "MAC control";
    case core::Verdict::link_local:
      return "link-local";
    case core::Verdict::malformed:
      return "malformed";
  }
  return "";
}

std::string parsed_text(const Trace& trace, const core::Plan& plan) {
  const core::PacketHeaders& headers = trace.headers.headers;
  static constexpr const char* kL3[] = {"not IP", "IPv4", "IPv6"};
  std::string out = std::string(core::name_of(headers.protocol)) + ", " + verdict_text(headers.verdict) +
                    ", " + kL3[static_cast<size_t>(headers.l3)] + text(" at %u", headers.l3_offset);
  if (headers.l4_offset != 0) out += text(", L4 at %u", headers.l4_offset);
  if (headers.fragment) out += ", a fragment";
  if (!headers.has_ports) out += ", no ports";
  if (headers.l3_offset > 14) out += text(", VLAN %u PCP %u", headers.vlan_id, headers.pcp);
  if (headers.has_dest_qp) out += text(", QP 0x%06x", headers.dest_qp);
  out += text(", priority %u", trace.headers.priority);
  if (trace.headers.target == core::kNoGroup) return out + "; no route";
  return out + text("; route %u to ", trace.headers.route + 1u) + plan.groups[trace.headers.target].name;
}

std::string detail(const Trace& trace, const TraceEvent& event, const core::Plan& plan) {
  switch (event.step) {
    case TraceStep::parsed:
      return parsed_text(trace, plan);
    case TraceStep::answered:
      return "a question for this port's address";
    case TraceStep::like_before:
      return "loop guard: MAC addresses of the frame before";
    case TraceStep::guarded:
      return "loop guard: passes";
    case TraceStep::keyed:
      return text("%u bytes ", trace.key.size) + hex({trace.key.bytes, trace.key.size});
    case TraceStep::hashed:
      return text("0x%08" PRIx32 ", bucket %" PRIu32 ", ", trace.hash.hash, trace.hash.bucket) +
             exit_text(plan, trace.hash.exit);
    case TraceStep::waits:
      return "its bucket is on its way to another exit";
    case TraceStep::lined_up:
    case TraceStep::handed_over:
      return text("worker %u", event.where);
    case TraceStep::dropped:
      return std::string(core::name_of(event.reason));
    default:
      return exit_text(plan, event.where);
  }
}

}  // namespace

std::vector<std::string> lines_of(const Trace& trace, const core::Plan& plan, uint64_t tsc_hz) {
  const auto seconds = [tsc_hz](uint64_t tsc) {
    return static_cast<double>(tsc) / static_cast<double>(tsc_hz);
  };
  const TraceArrival& arrival = trace.arrival;
  std::vector<std::string> lines;
  lines.push_back(text("%.9f  received     lcore %u, ", seconds(arrival.tsc), arrival.lcore) +
                  plan.ports[arrival.port_index].device +
                  text(" queue %u, %" PRIu32 " bytes", arrival.rx_queue, arrival.frame_bytes));
  constexpr size_t kBytesInLine = 32;
  for (size_t at = 0; at < arrival.front_bytes; at += kBytesInLine) {
    const std::span<const uint8_t> front(arrival.front.data(), arrival.front_bytes);
    lines.push_back(text("  %04zx  ", at) +
                    hex(front.subspan(at, std::min(kBytesInLine, front.size() - at))));
  }
  for (const TraceEvent& event : trace.events) {
    const std::string_view name = name_of(event.step);
    lines.push_back(text("%.9f  %-11.*s  ", seconds(event.tsc), static_cast<int>(name.size()), name.data()) +
                    detail(trace, event, plan));
  }
  return lines;
}

}  // namespace path
