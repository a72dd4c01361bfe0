// SPDX-License-Identifier: BSD-3-Clause
// A report with every kind of part, form and value, and with text that would break a page or a table that
// does not expect it. Used by the tests of what shows reports.
#pragma once

#include <string>
#include <vector>

#include "hashlab/report.h"

namespace hashlab_test {

using hashlab::Form;
using hashlab::Value;

inline constexpr const char* kNasty = "a,b \"c\" </script><b>d</b> & <!-- é\ne";

inline hashlab::Table queues_table() {
  return {"queues",
          "Queues",
          {{"nic", "NIC", Form::count, 0},
           {"queue", "queue", Form::count, 0},
           {"packets", "packets", Form::count, 0},
           {"share", "share", Form::percent, 1},
           {"over_mean", "/mean", Form::number, 3},
           {"bucket", "first bucket", Form::hex, 0},
           {"state", "state", Form::text, 0}},
          {{uint64_t{0}, uint64_t{0}, uint64_t{1234567}, 0.251, 1.00416, uint64_t{0xabc}, "up"},
           {uint64_t{0}, uint64_t{1}, uint64_t{12}, 0.0, 0.5, uint64_t{0xffffffff}, kNasty},
           {uint64_t{1}, uint64_t{0}, {}, {}, {}, {}, {}}}};
}

inline hashlab::Bars bars() {
  return {"Packets by queue",
          "packets",
          {"0/0", "0/1", "1/0", "1/1"},
          {{"jenkins", {104, 95, 110, 91}}, {kNasty, {200, 0, 200, 0}}},
          {86, 86, 86, 86},
          {115, 115, 115, 115},
          "5 to 95 % of ideal draws"};
}

inline hashlab::Histogram histogram() {
  return {"max/mean over 1,000 seeds",
          "max/mean",
          {1.0, 1.05, 1.1, 1.2, 1.4},
          {{"jenkins", {10, 480, 500, 10}}, {"crc32c", {0, 600, 1200, 200}}},
          1.27,
          "seed 0"};
}

inline hashlab::HeatMap heat_map() {
  return {"max/mean by hash and fields",
          "hash",
          "fields",
          {"jenkins", "bond-l34"},
          {"src_ip,dst_ip", "src_port,dst_port", "all"},
          {{1.02, 1.1, 1.05}, {uint64_t{4}, {}, 1.5}},
          Form::number,
          2,
          1,
          2};
}

inline hashlab::Report sample_report() {
  hashlab::Report report;
  report.command = "spread";
  report.title = std::string("Spread of ") + kNasty;
  report.facts = {{{"flows", "flows", Form::count, 0}, uint64_t{4096}, "of 12,345 packets"},
                  {{"max_over_mean", "max/mean", Form::number, 3}, 1.25, "ideal: 1.10 to 1.21"},
                  {{"p", "p-value", Form::number, 4}, {}, ""},
                  {{"key", "key", Form::hex, 0}, uint64_t{0x6d5a}, ""},
                  {{"used", "used", Form::percent, 0}, 0.5, ""},
                  {{"hash", "hash", Form::text, 0}, "jenkins", "seed 0"}};
  report.tables = {queues_table(), {"none", "No row", {{"a", "a", Form::text, 0}}, {}}};
  report.plots = {bars(), histogram(), heat_map()};
  report.verdicts = {"As even as so many flows can be.", kNasty};
  report.notes = {"Three packets were left out."};
  report.commands = {"table bucket 3 to nic1 queue 0", "show table"};
  return report;
}

}  // namespace hashlab_test
