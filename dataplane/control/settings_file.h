// SPDX-License-Identifier: BSD-3-Clause
// Reads a settings file (TOML 1.0) into core::Settings and says everything that is wrong with it, one line
// each, in the order of the file:
//   four_nic.toml:12: port[1].mtu: found 70000; allowed 68 to 9702
// Called by main and by commands on the control thread. Keys, ranges and defaults: docs/guide.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings.h"

namespace control {

// When there are problems, `settings` must not be used: nothing of a file is half taken.
struct LoadedSettings {
  core::Settings settings;
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
  // Tells problems that are found later, each with its line where there is a file.
  std::function<std::vector<std::string>(const std::vector<core::Problem>&)> placed = core::texts_of;
};

// At most 1 MiB is read. `path` may be a pipe.
// `command_line` changes what was read before it is judged: it wins over the file.
using Override = std::function<void(core::Settings&)>;
LoadedSettings load_settings_file(const std::string& path, const Override& command_line = {});
// `name` is what problems begin with.
LoadedSettings parse_settings(std::string_view text, const std::string& name,
                              const Override& command_line = {});

// Why a file that is there is not one of settings: it cannot be read, is not TOML, has keys that there are
// not. Nothing when it is one, or empty; whether its settings suit each other is not asked.
std::optional<std::string> why_no_settings_file(const std::string& path);

// These settings with one key set, as the user types it in a command: `value` is TOML, or a bare word or list
// of words that mean strings ("jenkins", "src_ip,dst_ip"). `table` is [engine], [failover], [distribution] or
// [flowgen]; with `port`, the key is that port's. A problem instead when it cannot be read; the result may
// still be invalid.
struct EditedSettings {
  core::Settings settings;
  std::string problem;
};
EditedSettings with_key(const core::Settings& settings, const std::string& table, const std::string& key,
                        const std::string& value);
EditedSettings with_port_key(const core::Settings& settings, size_t port, const std::string& key,
                             const std::string& value);

}  // namespace control
