// SPDX-License-Identifier: BSD-3-Clause
// The web server of a running program: GET /metrics for Prometheus, / the status page for people,
// /status.json what the page shows. It only reads, knows these three paths and no file, and listens on
// loopback unless told otherwise. Made on the main thread, whose CPU its threads inherit; they get their
// numbers through ReadReport.
#pragma once

#include <memory>
#include <string>

#include "console/read_report.h"

namespace console {

// Loopback: who else may look is for the operator to say.
inline constexpr const char* kDefaultWebAddress = "127.0.0.1:9464";

// What is wrong with ADDRESS:PORT as a place to listen, in words; empty when nothing is. Checks the text
// only.
std::string problem_of_web_address(const std::string& address);

class WebServer {
 public:
  // `address`: "127.0.0.1:9464", "0.0.0.0:9464"; port 0 takes any that is free. Throws
  // glue::StartError when nobody can listen there.
  WebServer(const std::string& address, ReadReport read_report);
  // Ends its threads once what is being asked is answered: control::Errands must be closed before, or be
  // served.
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  // Where it listens, for the user: "http://127.0.0.1:9464/".
  std::string url() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace console
