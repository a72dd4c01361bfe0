// SPDX-License-Identifier: BSD-3-Clause
// roceway-manual: prints a manual page or a shell's completion, for the build, which installs them. It starts
// nothing of the data plane.
#include <cstdio>
#include <string>
#include <string_view>

#include "manual/completion.h"
#include "manual/man_pages.h"

int main(int argc, char** argv) {
  const struct {
    std::string_view name;
    std::string (*print)();
  } pages[] = {{"roceway.8", manual::program_page},
               {"roceway.toml.5", manual::settings_page},
               {"bash", manual::bash_completion},
               {"zsh", manual::zsh_completion}};
  std::string names;
  for (const auto& page : pages) {
    if (argc == 2 && page.name == argv[1]) return std::fputs(page.print().c_str(), stdout) < 0 ? 1 : 0;
    names += ' ' + std::string(page.name);
  }
  std::fprintf(stderr, "roceway-manual: name one of:%s\n", names.c_str());
  return 2;
}
