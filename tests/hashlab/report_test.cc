// SPDX-License-Identifier: BSD-3-Clause
// What a report looks like as text, JSON and CSV, and how its file is written. Nothing is measured or drawn
// here.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hashlab/report_values.h"
#include "hashlab/sample_report.h"
#include "hashlab/show.h"
#include "system/program.h"

namespace {

using hashlab::Column;
using hashlab::Form;
using hashlab::Report;
using hashlab::Table;
using hashlab::Value;
using hashlab_test::kNasty;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Report with_table(std::vector<Column> columns, std::vector<std::vector<Value>> rows) {
  Report report;
  report.title = "t";
  report.tables = {{"table", "Table", std::move(columns), std::move(rows)}};
  return report;
}

TEST(ReportValue, IsWrittenByItsForm) {
  const struct {
    const char* name;
    Value value;
    Form form;
    unsigned decimals;
    const char *text, *json, *csv;
  } kRows[] = {
      {"nothing", {}, Form::count, 0, "-", "null", ""},
      {"nothing, as text", {}, Form::text, 0, "-", "null", ""},
      {"text", "jenkins", Form::text, 0, "jenkins", "\"jenkins\"", "jenkins"},
      {"text in a column of numbers", "all", Form::number, 2, "all", "\"all\"", "all"},
      {"whole number as it is", uint64_t{12345}, Form::text, 0, "12345", "12345", "12345"},
      {"real as it is", 0.25, Form::text, 3, "0.25", "0.25", "0.25"},
      {"count", uint64_t{999}, Form::count, 0, "999", "999", "999"},
      {"count of thousands", uint64_t{1000}, Form::count, 0, "1,000", "1000", "1000"},
      {"largest count", UINT64_MAX, Form::count, 0, "18,446,744,073,709,551,615", "18446744073709551615",
       "18446744073709551615"},
      {"count that is a mean", 1234.5678, Form::count, 0, "1,235", "1234.5678", "1234.5678"},
      {"number", 1.0 / 3, Form::number, 3, "0.333", "0.3333333333333333", "0.3333333333333333"},
      {"number of thousands", 1234567.891, Form::number, 2, "1,234,567.89", "1234567.891", "1234567.891"},
      {"negative", -1234.5, Form::number, 1, "-1,234.5", "-1234.5", "-1234.5"},
      {"negative of three digits", -123.4, Form::number, 1, "-123.4", "-123.4", "-123.4"},
      {"whole number with decimals", uint64_t{2}, Form::number, 2, "2.00", "2", "2"},
      {"share", 0.12345, Form::percent, 1, "12.3 %", "0.12345", "0.12345"},
      {"all", uint64_t{1}, Form::percent, 0, "100 %", "1", "1"},
      {"hash", uint64_t{0xabc}, Form::hex, 0, "0x00000abc", "\"0x00000abc\"", "0x00000abc"},
      {"wide hash", uint64_t{0x123456789}, Form::hex, 0, "0x123456789", "\"0x123456789\"", "0x123456789"},
      {"no number", kNaN, Form::number, 3, "-", "null", ""},
      {"endless", kInfinity, Form::percent, 3, "-", "null", ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(hashlab::shown(row.value, row.form, row.decimals), row.text);
    EXPECT_EQ(hashlab::json_line(hashlab::json_value(row.value, row.form)), row.json);
    const Report report = with_table({{"c", "C", row.form, row.decimals}}, {{row.value}});
    EXPECT_EQ(hashlab::csv_of(report), "c\r\n" + std::string(row.csv) + "\r\n");
  }
}

TEST(ReportText, ShowsAllPartsInTheirOrder) {
  EXPECT_EQ(hashlab::text_of(hashlab_test::sample_report()),
            R"(Spread of a,b "c" </script><b>d</b> & <!-- é?e

flows     4,096       of 12,345 packets
max/mean  1.250       ideal: 1.10 to 1.21
p-value   -
key       0x00006d5a
used      50 %
hash      jenkins     seed 0

Queues
  NIC  queue    packets   share  /mean  first bucket  state
    0      0  1,234,567  25.1 %  1.004    0x00000abc  up
    0      1         12   0.0 %  0.500    0xffffffff  a,b "c" </script><b>d</b> & <!-- é?e
    1      0          -       -      -             -  -

No row
  a

Verdict
  As even as so many flows can be.
  a,b "c" </script><b>d</b> & <!-- é?e

Notes
  Three packets were left out.

Commands for roceway's prompt
  table bucket 3 to nic1 queue 0
  show table
)");
}

TEST(ReportText, OfNothingIsItsTitle) {
  Report report;
  report.title = "Nothing";
  EXPECT_EQ(hashlab::text_of(report), "Nothing\n");
}

TEST(ReportText, LeavesNoSpaceAtTheEndOfALine) {
  const Report report =
      with_table({{"a", "a", Form::text, 0}, {"b", "b", Form::text, 0}}, {{"aa", ""}, {"", "b"}});
  EXPECT_EQ(hashlab::text_of(report), "t\n\nTable\n  a   b\n  aa\n      b\n");
}

// A character of two bytes takes one place.
TEST(ReportText, AlignsByCharacters) {
  const Report report = with_table({{"a", "a", Form::text, 0}, {"b", "b", Form::count, 0}},
                                   {{"é", uint64_t{1}}, {"eee", uint64_t{22}}});
  EXPECT_EQ(hashlab::text_of(report), "t\n\nTable\n  a     b\n  é     1\n  eee  22\n");
}

// Nothing that a name holds moves the cursor or colours the terminal.
TEST(ReportText, HasNoControlCharacters) {
  Report report = with_table({{"a", "\x1b[31m", Form::text, 0}}, {{"\x1b[2J"}, {"\r\n\t\x7f"}});
  report.commands = {"a\nquit"};
  EXPECT_EQ(hashlab::text_of(report),
            "t\n\nTable\n  ?[31m\n  ?[2J\n  ????\n\nCommands for roceway's prompt\n  a?quit\n");
}

TEST(ReportText, WrapsSentencesAt110Columns) {
  std::string sentence = "word";
  for (int i = 0; i < 60; ++i) sentence += " word";
  Report report =
      with_table({{"a", "a", Form::count, 0}, {"b", "b", Form::text, 0}}, {{uint64_t{1}, sentence}});
  report.title = sentence;
  report.facts = {{{"f", "fact", Form::count, 0}, uint64_t{1}, sentence},
                  {{"g", "text", Form::text, 0}, sentence, ""}};
  report.verdicts = report.notes = {sentence};
  report.commands = {sentence};
  const std::vector<std::string> lines = lines_of(hashlab::text_of(report));
  const auto with = [&lines](const std::string& begin) {
    return std::count_if(lines.begin(), lines.end(),
                         [&](const std::string& l) { return l.starts_with(begin); });
  };
  size_t widest = 0;
  for (size_t i = 0; i + 1 < lines.size(); ++i) widest = std::max(widest, lines[i].size());
  EXPECT_EQ(widest, 110u);  // of the second fact: its name, a gap and 21 words
  EXPECT_EQ(lines.back().size(), 2 + sentence.size()) << "a command stays one line";
  EXPECT_EQ(with("fact  1  word "), 1);
  EXPECT_EQ(with("         word "), 2) << "a remark goes on below its beginning";
  EXPECT_EQ(with("  1  word "), 1);
  EXPECT_EQ(with("     word "), 2) << "and so does the last column";
}

// Columns are as wide as their widest cell, also when that comes late.
TEST(ReportText, AlignsLongTables) {
  constexpr uint64_t kRows = 5000;
  std::vector<std::vector<Value>> rows;
  for (uint64_t i = 0; i < kRows; ++i) rows.push_back({i, i * i, "x"});
  const std::vector<std::string> lines = lines_of(hashlab::text_of(with_table(
      {{"a", "a", Form::count, 0}, {"b", "square", Form::count, 0}, {"c", "c", Form::text, 0}}, rows)));
  ASSERT_EQ(lines.size(), 4 + kRows);
  EXPECT_EQ(lines[3], "      a      square  c");
  EXPECT_EQ(lines[4], "      0           0  x");
  EXPECT_EQ(lines.back(), "  4,999  24,990,001  x");
}

TEST(ReportJson, HasEveryPartByName) {
  const std::string text = hashlab::json_of(hashlab_test::sample_report());
  const auto json = nlohmann::ordered_json::parse(text);
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 9u) << "one line a member";
  EXPECT_EQ(lines[1], "  \"command\": \"spread\",");
  EXPECT_EQ(lines[6], "  \"notes\": [\"Three packets were left out.\"],");
  EXPECT_EQ(json["title"], std::string("Spread of ") + kNasty);
  EXPECT_EQ(json["facts"].dump(),
            R"({"flows":4096,"max_over_mean":1.25,"p":null,"key":"0x00006d5a","used":0.5,"hash":"jenkins"})");
  EXPECT_EQ(json["tables"]["queues"].size(), 3u);
  EXPECT_EQ(json["tables"]["queues"][0].dump(),
            R"({"nic":0,"queue":0,"packets":1234567,"share":0.251,"over_mean":1.00416,)"
            R"("bucket":"0x00000abc","state":"up"})");
  EXPECT_EQ(json["tables"]["queues"][1]["state"], kNasty);
  EXPECT_EQ(json["tables"]["none"], nlohmann::ordered_json::array());
  EXPECT_EQ(json["verdicts"][1], kNasty);
  EXPECT_EQ(json["commands"].size(), 2u);
}

TEST(ReportJson, OfNothingHasEmptyParts) {
  EXPECT_EQ(nlohmann::ordered_json::parse(hashlab::json_of(Report{})).dump(),
            R"({"command":"","title":"","facts":{},"tables":{},"verdicts":[],"notes":[],"commands":[]})");
}

// A file name may hold any bytes; JSON may not.
TEST(ReportJson, MendsWhatIsNotUtf8) {
  Report report;
  report.title = "capture \xff.pcap";
  EXPECT_EQ(nlohmann::json::parse(hashlab::json_of(report))["title"], "capture \xef\xbf\xbd.pcap");
}

TEST(ReportCsv, QuotesWhatWouldEndAField) {
  const struct {
    const char *name, *text, *field;
  } kRows[] = {
      {"plain", "a b", "a b"},
      {"comma", "src_ip,dst_ip", "\"src_ip,dst_ip\""},
      {"quote", "a \"b\"", "\"a \"\"b\"\"\""},
      {"new line", "a\nb", "\"a\nb\""},
      {"carriage return", "a\rb", "\"a\rb\""},
      {"unicode", "é", "é"},
      {"empty", "", ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const Report report =
        with_table({{row.text, "", Form::text, 0}, {"n", "", Form::count, 0}}, {{row.text, uint64_t{1}}});
    EXPECT_EQ(hashlab::csv_of(report), std::string(row.field) + ",n\r\n" + row.field + ",1\r\n");
  }
}

TEST(ReportCsv, IsTheFirstTableAlone) {
  EXPECT_EQ(hashlab::csv_of(hashlab_test::sample_report()),
            "nic,queue,packets,share,over_mean,bucket,state\r\n"
            "0,0,1234567,0.251,1.00416,0x00000abc,up\r\n"
            "0,1,12,0.0,0.5,0xffffffff,\"a,b \"\"c\"\" </script><b>d</b> & <!-- é\ne\"\r\n"
            "1,0,,,,,\r\n");
  EXPECT_EQ(hashlab::csv_of(Report{}), "");
}

TEST(WriteFile, ReplacesAFileWhole) {
  const system_test::TempFolder folder;
  const std::filesystem::path file = folder.path() / "page.html", link = folder.path() / "link.html";
  std::filesystem::create_symlink(file, link);
  const std::string content("a\0\r\n\xff", 5);
  hashlab::write_file(file, "something longer than what comes");
  hashlab::write_file(link, content);
  EXPECT_EQ(content_of(file), content);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2)
      << "nothing is left behind";
}

// As a device: it is written to, and stays what it is.
TEST(WriteFile, WritesIntoAPipe) {
  const system_test::TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  hashlab::write_file(pipe, "text");
  char got[5] = "";
  EXPECT_EQ(read(reader, got, 4), 4);
  close(reader);
  EXPECT_STREQ(got, "text");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(WriteFile, NamesTheFileThatItCannotWrite) {
  const system_test::TempFolder folder;
  const struct {
    const char* name;
    std::string file, why;
  } kRows[] = {
      {"folder that is not there", folder.path() / "none" / "page.html", "No such file or directory"},
      {"folder", folder.path(), "Is a directory"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    try {
      hashlab::write_file(row.file, "text");
      ADD_FAILURE() << "it was written";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), row.file + ": " + row.why);
    }
  }
}

TEST(WriteFile, LeavesNothingBehindWhenThereIsNoRoom) {
  const system_test::TempFolder folder;
  const std::filesystem::path file = folder.path() / "page.html";
  hashlab::write_file(file, "old");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(hashlab::write_file(file, std::string(1001, 'x')), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(content_of(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
