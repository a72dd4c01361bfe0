// SPDX-License-Identifier: BSD-3-Clause
// Settings as TOML; see settings_text.h. Control thread.
#include "control/settings_text.h"

#include <string_view>
#include <vector>

#include "control/settings_keys.h"

namespace control {
namespace {

class Writer {
 public:
  Writer(const core::Settings& settings, bool all) : settings_(settings), all_(all) {}

  template <class Table>
  void table(std::string_view name, Table core::Settings::*member, const std::vector<Key<Table>>& keys) {
    const std::string lines = lines_of(settings_.*member, keys);
    if (!lines.empty()) add('[' + std::string(name) + "]\n" + lines);
  }

  template <class Table>
  void list(std::string_view name, std::vector<Table> core::Settings::*member,
            const std::vector<Key<Table>>& keys) {
    for (const Table& entry : settings_.*member)
      add("[[" + std::string(name) + "]]\n" + lines_of(entry, keys));
  }

  std::string take() { return std::move(text_); }

 private:
  void add(const std::string& part) { text_ += (text_.empty() ? "" : "\n") + part; }

  template <class Table>
  std::string lines_of(const Table& table, const std::vector<Key<Table>>& keys) const {
    const Table defaults{};
    std::string lines;
    for (const Key<Table>& key : keys) {
      const std::string text = key.text(table);
      if (text.empty() || (!all_ && !key.needed && text == key.text(defaults))) continue;
      lines += std::string(key.name) + " = " + text + "\n";
    }
    return lines;
  }

  const core::Settings& settings_;
  const bool all_;
  std::string text_;
};

}  // namespace

std::string settings_text(const core::Settings& settings, bool all) {
  Writer writer(settings, all);
  visit_tables(writer);
  return writer.take();
}

}  // namespace control
