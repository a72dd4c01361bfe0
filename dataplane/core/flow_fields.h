// SPDX-License-Identifier: BSD-3-Clause
// The fields of the headers that flow rules match on, and their values: where each lies, and how it is
// written. Used by flow_rule only. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/flow_rule.h"

namespace core {

enum class FieldKind : uint8_t { number, mac, ipv4, ipv6 };

// `bits` bits that end `shift` bits before the end of the `bytes` bytes at `offset`.
struct FlowField {
  std::string_view name;
  FieldKind kind;
  uint8_t offset, bytes, shift;
  uint16_t bits;
};

std::span<const FlowField> fields_of(FlowItemType type);

// Writes a value into its place, leaving what is beside it; false when the word is none. `allowed` tells what
// is.
bool write_field(const FlowField& field, std::string_view word, FlowItem::Bytes& header);
std::string allowed_in(const FlowField& field);
// Sets the first `ones` bits of the field and clears its others; `ones` is at most field.bits.
void write_prefix(const FlowField& field, unsigned ones, FlowItem::Bytes& header);

// A whole number, decimal or 0x and hexadecimal, up to `most`.
std::optional<uint64_t> flow_number(std::string_view word, uint64_t most);

}  // namespace core
