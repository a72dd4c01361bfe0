// SPDX-License-Identifier: BSD-3-Clause
// The notes taken while one settings file is read: at which line everything stands and what is wrong with it,
// so that all problems can be told at once, in the file's order. Used by control/settings_file and
// settings_keys, on the control thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "control/toml.h"
#include "core/settings.h"

namespace control {

// One file being read. Keys are named as in core::Problem: "engine.burst", "port[1].mtu", "engine.lcores[0]".
class Reading {
 public:
  explicit Reading(std::string file_name) : file_name_(std::move(file_name)) {}

  // Every table, key and list entry is seen before anything is said of it.
  void see(const std::string& where, const toml::node& node) { lines_[where] = node.source().begin.line; }
  void refuse(const std::string& where, const std::string& what);
  // `where` is the table, `meant` the key in it that the user most likely meant: that one is not missing
  // then.
  void refuse_unknown(unsigned line, const std::string& where, const std::string& what,
                      const std::string& meant);
  // A key that the file leaves out, unless a misspelt one most likely stands for it.
  void refuse_missing(const std::string& where, const std::string& what);
  void refuse_line(unsigned line, const std::string& what);  // 0: no line
  // What validate() says, unless it only follows from something that was refused: the default then stands
  // there.
  void add(const core::Problem& problem);
  void warn(const core::Problem& warning);

  // Problems that were found after the reading, told as those that were found in it.
  std::vector<std::string> placed(const std::vector<core::Problem>& problems) const;

  std::vector<std::string> problems() const { return in_order(problems_); }
  std::vector<std::string> warnings() const { return in_order(warnings_); }

 private:
  struct Remark {
    unsigned line = 0;
    std::string text;
  };

  unsigned line_of(std::string where) const;  // its own, else that of the table it stands in, else 0
  bool refused(std::string where) const;      // itself or something that it stands in
  bool follows_from_refused(const std::string& where) const;
  bool refused_entry_of(const std::string& list) const;
  bool refused_in_a_port(const std::string& key) const;  // of any port
  std::vector<std::string> in_order(std::vector<Remark> remarks) const;

  std::string file_name_;
  std::map<std::string, unsigned> lines_;
  std::set<std::string> refused_;
  std::set<std::string> meant_;  // keys that a misspelt one most likely stands for
  std::vector<Remark> problems_;
  std::vector<Remark> warnings_;
};

}  // namespace control
