// SPDX-License-Identifier: BSD-3-Clause
// Flows and bytes as people write them: addresses, ports and protocols of a command line into the material of
// a key and back, and hexadecimal. What is wrong is refused with BadInput. The words and their order are
// those of roceway's prompt (`hash explain <src> <dst> <sport> <dport> <proto>`). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain.h"
#include "core/flow_key.h"

namespace hashlab {

// `of` is how the user knows the value ("SRC", "--src").
core::IpAddress address_of(const std::string& of, std::string_view text);
core::IpPrefix prefix_of(const std::string& of, std::string_view text);  // a bare address is a prefix of one
uint8_t proto_of(const std::string& of, std::string_view text);          // "udp", or 17
// Two digits a byte; 0x in front, and blanks and colons between bytes, are passed over.
std::vector<uint8_t> bytes_of_hex(const std::string& of, std::string_view text);

// SRC DST SPORT DPORT [PROTO]; udp when there are four words.
core::FiveTuple tuple_of(std::span<const std::string> words);
// Throws BadInput when the two are not of one IP version.
void check_one_version(const core::IpAddress& src, const core::IpAddress& dst);

// As the gateway would read the shortest frame with this tuple (core::frame_of).
core::KeyMaterial material_of(const core::FiveTuple& tuple);
// Of a flow with ports.
uint16_t src_port_of(const core::KeyMaterial& material);
void set_src_port(core::KeyMaterial& material, uint16_t port);

std::string text_of(const core::IpAddress& address);
std::string proto_name(uint8_t proto);
std::string hex_of(std::span<const uint8_t> bytes);
// "192.0.2.1 198.51.100.2 10000 4791 udp", as the prompt takes it.
std::string words_of(const core::FiveTuple& tuple);
// The same of a flow, with what else tells it from others: "... udp qp 0x12 vlan 7", "... udp without ports";
// without IP its MAC addresses.
std::string words_of(const core::KeyMaterial& material);

}  // namespace hashlab
