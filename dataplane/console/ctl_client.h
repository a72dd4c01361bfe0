// SPDX-License-Identifier: BSD-3-Clause
// `roceway ctl`: sends commands to a running roceway over its control socket and prints the answers. Runs
// instead of the data plane, on the main thread; EAL is not started.
#pragma once

#include <cmdline.h>

#include <string>
#include <vector>

namespace console {

struct CtlStreams {
  int in = 0, out = 1, err = 2;
};

// `words` is what stands behind `roceway ctl`: [--ctl PATH] [COMMAND ...]. Without a command the lines of
// `streams.in` are run: at a prompt if it and `streams.out` are terminals, else as a script; there `quit`
// ends the session, not the program at the other end. `context` completes at the prompt; it may be null.
// `folder` is searched without --ctl. Exit status: 0; 2 for a command or words that were refused; 1 when
// there is no connection, or none any more.
int ctl_main(const std::vector<std::string>& words, cmdline_parse_ctx_t* context, const std::string& folder,
             const CtlStreams& streams = {});

}  // namespace console
