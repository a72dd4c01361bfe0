// SPDX-License-Identifier: BSD-3-Clause
// Reads testpmd's flow language; see flow_rule.h. Each reader takes the words it knows and leaves the next
// one to its caller; after the first problem the rest is not read. Pure.
#include "core/flow_rule.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

#include "core/flow_fields.h"
#include "core/names.h"

namespace core {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(FlowItemType::kCount)> kItems = {
    "eth", "vlan", "ipv4", "ipv6", "udp", "tcp"};
constexpr std::array<std::string_view, static_cast<size_t>(FlowActionType::kCount)> kActions = {
    "drop", "queue", "rss", "count", "mark", "passthru"};
constexpr std::array<std::string_view, 4> kFunctions = {"default", "toeplitz", "simple_xor",
                                                        "symmetric_toeplitz"};
constexpr std::array<std::string_view, 5> kParameters = {"is", "spec", "last", "mask", "prefix"};
constexpr uint64_t kMost16 = 0xffff, kMost32 = 0xffffffff;
constexpr size_t kMostQueues = 128;  // of one rss action, as in testpmd

struct Words {
  std::vector<std::string_view> all;
  size_t next = 0;
  std::string problem;

  explicit Words(std::string_view text) {
    constexpr std::string_view kBlanks = " \t";
    for (size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      all.push_back(text.substr(at, end - at));
      at = text.find_first_not_of(kBlanks, end);
    }
  }
  // Empty at the end of the line.
  std::string_view peek() const { return next < all.size() ? all[next] : std::string_view(); }
  std::string_view take() { return next < all.size() ? all[next++] : std::string_view(); }
  bool take_if(std::string_view word) {
    if (next == all.size() || all[next] != word) return false;
    ++next;
    return true;
  }
  void refuse(const std::string& where, std::string_view found, const std::string& allowed) {
    if (!problem.empty()) return;
    problem = where + ": found " +
              (found.empty() ? std::string("the end of the line") : '"' + std::string(found) + '"') +
              "; allowed: " + allowed;
  }
  uint64_t number(const std::string& where, uint64_t most) {
    const std::string_view word = take();
    const auto value = flow_number(word, most);
    if (!value) refuse(where, word, "0 to " + std::to_string(most));
    return value.value_or(0);
  }
};

template <typename Names>
std::string listed(const Names& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// The slash behind an item or an action.
void read_slash(Words& words, const std::string& where, const std::string& or_one_of) {
  const std::string_view word = words.take();
  if (word != "/") words.refuse(where, word, or_one_of.empty() ? "/" : or_one_of + ", or /");
}

void read_attributes(Words& words, FlowRule& rule) {
  while (words.problem.empty() && !words.take_if("pattern")) {
    const std::string_view word = words.take();
    if (word == "ingress") {
      rule.ingress = true;
    } else if (word == "egress") {
      rule.egress = true;
    } else if (word == "transfer") {
      rule.transfer = true;
    } else if (word == "group") {
      rule.group = static_cast<uint32_t>(words.number("group", kMost32));
    } else if (word == "priority") {
      rule.priority = static_cast<uint32_t>(words.number("priority", kMost32));
    } else {
      words.refuse("flow rule", word, "group N, priority N, ingress, egress, transfer, or pattern");
    }
  }
  if (words.problem.empty() && !rule.ingress && !rule.egress && !rule.transfer) {
    words.problem = "flow rule: has no direction; say ingress, egress or transfer before pattern";
  }
}

void read_parameter(Words& words, const FlowField& field, const std::string& where, FlowItem& item) {
  const std::string_view parameter = words.take();
  if (std::find(kParameters.begin(), kParameters.end(), parameter) == kParameters.end()) {
    return words.refuse(where, parameter, listed(kParameters));
  }
  if (parameter == "prefix") {
    item.has_mask = true;
    return write_prefix(field, static_cast<unsigned>(words.number(where + " prefix", field.bits)), item.mask);
  }
  const bool to_last = parameter == "last", to_mask = parameter == "mask";
  (to_last ? item.has_last : to_mask ? item.has_mask : item.has_spec) = true;
  const std::string_view value = words.take();
  if (!write_field(field, value, to_last ? item.last : to_mask ? item.mask : item.spec)) {
    return words.refuse(where + ' ' + std::string(parameter), value, allowed_in(field));
  }
  if (parameter == "is") {
    item.has_mask = true;
    write_prefix(field, field.bits, item.mask);
  }
}

FlowItem read_item(Words& words, FlowItemType type) {
  FlowItem item{.type = type};
  const std::string name(kItems[static_cast<size_t>(type)]);
  const std::span<const FlowField> fields = fields_of(type);
  while (words.problem.empty()) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const FlowField& f) { return f.name == words.peek(); });
    if (field == fields.end()) break;
    words.take();
    read_parameter(words, *field, name + ' ' + std::string(field->name), item);
  }
  std::vector<std::string_view> names;
  for (const FlowField& field : fields) names.push_back(field.name);
  read_slash(words, name, listed(names));
  if (words.problem.empty() && !item.has_spec && (item.has_mask || item.has_last)) {
    words.problem = name + ": has a mask, prefix or last value but no value; give one by is or spec";
  }
  return item;
}

void read_pattern(Words& words, FlowRule& rule) {
  while (words.problem.empty() && !words.take_if("end")) {
    const std::string_view word = words.take();
    const auto type = value_of<FlowItemType>(kItems, word);
    if (!type) return words.refuse("pattern", word, listed(kItems) + ", or end");
    rule.pattern.push_back(read_item(words, *type));
  }
  if (!words.problem.empty()) return;
  if (rule.pattern.empty()) words.problem = "pattern: has no item; eth matches every frame";
  const std::string_view word = words.take();
  if (word != "actions") words.refuse("flow rule", word, "actions");
}

void read_rss(Words& words, FlowAction& action) {
  while (words.problem.empty() && words.peek() != "/") {
    const std::string_view word = words.take();
    if (word == "types") {
      action.types.clear();
      while (!words.peek().empty() && words.peek() != "end" && words.peek() != "/")
        action.types.emplace_back(words.take());
      if (!words.take_if("end")) words.refuse("rss types", words.peek(), "names of RSS types, then end");
    } else if (word == "queues") {
      action.queues.clear();
      while (words.problem.empty() && !words.take_if("end")) {
        action.queues.push_back(static_cast<uint16_t>(words.number("rss queues", kMost16)));
        if (action.queues.size() > kMostQueues) words.problem = "rss queues: more than 128";
      }
    } else if (word == "func") {
      const std::string_view name = words.take();
      const auto function = value_of<RssFunction>(kFunctions, name);
      if (!function) return words.refuse("rss func", name, listed(kFunctions));
      action.function = *function;
    } else if (word == "level") {
      action.level = static_cast<uint32_t>(words.number("rss level", kMost32));
    } else {
      words.refuse("rss", word, "types ... end, queues ... end, func NAME, level N, or /");
    }
  }
}

void read_number(Words& words, const std::string& name, std::string_view parameter, uint64_t most,
                 FlowAction& action) {
  const std::string needed(parameter);
  const std::string_view word = words.take();
  if (word != parameter) return words.refuse(name, word, needed + " N");
  action.number = static_cast<uint32_t>(words.number(name + ' ' + needed, most));
}

FlowAction read_action(Words& words, FlowActionType type) {
  FlowAction action{.type = type};
  const std::string name(kActions[static_cast<size_t>(type)]);
  if (type == FlowActionType::rss) read_rss(words, action);
  if (type == FlowActionType::queue) read_number(words, name, "index", kMost16, action);
  if (type == FlowActionType::mark) read_number(words, name, "id", kMost32, action);
  read_slash(words, name, "");
  return action;
}

void read_actions(Words& words, FlowRule& rule) {
  while (words.problem.empty() && !words.take_if("end")) {
    const std::string_view word = words.take();
    const auto type = value_of<FlowActionType>(kActions, word);
    if (!type) return words.refuse("actions", word, listed(kActions) + ", or end");
    rule.actions.push_back(read_action(words, *type));
  }
  if (!words.problem.empty()) return;
  if (rule.actions.empty()) words.problem = "actions: there is none; allowed: " + listed(kActions);
  if (!words.peek().empty()) words.refuse("flow rule", words.peek(), "nothing behind the end of the actions");
}

std::string upper(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

ReadFlowRule read_flow_rule(std::string_view text) {
  Words words(text);
  ReadFlowRule read;
  read_attributes(words, read.rule);
  if (words.problem.empty()) read_pattern(words, read.rule);
  if (words.problem.empty()) read_actions(words, read.rule);
  read.problem = words.problem;
  return read;
}

std::string outline_of(const FlowRule& rule) {
  std::string text;
  for (const FlowItem& item : rule.pattern) text += upper(kItems[static_cast<size_t>(item.type)]) + ' ';
  text += "=>";
  for (const FlowAction& action : rule.actions)
    text += ' ' + upper(kActions[static_cast<size_t>(action.type)]);
  return text;
}

size_t header_bytes(FlowItemType type) {
  static constexpr std::array<size_t, static_cast<size_t>(FlowItemType::kCount)> kBytes = {14, 4, 20,
                                                                                           40, 8, 20};
  return kBytes[static_cast<size_t>(type)];
}

}  // namespace core
