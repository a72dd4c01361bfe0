// SPDX-License-Identifier: BSD-3-Clause
// Section dumps: DPDK's own state. Control thread.
#include "console/console.h"
#include "pmd_glue/dumps.h"

namespace console {
namespace {

template <std::string (*kDump)()>
Answer dump(Console&, const Arguments&) {
  return Answer::say(kDump());
}

template <glue::Outcome<std::string> (*kDump)(const std::string&)>
Answer dump_named(Console&, const Arguments& arguments) {
  const auto text = kDump(arguments.text("name"));
  return text ? Answer::say(text.value) : Answer::refuse(*text.problem);
}

}  // namespace

std::vector<Command> dump_commands() {
  constexpr Effect kShows = Effect::shows;
  return {
      {"dumps", "dump_physmem", "Show DPDK's memory segments.", kShows, dump<glue::dump_physmem>},
      {"dumps", "dump_memzone", "Show DPDK's memory zones.", kShows, dump<glue::dump_memzone>},
      {"dumps", "dump_struct_sizes", "Show the sizes of DPDK's structures.", kShows,
       dump<glue::dump_struct_sizes>},
      {"dumps", "dump_mempool", "Show all mempools.", kShows, dump_named<glue::dump_mempool>},
      {"dumps", "dump_mempool <name>", "Show one mempool.", kShows, dump_named<glue::dump_mempool>},
      {"dumps", "dump_ring", "Show all rings.", kShows, dump_named<glue::dump_ring>},
      {"dumps", "dump_ring <name>", "Show one ring.", kShows, dump_named<glue::dump_ring>},
      {"dumps", "dump_devargs", "Show the devices that EAL was asked for.", kShows, dump<glue::dump_devargs>},
      {"dumps", "dump_log_types", "Show log types and their levels.", kShows, dump<glue::dump_log_types>},
  };
}

}  // namespace console
