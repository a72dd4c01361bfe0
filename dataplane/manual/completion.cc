// SPDX-License-Identifier: BSD-3-Clause
// Rows to a shell function; see completion.h.
#include "manual/completion.h"

#include <string_view>

#include "console/console.h"
#include "console/syntax.h"
#include "control/cli_options.h"

namespace manual {
namespace {

// A row for the shell: choices as they are, "@" for a file, "*" for any other argument.
std::string pattern_of(const console::Command& command) {
  std::string text;
  for (const console::SyntaxWord& word : console::read_row(command).words) {
    const bool choice = word.type == console::SyntaxWord::Type::choice;
    text += (text.empty() ? "" : " ") + (choice ? word.shown : std::string(word.name == "file" ? "@" : "*"));
  }
  return text;
}

// The words of an option whose help ends in a list of them: "which port packets leave by: paired, chained".
std::string words_in(std::string_view help) {
  const size_t colon = help.find(": ");
  std::string words(colon == std::string_view::npos ? "" : help.substr(colon + 2));
  std::erase(words, ',');
  return words;
}

std::string value_of(const control::Option& option) {
  if (option.value == "FILE" || option.value == "PATH") return "@";
  if (option.value == "MODE" || option.value == "WORD") return words_in(option.help);
  return option.value.empty() ? "" : "*";
}

// A line for each option: its dashed names, "=", what may stand behind it.
std::string options() {
  std::string lines;
  for (const control::Option& option : control::cli_options()) {
    std::string name;
    for (const char c : std::string(option.names) + ',') {
      if (c != ',') {
        name += c;
        continue;
      }
      lines += (name.size() == 1 ? "-" : "--") + name + "=" + value_of(option) + "\n";
      name.clear();
    }
  }
  return lines;
}

std::string commands() {
  std::string lines;
  for (const console::Command& command : console::command_table()) lines += pattern_of(command) + "\n";
  return lines;
}

constexpr std::string_view kFunction = R"(
# Offers what may stand at word COMP_CWORD; what was typed before decides which rows fit.
_roceway_command() {
  local first=$1 current=$2 row at word offers=
  while read -r row; do
    at=$first word=
    for word in $row; do
      [ "$at" -eq "$COMP_CWORD" ] && break
      case $word in
        '*' | '@') ;;
        *) case "|$word|" in *"|${COMP_WORDS[at]}|"*) ;; *) continue 2 ;; esac ;;
      esac
      at=$((at + 1)) word=
    done
    [ -n "$word" ] || continue
    case $word in
      '*') ;;
      '@') COMPREPLY=($(compgen -f -- "$current")); return ;;
      *) offers="$offers ${word//|/ }" ;;
    esac
  done <<<"$_roceway_commands"
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
}

_roceway() {
  [ -z "$ZSH_VERSION" ] || emulate -L ksh
  set -f
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} line names= first=2
  COMPREPLY=()
  if [ "${COMP_WORDS[1]}" = ctl ] && [ "$COMP_CWORD" -gt 1 ]; then
    [ "${COMP_WORDS[2]}" = --ctl ] && first=4
    if [ "$COMP_CWORD" -eq 3 ] && [ "$first" -eq 4 ]; then
      COMPREPLY=($(compgen -f -- "$current"))
    elif [ "${current#-}" != "$current" ]; then
      COMPREPLY=($(compgen -W "--ctl --help --json" -- "$current"))
    else
      _roceway_command "$first" "$current"
    fi
    set +f
    return
  fi
  while read -r line; do
    names="$names ${line%%=*}"
    [ "${line%%=*}" = "$before" ] || continue
    case ${line#*=} in
      '') ;;
      '@') COMPREPLY=($(compgen -f -- "$current")); set +f; return ;;
      *) COMPREPLY=($(compgen -W "${line#*=}" -- "$current")); set +f; return ;;
    esac
  done <<<"$_roceway_options"
  [ "$COMP_CWORD" -eq 1 ] && names="ctl $names"
  COMPREPLY=($(compgen -W "$names" -- "$current"))
  set +f
}
complete -o filenames -F _roceway roceway
)";

std::string script() {
  return "_roceway_options='" + options() + "'\n_roceway_commands='" + commands() + "'\n" +
         std::string(kFunction);
}

}  // namespace

std::string bash_completion() {
  return "# Completion of roceway for bash, made by roceway-manual.\n" + script();
}

std::string zsh_completion() {
  return "#compdef roceway\n# Completion of roceway for zsh, made by roceway-manual.\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         script() +
         "_bash_complete -o filenames -F _roceway  # the first time, when zsh has just read this\n";
}

}  // namespace manual
