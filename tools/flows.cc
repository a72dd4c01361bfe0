// SPDX-License-Identifier: BSD-3-Clause
// roceway-flows: writes a capture of numbered flows, the same bytes for the same options everywhere. It says
// on one line what it wrote, or what was wrong with its options (exit status 2) or with the file (1). One
// thread.
#include <pcap/pcap.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cxxopts.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/flow_maker.h"

namespace {

constexpr core::MacAddress kDestinationMac = {0x02, 0, 0, 0, 0, 0x02};  // locally administered
constexpr core::MacAddress kSourceMac = {0x02, 0, 0, 0, 0, 0x01};
constexpr uint16_t kFcsBytes = 4;
constexpr uint32_t kMaxPacketsPerFlow = 1'000'000;

struct Request {
  core::FlowPattern pattern;
  uint32_t packets_per_flow = 1;
  bool interleave = true;
  std::string file;
};

using BadOption = cxxopts::exceptions::exception;  // what cxxopts finds wrong itself is thrown as this too

std::string quoted(const std::string& option, std::string_view value) {
  return "--" + option + " " + std::string(value.empty() ? "\"\"" : value);
}

uint32_t number(const std::string& option, std::string_view text, uint32_t least, uint32_t most,
                const std::string& of = "") {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || value < least || value > most) {
    const char* what =
        whole || error == std::errc::result_out_of_range ? "out of range" : "not a whole number";
    throw BadOption(quoted(option, text) + ": " + what + of + "; allowed: " + std::to_string(least) + " to " +
                    std::to_string(most));
  }
  return value;
}

std::vector<uint16_t> sizes(std::string_view text, const core::FlowPattern& pattern) {
  const uint16_t least = core::shortest_frame(pattern.kind, pattern.ip);
  const std::string of = " (" + quoted("kind", core::name_of(pattern.kind)) + ", " +
                         quoted("ip", core::name_of(pattern.ip)) + ")";
  std::vector<uint16_t> result;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    result.push_back(static_cast<uint16_t>(
        number("sizes", text.substr(start, comma - start), least, core::kMaxFrameBytes, of)));
    start = comma + 1;
  }
  return result;
}

cxxopts::Options make_options() {
  cxxopts::Options options("roceway-flows",
                           "Writes a capture of numbered flows, with right checksums and ICRC.\n");
  options.custom_help("[options]").positional_help("FILE").set_width(110);
  cxxopts::OptionAdder add = options.add_options();
  const auto by_default = [](const char* text) { return cxxopts::value<std::string>()->default_value(text); };
  add("flows", "how many flows, 1 to 1000000", by_default("2048"), "N");
  add("packets", "packets of each flow, 1 to 1000000", by_default("1"), "N");
  add("kind", "rocev2, udp, tcp or mixed", by_default("mixed"), "KIND");
  add("ip", "4, 6 or mixed", by_default("4"), "VERSION");
  add("sizes", "frame lengths with FCS, taken in turn by flow; IPv6 needs more than 64", by_default("64"),
      "N,...");
  add("seed", "another seed, other addresses and ports", by_default("1"), "N");
  add("interleave", "packet 0 of all flows, then packet 1; =false: flow after flow",
      cxxopts::value<bool>()->default_value("true"));
  add("h,help", "this text");
  add("version", "the version");
  add("file", "where to write; replaced only when complete", cxxopts::value<std::string>());
  options.parse_positional({"file"});
  return options;
}

Request request_of(const cxxopts::ParseResult& given) {
  const auto text = [&given](const char* name) { return given[name].as<std::string>(); };
  Request request;
  request.pattern.flows = number("flows", text("flows"), 1, core::kMaxFlows);
  request.packets_per_flow = number("packets", text("packets"), 1, kMaxPacketsPerFlow);
  const auto kind = core::flow_kind_of(text("kind"));
  if (!kind) throw BadOption(quoted("kind", text("kind")) + ": unknown; allowed: rocev2, udp, tcp, mixed");
  request.pattern.kind = *kind;
  const auto ip = core::ip_version_of(text("ip"));
  if (!ip) throw BadOption(quoted("ip", text("ip")) + ": unknown; allowed: 4, 6, mixed");
  request.pattern.ip = *ip;
  request.pattern.sizes = sizes(text("sizes"), request.pattern);
  request.pattern.seed = number("seed", text("seed"), 0, UINT32_MAX);
  request.interleave = given["interleave"].as<bool>();
  if (!given.unmatched().empty()) throw BadOption(given.unmatched().front() + ": one FILE only");
  if (given.count("file") == 0) throw BadOption("FILE: missing; try --help");
  request.file = text("file");
  return request;
}

template <typename T, auto close>
using Owned = std::unique_ptr<T, decltype([](T* handle) { close(handle); })>;

// A capture that takes its name only when complete. pcap_dump says nothing of errors: the stream is asked.
class Capture {
 public:
  explicit Capture(const std::string& file) : file_(file), part_(file + ".part") {
    using std::filesystem::file_type;
    std::error_code none;
    const file_type type = std::filesystem::status(file_, none).type();
    if (type != file_type::regular && type != file_type::not_found)  // a device, say
      throw std::runtime_error(file_ + ": not a regular file");
    dumper_.reset(pcap_dump_open(pcap_.get(), part_.c_str()));
    if (!dumper_) throw std::runtime_error(pcap_geterr(pcap_.get()));
  }
  ~Capture() {
    if (dumper_) std::remove(part_.c_str());
  }

  // Packet n has the time of n microseconds, so the same options give the same file.
  void add(const std::vector<uint8_t>& frame) {
    pcap_pkthdr header{};
    header.ts = {static_cast<time_t>(packets_ / 1'000'000), static_cast<suseconds_t>(packets_ % 1'000'000)};
    header.caplen = header.len = static_cast<bpf_u_int32>(frame.size());
    pcap_dump(reinterpret_cast<u_char*>(dumper_.get()), &header, frame.data());
    if (std::ferror(pcap_dump_file(dumper_.get()))) fail(part_);
    ++packets_;
    bytes_ += frame.size() + kFcsBytes;
  }
  // Bytes with FCS.
  uint64_t finish() {
    if (pcap_dump_flush(dumper_.get()) != 0) fail(part_);
    if (std::rename(part_.c_str(), file_.c_str()) != 0) fail(file_);
    dumper_.reset();
    return bytes_;
  }

 private:
  [[noreturn]] static void fail(const std::string& name) {
    throw std::runtime_error(name + ": " + strerror(errno));
  }
  std::string file_, part_;
  Owned<pcap_t, pcap_close> pcap_{pcap_open_dead(DLT_EN10MB, core::kMaxFrameBytes)};
  Owned<pcap_dumper_t, pcap_dump_close> dumper_;  // empty once complete
  uint64_t packets_ = 0, bytes_ = 0;
};

void write(const Request& request) {
  Capture capture(request.file);
  const uint64_t flows = request.pattern.flows, packets = request.packets_per_flow;
  for (uint64_t n = 0; n < flows * packets; ++n) {
    const auto flow = static_cast<uint32_t>(request.interleave ? n % flows : n / packets);
    const auto packet = static_cast<uint32_t>(request.interleave ? n / flows : n % packets);
    capture.add(core::make_frame(request.pattern, flow, packet, kDestinationMac, kSourceMac));
  }
  const uint64_t bytes = capture.finish();
  std::cout << flows << " flows, " << flows * packets << " packets, " << bytes << " bytes -> " << request.file
            << std::endl;
}

int complain(const std::exception& problem, int status) {
  std::cerr << "roceway-flows: " << problem.what() << std::endl;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    cxxopts::Options options = make_options();
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help") > 0) {
      std::cout << options.help();
    } else if (given.count("version") > 0) {
      std::cout << "roceway-flows " << ROCEWAY_VERSION << std::endl;
    } else {
      write(request_of(given));
    }
    return 0;
  } catch (const BadOption& bad) {
    return complain(bad, 2);
  } catch (const std::exception& bad) {
    return complain(bad, 1);
  }
}
