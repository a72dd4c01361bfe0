// SPDX-License-Identifier: BSD-3-Clause
// Rows to man(7); see man_pages.h.
#include "manual/man_pages.h"

#include <string_view>

#include "console/console.h"
#include "control/cli_options.h"
#include "control/settings_keys.h"

namespace manual {
namespace {

// What stands in a row, as roff shows it: hyphens and backslashes as they are, long choices broken behind a
// bar, no line taken for a request.
std::string plain(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else if (c == '|') {
      roff += "|\\:";
    } else {
      roff += c;
    }
  }
  return roff.starts_with('.') || roff.starts_with('\'') ? "\\&" + roff : roff;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string head(const std::string& title, const std::string& name, const std::string& about) {
  return ".TH " + title + " \"\" \"roceway " ROCEWAY_VERSION "\"\n.nh\n.ad l\n.SH NAME\n" + name + " \\- " +
         about + "\n";
}

// "i,interactive" and "FILE" to "-i, --interactive FILE", names in bold.
std::string names_of(const control::Option& option) {
  std::string text, name;
  for (const char c : std::string(option.names) + ',') {
    if (c != ',') {
      name += c;
      continue;
    }
    text += (text.empty() ? "" : ", ") + bold((name.size() == 1 ? "-" : "--") + name);
    name.clear();
  }
  return option.value.empty() ? text : text + " \\fI" + plain(option.value) + "\\fR";
}

std::string options() {
  std::string text;
  for (const control::Option& option : control::cli_options())
    text += ".TP\n" + names_of(option) + "\n" + plain(option.help) + ".\n";
  return text;
}

std::string_view effect_of(console::Effect effect) {
  switch (effect) {
    case console::Effect::shows:
      return "";
    case console::Effect::live:
      return " (Live.)";
    case console::Effect::restart:
      return " (Forwarding may end and begin again.)";
    case console::Effect::stops:
      return " (Forwarding ends.)";
  }
  return "";
}

std::string commands() {
  std::string text;
  std::string_view section;
  for (const console::Command& command : console::command_table()) {
    if (command.section != section) text += ".SS Section " + std::string(command.section) + "\n";
    section = command.section;
    text += ".TP\n" + bold(command.syntax) + "\n" + plain(command.help) +
            std::string(effect_of(command.effect)) + "\n";
  }
  return text;
}

constexpr std::string_view kUse = R"(.SH SYNOPSIS
.B roceway
[\fIEAL options\fR \fB\-\-\fR] [\fIoptions\fR]
.br
.B roceway ctl
[\fB\-\-ctl\fR \fIPATH\fR] [\fIcommand\fR ...]
.SH DESCRIPTION
.B roceway
spreads Ethernet and RoCEv2 flows over several NICs and their TX queues, keeps each flow in order, and accounts
for every packet.
Without \fB\-\-\fR every word is roceway's; with it, the words before it are those of DPDK's EAL.
Everything else is in the settings file,
.BR roceway.toml (5),
or on the command line.
.SH OPTIONS
)";

constexpr std::string_view kHowToCommand = R"(.SH COMMANDS
Commands come from a prompt or a pipe
.RB ( \-i ),
a file
.RB ( \-\-cmdline\-file ,
.BR load ),
or the control socket
.RB ( "roceway ctl" ).
In a pipe or a file the first line that fails ends the program with status 2.
.B #
begins a comment.
.B \-\-json
at the end of a line that shows something gives its answer as JSON.
.PP
In what follows
.B a|b
is one of these words,
.B <name>
any word,
.B <name:number(1,5)>
a whole number of that range, decimal or 0x...,
.B hex
a hexadecimal number,
.B port
a port's number or device,
.B ports
the same or
.BR all ,
.B numbers
a list as 0,2,5 or 1\-4,
.B <name...>
the rest of the line.
)";

constexpr std::string_view kEnd = R"(.SH EXIT STATUS
.TP
0
The run ended and the ledger balances.
.TP
1
It does not, or the report could not be written; for
.BR "roceway ctl" :
there is no connection, or none any more.
.TP
2
It could not be started as asked, or a command was refused.
.SH SIGNALS
SIGINT and SIGTERM stop a run. SIGHUP reads the settings file again; without one it stops a run.
.SH FILES
.TP
.I /run/roceway/NAME.sock
The control socket of root's instance NAME; other users have it in
.I $XDG_RUNTIME_DIR/roceway
or
.IR /tmp/roceway\-UID .
.SH SEE ALSO
.BR roceway.toml (5),
.BR dpdk\-testpmd (1),
.BR pcap\-filter (7)
)";

// One section for each table of the file.
class Tables {
 public:
  template <class Table>
  void table(std::string_view name, Table core::Settings::*, const std::vector<control::Key<Table>>& keys) {
    add("[" + std::string(name) + "]", keys);
  }
  template <class Table>
  void list(std::string_view name, std::vector<Table> core::Settings::*,
            const std::vector<control::Key<Table>>& keys) {
    add("[[" + std::string(name) + "]]", keys);
  }
  std::string take() { return std::move(text_); }

 private:
  template <class Table>
  void add(const std::string& title, const std::vector<control::Key<Table>>& keys) {
    text_ += ".SS " + title + "\n";
    for (const control::Key<Table>& key : keys) {
      const std::string by_default = key.needed ? "" : key.text(Table{});
      text_ += ".TP\n" + bold(key.name) + " = " + plain(key.allowed) + "\n" + plain(key.help) + ".\n";
      if (!by_default.empty()) text_ += "Default: " + plain(by_default) + ".\n";
      if (key.when == control::When::now) text_ += "Live.\n";
      if (key.when == control::When::program) text_ += "Needs a new start.\n";
    }
  }

  std::string text_;
};

constexpr std::string_view kFile = R"(.SH DESCRIPTION
The settings file of
.BR roceway (8),
in TOML 1.0. Every key is optional unless it says
.IR needed .
An unknown key is an error; all problems are told at once, with their lines.
.B "roceway \-\-config FILE \-\-check"
reads a file and starts nothing.
.PP
Of a key that is
.I Live
a change takes effect while packets move, by command or by SIGHUP. The others change with the next run of
forwarding: a command ends it and begins it again while devices stay up; SIGHUP leaves them as they are. What
.I Needs a new start
is refused while the program runs.
.PP
.B [[name]]
stands once for each port, group, route or pin.
.SH TABLES
)";

constexpr std::string_view kExample = R"(.SH EXAMPLES
.nf
[eal]
args = ["\-\-no\-pci", "\-\-vdev=net_null0", "\-\-vdev=net_null1,no\-rx=1", "\-\-vdev=net_null2,no\-rx=1"]
[[port]]
device = "net_null0"
group = "access"
[[port]]
device = "net_null1"
group = "uplink"
[[port]]
device = "net_null2"
group = "uplink"
weight = 3
.fi
.SH SEE ALSO
.BR roceway (8)
)";

}  // namespace

std::string program_page() {
  return head("ROCEWAY 8", "roceway", "data plane that spreads flows over NICs") + std::string(kUse) +
         options() + std::string(kHowToCommand) + commands() + std::string(kEnd);
}

std::string settings_page() {
  Tables tables;
  control::visit_tables(tables);
  return head("ROCEWAY.TOML 5", "roceway.toml", "settings of roceway") + std::string(kFile) + tables.take() +
         std::string(kExample);
}

}  // namespace manual
