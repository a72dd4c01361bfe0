// SPDX-License-Identifier: BSD-3-Clause
// Answers GET and HEAD for three paths through libcivetweb, whose threads run handle(); see web_server.h.
// Every request ends in our callback, so civetweb's own file serving, CGI and WebDAV are never reached.
#include "console/web_server.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "console/metrics.h"
#include "console/status_page.h"
#include "pmd_glue/start_error.h"

namespace console {
namespace {

// A client that says nothing has a thread of its own until its time is over: so many may be silent, and a
// scrape does not wait.
constexpr const char* kThreads = "80";
constexpr const char* kWaitingConnections = "128";
constexpr const char* kMostRequestBytes = "8192";
constexpr const char* kTimeoutMs = "500";

// The IPv4 address of ADDRESS:PORT (Debian 12's civetweb is built without IPv6); nothing when it is none.
std::optional<std::string> host_of(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const char* const end = address.data() + address.size();
  uint16_t port = 0;
  const auto [rest, error] = std::from_chars(address.data() + colon + 1, end, port);
  std::string host = address.substr(0, colon);
  in_addr bytes{};
  if (error != std::errc() || rest != end || inet_pton(AF_INET, host.c_str(), &bytes) != 1)
    return std::nullopt;
  return host;
}

// Whether a page of another site may have asked under a name of its own that it made resolve to this machine
// (DNS rebinding). Somebody on this machine asks by address or as localhost.
bool is_foreign_host(std::string_view header) {
  const bool bracket = header.starts_with('[');
  const size_t end = bracket ? header.find(']') : header.find(':');
  const std::string host(header.substr(bracket ? 1 : 0, end == header.npos ? end : end - (bracket ? 1 : 0)));
  in6_addr bytes{};
  return host != "localhost" && inet_pton(AF_INET, host.c_str(), &bytes) != 1 &&
         inet_pton(AF_INET6, host.c_str(), &bytes) != 1;
}

// Connects and goes: civetweb, asleep until a client comes or two seconds are over, then sees that it shall
// end.
void knock(const std::string& host, uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  const int visitor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  // Whether anybody opens does not matter: the next knock comes until it has ended.
  (void)!connect(visitor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  close(visitor);
}

struct Reply {
  int status = 200;
  const char* type = "text/plain; charset=utf-8";
  std::string body;
};

void send(mg_connection* connection, const Reply& reply, bool with_body) {
  const bool html = reply.type == std::string_view("text/html; charset=utf-8");
  const std::string policy(html ? kStatusPagePolicy : "default-src 'none'; frame-ancestors 'none'");
  std::string answer =
      "HTTP/1.1 " + std::to_string(reply.status) + " " + mg_get_response_code_text(connection, reply.status) +
      "\r\nContent-Type: " + reply.type + "\r\nContent-Length: " + std::to_string(reply.body.size()) +
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff"
      "\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin"
      "\r\nContent-Security-Policy: " +
      policy + (reply.status == 405 ? "\r\nAllow: GET, HEAD" : "") + "\r\nConnection: close\r\n\r\n";
  if (with_body) answer += reply.body;
  mg_write(connection, answer.data(), answer.size());
}

}  // namespace

struct WebServer::State {
  ReadReport read_report;
  std::string host;  // that it listens on
  std::string said;  // by civetweb while it starts, its first line
  mg_context* context = nullptr;

  Reply reply_to(const mg_request_info& request, const char* asked_host) const;
  template <class Render>
  Reply of_report(const char* type, Render render) const {
    const std::optional<control::Report> report = read_report();
    if (!report) return {503, "text/plain; charset=utf-8", "roceway is ending\n"};
    return {200, type, render(*report)};
  }

  uint16_t port() const {
    mg_server_port port{};
    mg_get_server_ports(context, 1, &port);
    return static_cast<uint16_t>(port.port);
  }
  // What chance gives is simulated; for as many flows and queues as before it is known already.
  void add_ideals(control::Report& report) const {
    constexpr size_t kMostKnown = 256;
    const std::lock_guard lock(ideals_mutex);
    if (ideals.size() > kMostKnown) ideals.clear();
    for (control::GroupReport& group : report.groups) {
      if (!group.equal_shares || !group.steady) continue;
      const auto [known, is_new] = ideals.try_emplace({group.flows, group.queues});
      if (is_new) known->second = core::ideal_random_max_over_mean(group.flows, group.queues);
      group.ideal = known->second;
    }
  }
  mutable std::mutex ideals_mutex;
  mutable std::map<std::pair<uint64_t, uint32_t>, core::IdealSpread> ideals;

  static State& of(const mg_connection* connection) {
    return *static_cast<State*>(mg_get_user_data(mg_get_context(connection)));
  }
  static int handle(mg_connection* connection);
  static int refuse(mg_connection* connection, int status, const char* why);
  static int note(const mg_connection* connection, const char* message);
};

Reply WebServer::State::reply_to(const mg_request_info& request, const char* asked_host) const {
  const std::string_view method = request.request_method;
  const std::string_view path = request.local_uri ? request.local_uri : "";
  if (host.starts_with("127.") && asked_host != nullptr && is_foreign_host(asked_host))
    return {403, "text/plain; charset=utf-8", "ask by address or as localhost\n"};
  if (method != "GET" && method != "HEAD")
    return {405, "text/plain; charset=utf-8", "found " + std::string(method) + "; allowed: GET, HEAD\n"};
  if (path == "/") return {200, "text/html; charset=utf-8", std::string(kStatusPage)};
  if (path == "/metrics") return of_report(kMetricsType, metrics_text);
  if (path == "/status.json") {
    return of_report("application/json", [this](control::Report report) {
      add_ideals(report);
      return control::to_json(report);
    });
  }
  return {404, "text/plain; charset=utf-8", "there are /, /metrics and /status.json\n"};
}

int WebServer::State::handle(mg_connection* connection) {
  const mg_request_info& request = *mg_get_request_info(connection);
  const Reply reply = of(connection).reply_to(request, mg_get_header(connection, "Host"));
  send(connection, reply, std::strcmp(request.request_method, "HEAD") != 0);
  return reply.status;
}

// What civetweb refuses by itself: requests that are not HTTP or too long.
int WebServer::State::refuse(mg_connection* connection, int status, const char* why) {
  send(connection, {status, "text/plain; charset=utf-8", std::string(why ? why : "bad request") + "\n"},
       true);
  return 0;
}

// Nobody needs to hear of clients that go away; why it does not start is told.
int WebServer::State::note(const mg_connection* connection, const char* message) {
  State& state = of(connection);
  if (state.context == nullptr && state.said.empty()) state.said = message;
  return 1;
}

std::string problem_of_web_address(const std::string& address) {
  if (host_of(address)) return "";
  return "found \"" + address + "\"; allowed: IPv4 ADDRESS:PORT, as in 127.0.0.1:9464";
}

WebServer::WebServer(const std::string& address, ReadReport read_report) : state_(std::make_unique<State>()) {
  if (const std::string problem = problem_of_web_address(address); !problem.empty())
    throw glue::StartError("metrics: " + problem);
  state_->read_report = std::move(read_report);
  state_->host = *host_of(address);
  const char* options[] = {"listening_ports",
                           address.c_str(),
                           "num_threads",
                           kThreads,
                           "connection_queue",
                           kWaitingConnections,
                           "max_request_size",
                           kMostRequestBytes,
                           "request_timeout_ms",
                           kTimeoutMs,
                           "enable_directory_listing",
                           "no",
                           "access_control_allow_origin",
                           "",  // no other site may read the answers
                           "access_control_allow_methods",
                           "",
                           nullptr};
  mg_callbacks callbacks{};
  callbacks.begin_request = State::handle;
  callbacks.http_error = State::refuse;
  callbacks.log_message = State::note;
  mg_init_library(0);
  state_->context = mg_start(&callbacks, state_.get(), options);
  if (state_->context == nullptr) {
    mg_exit_library();
    throw glue::StartError("metrics: cannot listen on " + address + ": " + state_->said);
  }
}

WebServer::~WebServer() {
  const uint16_t port = state_->port();
  auto stopping = std::async(std::launch::async, [this] { mg_stop(state_->context); });
  while (stopping.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready)
    knock(state_->host, port);
  mg_exit_library();
}

std::string WebServer::url() const {
  return "http://" + state_->host + ":" + std::to_string(state_->port()) + "/";
}

}  // namespace console
