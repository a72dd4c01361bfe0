// SPDX-License-Identifier: BSD-3-Clause
// The command line: numbers, lists, names; each refusal says what, where and what is allowed.
#include "hashlab/given.h"

#include <gtest/gtest.h>

#include <array>

#include "hashlab/run_command.h"

namespace {

using namespace hashlab;
using test_support::refusal_of;

OptionList options() {
  OptionList list;
  list("size", "a number", "7", "N");
  list("share", "a part", "0.5", "SHARE");
  list("names", "a list", "", "LIST");
  list("kind", "one of some", std::nullopt, "KIND");
  list.flag("loud", "a flag");
  return list;
}

Given given(const std::vector<std::string>& arguments) {
  return Given(options(), arguments);
}

TEST(Given, DefaultsStandWhereNothingIsGiven) {
  const Given none = given({});
  EXPECT_EQ(none.number("size", 0, 10), 7u);
  EXPECT_EQ(none.real("share", 0, 1), 0.5);
  EXPECT_EQ(none.list("names"), std::vector<std::string>{});
  EXPECT_FALSE(none.has("size"));
  EXPECT_FALSE(none.flag("loud"));
  EXPECT_EQ(none.words(), std::vector<std::string>{});
}

TEST(Given, ReadsWhatIsGiven) {
  const Given some = given({"in.pcap", "--size", "0x10", "--loud", "--names=a,b,,c", "more"});
  EXPECT_EQ(some.number("size", 0, 100), 16u);
  EXPECT_TRUE(some.has("size"));
  EXPECT_TRUE(some.flag("loud"));
  EXPECT_EQ(some.list("names"), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(some.words(), (std::vector<std::string>{"in.pcap", "more"}));
}

struct Number {
  const char* text;
  uint64_t value;  // when it is taken
  const char* refused;
};

TEST(Given, WholeNumbers) {
  const Number rows[] = {
      {"0", 0, ""},
      {"10M", 10'000'000, ""},
      {"3k", 3000, ""},
      {"1G", 1'000'000'000, ""},
      {"0xff", 255, ""},
      {"10001M", 0, "--size 10001M: out of range; allowed: 0 to 10000000000"},
      {"99999999999999999999", 0, "--size 99999999999999999999: out of range; allowed: 0 to 10000000000"},
      {"18446744073709551615G", 0, "--size 18446744073709551615G: out of range; allowed: 0 to 10000000000"},
      {"", 0, "--size \"\": not a whole number; allowed: 0 to 10000000000"},
      {"1.5", 0, "--size 1.5: not a whole number; allowed: 0 to 10000000000"},
      {"0xffM", 0, "--size 0xffM: not a whole number; allowed: 0 to 10000000000"},
      {"-1", 0, "--size -1: out of range; allowed: 0 to 10000000000"},
      {"-", 0, "--size -: not a whole number; allowed: 0 to 10000000000"},
      {"-x", 0, "--size -x: not a whole number; allowed: 0 to 10000000000"},
      {"12x", 0, "--size 12x: not a whole number; allowed: 0 to 10000000000"},
  };
  for (const Number& row : rows) {
    SCOPED_TRACE(row.text);
    const Given one = given({std::string("--size=") + row.text});
    uint64_t value = 0;
    const std::string refused = refusal_of([&] { value = one.number("size", 0, 10'000'000'000); });
    EXPECT_EQ(refused, *row.refused == '\0' ? "taken" : row.refused);
    EXPECT_EQ(value, row.value);
  }
}

TEST(Given, RefusesInWords) {
  constexpr std::array<std::string_view, 3> kKinds = {"red", "green", "blue"};
  EXPECT_EQ(given({"--kind", "green"}).one_of("kind", kKinds), 1u);
  EXPECT_EQ(refusal_of([&] {
              given({"--kind", "pink"}).one_of("kind", kKinds);
            }),
            "--kind pink: unknown; allowed: red, green or blue");
  EXPECT_EQ(refusal_of([&] {
              given({"--share", "2"}).real("share", 0, 1);
            }),
            "--share 2: out of range; allowed: 0 to 1");
  EXPECT_EQ(refusal_of([&] {
              given({"--share", "nan"}).real("share", 0, 1);
            }),
            "--share nan: not a number; allowed: 0 to 1");
  EXPECT_EQ(refusal_of([&] {
              given({"--size", "1", "--size", "2"});
            }),
            "--size: given 2 times; once is allowed");
  EXPECT_NE(refusal_of([&] { given({"--nosuch"}); }).find("--help lists the options"), std::string::npos);
}

}  // namespace
