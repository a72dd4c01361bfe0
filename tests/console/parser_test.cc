// SPDX-License-Identifier: BSD-3-Clause
// From lines to commands: what is understood, and what is told of lines that are not.
#include "console/parser.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "console/small_table.h"

namespace {

using console::Command;
using console::Parsed;
using console::Parser;
using console_test::small_parser;

TEST(Parser, UnderstandsLines) {
  const std::string word(126, 'w'), rest = "a  b\tc=" + std::string(3000, 'x');
  const struct {
    std::string line, syntax;
    std::map<std::string, std::string> arguments = {};
    std::map<std::string, uint64_t> numbers = {};
    bool json = false;
  } rows[] = {
      {"help", "help"},
      {"  help \t ", "help"},
      {"help # and more", "help"},
      {"help\r", "help"},
      {"help " + word, "help <section>", {{"section", word}}},
      {"start", "start"},
      {"start tx_first", "start tx_first"},
      {"start\ttx_first 512", "start tx_first <n:number(1,512)>", {{"n", "512"}}, {{"n", 512}}},
      {"show port info all", "show port info <port:ports>", {{"port", "all"}}},
      {"show port info net_ring0 --json", "show port info <port:ports>", {{"port", "net_ring0"}}, {}, true},
      {"show port info 0 --json # x", "show port info <port:ports>", {{"port", "0"}}, {}, true},
      {"show port 0 rss reta", "show port <port:port> rss reta", {{"port", "0"}}},
      {"show txq info 0 0x10",
       "show rxq|txq info <port:port> <queue:number(0,1023)>",
       {{"rxq|txq", "txq"}, {"port", "0"}, {"queue", "0x10"}},
       {{"queue", 16}}},
      {"set promisc all off", "set promisc <port:ports> <state:onoff>", {{"state", "off"}}},
      {"set coremask ff", "set coremask <mask:hex>", {{"mask", "ff"}}, {{"mask", 255}}},
      {"set coremask 0xffffffffffffffff", "set coremask <mask:hex>", {}, {{"mask", UINT64_MAX}}},
      {"set corelist 1-4,7", "set corelist <lcores:numbers>", {{"lcores", "1-4,7"}}},
      {"set eth-peer 1 02:00:00:00:00:fE",
       "set eth-peer <port:port> <mac:mac>",
       {{"mac", "02:00:00:00:00:fE"}}},
      {"set seed 18446744073709551615", "set seed <seed:number>", {}, {{"seed", UINT64_MAX}}},
      {"set note " + rest + "  ", "set note <text...>", {{"text", rest}}},
      {"set note \"a # b\" 'c#' # d", "set note <text...>", {{"text", "\"a # b\" 'c#'"}}},
      {"set note caf\xc3\xa9", "set note <text...>", {{"text", "caf\xc3\xa9"}}},
      {"set note " + std::string(4086, 'x'), "set note <text...>", {{"text", std::string(4086, 'x')}}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line.substr(0, 60));
    const Parsed parsed = small_parser().parse(row.line);
    EXPECT_EQ(parsed.problem, "");
    ASSERT_NE(parsed.command, nullptr);
    EXPECT_EQ(parsed.command->syntax, row.syntax);
    EXPECT_EQ(parsed.json, row.json);
    for (const auto& [name, text] : row.arguments) EXPECT_EQ(parsed.arguments.text(name), text) << name;
    for (const auto& [name, number] : row.numbers) EXPECT_EQ(parsed.arguments.number(name), number) << name;
  }
}

TEST(Parser, HasNothingToRun) {
  for (const std::string line : {"", " ", "\t \r", "# comment", "   # comment --json", "\r"}) {
    const Parsed parsed = small_parser().parse(line);
    EXPECT_EQ(parsed.command, nullptr);
    EXPECT_EQ(parsed.problem, "") << line;
  }
}

TEST(Parser, TellsWhatIsWrong) {
  const std::string most(4096, 'x');
  const struct {
    std::string line, problem;
  } rows[] = {
      {"shwo port", R"("shwo": unknown command; did you mean show? "help" tells them all)"},
      {"s", R"("s": unknown command; did you mean start, show, set? "help" tells them all)"},
      {"zzz", R"("zzz": unknown command; "help" tells them all)"},
      {"show port inof 0",
       "\"show port\": found \"inof\" behind it; allowed: info, stats, <port:port>; did you mean "
       "info?\n  show port info <port:ports>\n  show port stats <port:ports>\n  show port "
       "<port:port> rss reta"},
      {"show",
       "\"show\": not complete; next: port, rxq, txq\n  show port info <port:ports>\n  show port stats "
       "<port:ports>\n  show port <port:port> rss reta\n  show rxq|txq info <port:port> "
       "<queue:number(0,1023)>"},
      {"set burst", "\"set burst\": not complete; next: <n:number(1,512)>\n  set burst <n:number(1,512)>"},
      {"set burst 0", R"(n: found "0"; allowed: a whole number 1 to 512)"},
      {"set burst 513", R"(n: found "513"; allowed: a whole number 1 to 512)"},
      {"set burst -1", R"(n: found "-1"; allowed: a whole number 1 to 512)"},
      {"set burst 1.5", R"(n: found "1.5"; allowed: a whole number 1 to 512)"},
      {"set burst 99999999999999999999999",
       R"(n: found "99999999999999999999999"; allowed: a whole number 1 to 512)"},
      {"set seed x", R"(seed: found "x"; allowed: a whole number)"},
      {"set coremask 0x",
       R"(mask: found "0x"; allowed: a hexadecimal number of up to 16 digits, as in 0x1f)"},
      {"set corelist 4-1", R"(lcores: found "4-1"; allowed: whole numbers, as in 0,2,5 or 1-4)"},
      {"set corelist 1,", R"(lcores: found "1,"; allowed: whole numbers, as in 0,2,5 or 1-4)"},
      {"set eth-peer 0 02:00:00:00:00",
       R"(mac: found "02:00:00:00:00"; allowed: a MAC address, as in 02:00:00:00:00:01)"},
      {"set promisc 0 maybe",
       "\"set promisc 0\": found \"maybe\" behind it; allowed: on, off\n  set promisc "
       "<port:ports> <state:onoff>"},
      {"quit now", "\"quit\": found \"now\" behind it; allowed: nothing more\n  quit"},
      {"start tx_firts",
       "\"start\": found \"tx_firts\" behind it; allowed: tx_first, or nothing more; did you mean "
       "tx_first?\n  start\n  start tx_first\n  start tx_first <n:number(1,512)>"},
      {"set vlan 1", "set vlan: not here; VLANs are set on the switch"},
      {"pair twin twin",
       "\"pair twin twin\": ambiguous, it reads as each of\n  pair <left> twin\n  pair twin <right>"},
      {"many",
       "\"many\": not complete; next: a, b, c, d, e, f, g, h, i\n  many a <x>\n  many b <x>\n  many c <x>\n  "
       "many d <x>\n  many e <x>\n  many f <x>\n  many g <x>\n  many h <x>\n  and 1 more: help more"},
      {"help " + std::string(127, 'w'),
       "\"help\": found a word of 127 bytes behind it; allowed: up to 126\n  help\n  help <section>"},
      {"--json", "--json: belongs behind a command, as in: show port info all --json"},
      {most, "line of 4,096 bytes; allowed: up to 4,095"},
      {std::string(1 << 20, ' '), "line of 1,048,576 bytes; allowed: up to 4,095"},
      {std::string("he\0lp", 5), "found control character 0x00 at byte 3; allowed: text, blanks and tabs"},
      {"help\rquit", "found control character 0x0d at byte 5; allowed: text, blanks and tabs"},
      {"help\nquit", "found control character 0x0a at byte 5; allowed: text, blanks and tabs"},
      {"\x1b[2J", "found control character 0x1b at byte 1; allowed: text, blanks and tabs"},
      {"help \xc2\x9b"
       "2J",
       "found control character 0xc2 at byte 6; allowed: text, blanks and tabs"},
      {"help \xff", "found 0xff at byte 6, which is not UTF-8; allowed: UTF-8 text"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line.substr(0, 60));
    const Parsed parsed = small_parser().parse(row.line);
    EXPECT_EQ(parsed.command, nullptr);
    EXPECT_EQ(parsed.problem, row.problem);
  }
}

TEST(Parser, RefusesRowsThatAreWrittenWrongly) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "command \"\": does not begin with a word of its own"},
      {"<x>", "command \"<x>\": does not begin with a word of its own"},
      {"a <x...> b", "command \"a <x...> b\": <x...> is not the last word"},
      {"a <x:nonsense>", "command \"a <x:nonsense>\": <x:nonsense> has an unknown type"},
      {"a <x:number(1)>", "command \"a <x:number(1)>\": <x:number(1)> has no limits"},
      {"a <x:number(2,1)>", "command \"a <x:number(2,1)>\": <x:number(2,1)> has no limits"},
      {"a <x", "command \"a <x\": <x lacks a name or its >"},
      {[] {
         std::string many = "a";
         for (int i = 0; i < 64; ++i) many += " b";
         return many;
       }(),
       "has too many words"},
  };
  for (const auto& [syntax, why] : rows) {
    const Command table[] = {{"s", syntax, "h", console::Effect::shows, console_test::no_handler}};
    try {
      const Parser parser(table);
      ADD_FAILURE() << syntax;
    } catch (const std::logic_error& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
}

TEST(Parser, IsUsedByManyThreads) {
  std::vector<std::thread> threads;
  std::vector<unsigned> right(4);
  for (unsigned t = 0; t < right.size(); ++t) {
    threads.emplace_back([t, &right] {
      for (unsigned n = 1; n <= 512; ++n) {
        const Parsed parsed = small_parser().parse("set burst " + std::to_string(n));
        right[t] += parsed.command != nullptr && parsed.arguments.number("n") == n;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<unsigned>(right.size(), 512));
}

}  // namespace
