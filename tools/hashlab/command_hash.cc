// SPDX-License-Identifier: BSD-3-Clause
// Command hash: known answers, the hash of bytes that the user gives. Main thread.
#include <algorithm>

#include "hashlab/command.h"
#include "hashlab/hash_bytes.h"
#include "hashlab/options.h"
#include "hashlab/tuple.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

constexpr std::array<std::string_view, 5> kAlgorithms = {"jenkins", "crc32c", "crc32c-rfc", "toeplitz",
                                                         "bond-l34"};
constexpr std::array<std::string_view, 3> kSeeded = {"jenkins", "crc32c", "crc32c-rfc"};
constexpr std::array<std::string_view, 3> kKeys = {"microsoft", "mlx5", "symmetric"};

void add_options(OptionList& add) {
  add("hex", "the bytes, two digits each; 0x in front, blanks and colons between are passed over",
      std::nullopt, "BYTES");
  add("text", "the bytes as text", std::nullopt, "STRING");
  add("algo", listed(kAlgorithms) + "; else all of them", std::nullopt, "NAME");
  add("key", "of toeplitz: " + listed(kKeys) + "; else all of them", std::nullopt, "NAME");
  add("seed", "of jenkins, crc32c and crc32c-rfc; decimal or 0x", "0", "N");
  add("proto", "of bond-l34: udp, tcp or a number; others have no ports", "udp", "PROTO");
}

std::vector<uint8_t> bytes_of(const Given& given) {
  const std::vector<std::string> words = given.words();
  if (!words.empty()) throw BadInput(words.front() + ": write --hex " + words.front() + " or --text");
  if (given.has("hex") == given.has("text")) throw BadInput("--hex BYTES or --text STRING: one of the two");
  if (given.has("hex")) return bytes_of_hex("--hex", given.text("hex"));
  const std::string text = given.text("text");
  return {text.begin(), text.end()};
}

// What to compute, in the order of all_hashes. What cannot be is left out when nobody asked for it by name.
std::vector<HashChoice> choices_of(const Given& given, size_t bytes) {
  const bool one = given.has("algo");
  const std::string algorithm = one ? std::string(kAlgorithms[given.one_of("algo", kAlgorithms)]) : "";
  const std::string key = given.has("key") ? std::string(kKeys[given.one_of("key", kKeys)]) : "";
  if (one && !key.empty() && algorithm != "toeplitz")
    throw BadInput("--key " + key + ": only of --algo toeplitz");
  if (one && given.has("seed") && std::ranges::find(kSeeded, algorithm) == kSeeded.end())
    throw BadInput("--seed " + given.text("seed") + ": only of --algo " + listed(kSeeded));
  if (one && given.has("proto") && algorithm != "bond-l34")
    throw BadInput("--proto " + given.text("proto") + ": only of --algo bond-l34");
  const auto seed = static_cast<uint32_t>(given.number("seed", 0, UINT32_MAX));
  std::vector<HashChoice> choices;
  for (HashChoice choice : all_hashes()) {
    const std::string_view name = core::name_of(choice.algorithm);
    const bool wanted = one ? name == algorithm : std::ranges::find(kAlgorithms, name) != kAlgorithms.end();
    const bool other_key =
        choice.algorithm == core::HashAlgorithm::toeplitz && !key.empty() && core::name_of(choice.key) != key;
    const bool possible = one || choice.algorithm != core::HashAlgorithm::bond_l34 || is_front(bytes);
    if (!wanted || other_key || !possible) continue;
    choice.seed = core::takes_seed(choice.algorithm) ? seed : 0;
    choices.push_back(choice);
  }
  return choices;
}

Report run(const Given& given) {
  const std::vector<uint8_t> bytes = bytes_of(given);
  const uint8_t proto = proto_of("--proto", given.text("proto"));
  Report report{.command = "hash", .title = "Hashes of " + counted(bytes.size(), "byte")};
  report.facts = {{{"bytes", "bytes"}, hex_of(bytes), ""}};
  Table table{
      "hashes",
      "Hashes",
      {{"hash", "hash"}, {"seed", "seed", Form::hex}, {"word", "word", Form::hex}, {"decimal", "decimal"}},
      {}};
  for (const HashChoice& choice : choices_of(given, bytes.size())) {
    const uint64_t word = hash_of_bytes(choice, bytes, proto);
    const Value seed = core::takes_seed(choice.algorithm) ? Value(uint64_t{choice.seed}) : Value();
    table.rows.push_back({name_of(choice), seed, word, std::to_string(word)});
  }
  report.tables.push_back(std::move(table));
  if (!given.has("algo") && !is_front(bytes.size()))
    report.notes.push_back("bond-l34 is left out: it takes 12 bytes (IPv4) or 36 (IPv6)");
  return report;
}

}  // namespace

const Command kHash = {
    "hash",
    "Known answers: the hash of bytes that you give, to check other code against.",
    "--hex BYTES | --text STRING",
    "  roceway-hashlab hash --hex c0000201c6336402271012b7\n"
    "  roceway-hashlab hash --algo jenkins --seed 1 --text \"Four score and seven years ago\"\n"
    "  roceway-hashlab hash --algo toeplitz --key mlx5 --hex \"c0 00 02 01 c6 33 64 02\"\n",
    add_options,
    run};

}  // namespace hashlab
