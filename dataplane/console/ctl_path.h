// SPDX-License-Identifier: BSD-3-Clause
// Where control sockets are: the folder of this user, and the name of an instance's socket in it. Server and
// client look here. Main thread.
#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <optional>
#include <string>
#include <vector>

namespace console {

// /run/roceway for root; else $XDG_RUNTIME_DIR/roceway; else /tmp/roceway-UID.
std::string ctl_folder(uid_t user, const char* xdg_runtime_dir);
std::string ctl_folder();

// The socket of an instance, whose name is its EAL file prefix: FOLDER/NAME.sock.
std::string ctl_path_of(const std::string& instance_name);

// Makes the folder for this user alone if it is not there; why it cannot be used, if so.
std::optional<std::string> make_ctl_folder(const std::string& folder);

// Sockets in the folder that a program answers, by name.
std::vector<std::string> live_sockets(const std::string& folder);

// Nothing when the path is empty or longer than a socket's name may be.
std::optional<sockaddr_un> socket_address(const std::string& path);
std::string path_too_long(const std::string& path);

}  // namespace console
