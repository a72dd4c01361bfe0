// SPDX-License-Identifier: BSD-3-Clause
// Questions about where packets go, read from words, and their answers as text and JSON. For the commands
// hash and show distribution, and for telemetry. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console/telemetry_answers.h"
#include "control/report.h"
#include "core/craft.h"
#include "core/explain.h"
#include "core/plan.h"
#include "core/settings.h"

namespace console {

struct ReadTuple {
  core::FiveTuple tuple;
  std::string problem;  // empty: none
};
// "192.0.2.1" "198.51.100.2" 49152 4791 "udp" (or 17).
ReadTuple read_tuple(const std::string& src, const std::string& dst, uint64_t src_port, uint64_t dst_port,
                     const std::string& proto);

struct ReadFrame {
  std::vector<uint8_t> bytes;
  std::string problem;
};
// Hexadecimal bytes, blanks between them or not; or @FILE[:N], packet N (from 1) of a capture.
ReadFrame read_frame(const std::string& text);

std::string hash_text(const core::Settings& settings);
nlohmann::json hash_json(const core::Settings& settings);

std::string explanation_text(const core::Plan& plan, const core::Explanation& explained);
nlohmann::json explanation_json(const core::Plan& plan, const core::Explanation& explained);
HashExplained explained_in_short(const core::Plan& plan, const core::Explanation& explained);

std::string crafted_text(const core::Crafted& crafted);
nlohmann::json crafted_json(const core::Crafted& crafted);

std::string distribution_text(const core::Plan& plan, const control::Report& report);
nlohmann::json distribution_json(const core::Plan& plan, const control::Report& report);
std::string buckets_text(const core::Plan& plan, const core::GroupPlan& group);

}  // namespace console
