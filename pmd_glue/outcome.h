// SPDX-License-Identifier: BSD-3-Clause
// What a device answers to a request that may fail: a value, or the reason in words. For requests while the
// program runs; what fails while it starts is a StartError. Control thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace glue {

template <class Value>
struct Outcome {
  Value value{};
  std::optional<std::string> problem;  // the value means nothing then

  explicit operator bool() const { return !problem; }
  static Outcome refuse(std::string why) { return {.problem = std::move(why)}; }
};

// "net_null0: link up: Operation not supported". `error` is an errno, of either sign. A port that EAL does
// not have is named by its number.
std::string refusal(uint16_t port, const std::string& step, int error);
// The same for requests that answer nothing else; nothing when `error` is 0.
std::optional<std::string> refusal_of(uint16_t port, const std::string& step, int error);

}  // namespace glue
