// SPDX-License-Identifier: BSD-3-Clause
// Names of hashes and fields, and how many keys a choice of fields makes of a traffic; see hashing.h. The
// count runs on all CPUs.
#include "hashlab/hashing.h"

#include <algorithm>
#include <functional>
#include <span>

#include "hashlab/bad_input.h"

namespace hashlab {
namespace {

constexpr std::string_view kSymmetric = "symmetric";

std::string with_commas(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void refuse_word(const char* what, std::string_view word,
                              const std::vector<std::string>& allowed) {
  throw BadInput(std::string(what) + " " + (word.empty() ? "\"\"" : std::string(word)) +
                 ": unknown; allowed: " + with_commas(allowed));
}

bool choose(core::KeyFields& fields, std::string_view word) {
  if (word == kSymmetric) return fields.symmetric = true;
  for (const core::KeyFieldName& field : core::kKeyFieldNames) {
    if (field.name == word) return fields.*field.chosen = true;
  }
  return false;
}

std::vector<std::string> field_words() {
  std::vector<std::string> words;
  for (const core::KeyFieldName& field : core::kKeyFieldNames) words.emplace_back(field.name);
  words.emplace_back(kSymmetric);
  return words;
}

}  // namespace

std::string name_of(const HashChoice& choice) {
  std::string name(core::name_of(choice.algorithm));
  if (choice.algorithm == core::HashAlgorithm::toeplitz) name += "-" + std::string(core::name_of(choice.key));
  return name;
}

HashChoice hash_choice_of(std::string_view name) {
  std::vector<std::string> names;
  for (const HashChoice& choice : all_hashes()) {
    names.push_back(name_of(choice));
    const bool without_key =
        choice.key == core::ToeplitzKey::microsoft && name == core::name_of(choice.algorithm);
    if (names.back() == name || without_key) return choice;
  }
  refuse_word("hash", name, names);
}

std::vector<HashChoice> all_hashes() {
  using core::HashAlgorithm;
  using core::ToeplitzKey;
  const auto toeplitz = [](ToeplitzKey key) { return HashChoice{HashAlgorithm::toeplitz, key}; };
  return {{HashAlgorithm::jenkins},         {HashAlgorithm::crc32c},     {HashAlgorithm::crc32c_rfc},
          toeplitz(ToeplitzKey::microsoft), toeplitz(ToeplitzKey::mlx5), toeplitz(ToeplitzKey::symmetric),
          {HashAlgorithm::bond_l2},         {HashAlgorithm::bond_l23},   {HashAlgorithm::bond_l34}};
}

core::KeyFields key_fields_of(std::string_view names) {
  core::KeyFields fields;
  for (const core::KeyFieldName& field : core::kKeyFieldNames) fields.*field.chosen = false;
  for (size_t start = 0; start <= names.size();) {
    const size_t comma = std::min(names.find(',', start), names.size());
    const std::string_view word = names.substr(start, comma - start);
    if (!choose(fields, word)) refuse_word("field", word, field_words());
    start = comma + 1;
  }
  const bool some = std::any_of(core::kKeyFieldNames.begin(), core::kKeyFieldNames.end(),
                                [&](const core::KeyFieldName& field) { return fields.*field.chosen; });
  if (!some) throw BadInput("field " + std::string(names) + ": needs another beside it, say src_ip,dst_ip");
  return fields;
}

uint64_t wide_hash(const core::FlowKey& key) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.bytes), key.size});
}

std::string name_of(const core::KeyFields& fields) {
  std::string name;
  const auto add = [&name](std::string_view word) { name += (name.empty() ? "" : ",") + std::string(word); };
  for (const core::KeyFieldName& field : core::kKeyFieldNames) {
    if (fields.*field.chosen) add(field.name);
  }
  if (fields.symmetric) add(kSymmetric);
  return name;
}

std::vector<core::KeyFields> usual_fields() {
  std::vector<core::KeyFields> all;
  for (const char* names :
       {"src_ip,dst_ip", "src_port,dst_port", "src_ip,dst_ip,src_port,dst_port",
        "src_ip,dst_ip,src_port,dst_port,proto", "src_ip,dst_ip,src_port,dst_port,dest_qp",
        "src_ip,dst_ip,src_port,dst_port,symmetric"})
    all.push_back(key_fields_of(names));
  return all;
}

}  // namespace hashlab
