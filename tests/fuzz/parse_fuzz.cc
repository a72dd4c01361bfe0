// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target over parse and make_flow_key: any bytes, any window, any choice of fields. The window is
// copied into a heap buffer of exactly its size, so that AddressSanitizer sees one byte read too many. Built
// with clang and -fsanitize=fuzzer,address,undefined; never part of the program.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "support/parse_checks.h"

namespace {

// Bytes of the input that steer the call; the frame follows.
//   0-1  window length (big-endian), limited to what is there; ffff is the whole frame
//   2-3  fields of the key, one bit each, and the choice of the VLAN tag
//   4    bytes by which the frame is longer than the input, in units of 64
constexpr size_t kSteeringBytes = 5;

core::KeyFields fields_of(unsigned bits) {
  core::KeyFields fields;
  fields.src_ip = bits & 1;
  fields.dst_ip = bits & 2;
  fields.src_port = bits & 4;
  fields.dst_port = bits & 8;
  fields.proto = bits & 0x10;
  fields.vlan = bits & 0x20;
  fields.dest_qp = bits & 0x40;
  fields.packet_length = bits & 0x80;
  fields.port_range = bits & 0x100;
  fields.symmetric = bits & 0x200;
  fields.port_ranges = {{0, 1023}, {4791, 4791}, {32768, 65535}};
  return fields;
}

void require(const char* broken) {
  if (broken == nullptr) return;
  std::fprintf(stderr, "broken: %s\n", broken);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size < kSteeringBytes) return 0;
  const uint32_t given = static_cast<uint32_t>(size - kSteeringBytes);
  const uint32_t window = std::min<uint32_t>(core::load_be16(input), given);
  const unsigned bits = core::load_be16(input + 2);
  const std::unique_ptr<uint8_t[]> bytes(new uint8_t[window]);
  std::copy_n(input + kSteeringBytes, window, bytes.get());

  const core::PacketView view{bytes.get(), window, given + 64u * input[4]};
  const core::PacketHeaders headers =
      core::parse(view, bits & 0x400 ? core::VlanTag::inner : core::VlanTag::outer);
  require(test_support::broken_headers(view, headers));

  const core::KeyFields fields = fields_of(bits);
  core::FlowKey key;
  core::make_flow_key(view, headers, fields, key);
  require(test_support::broken_key(headers, fields, key));
  return 0;
}
