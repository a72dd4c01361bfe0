// SPDX-License-Identifier: BSD-3-Clause
// The web server over real sockets: its three paths, what it refuses, what it says where it cannot listen.
#include "console/web_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>

#include "console/sample_report.h"
#include "console/web_client.h"
#include "pmd_glue/start_error.h"

namespace {

using console::WebServer;
using console_test::ask;
using console_test::port_of;

console::ReadReport sample(double seconds = 10) {
  return [seconds] { return console_test::sample_report(seconds); };
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WebServer, AnswersItsPathsAndRefusesTheRest) {
  const WebServer server("127.0.0.1:0", sample());
  const unsigned port = port_of(server);
  struct Row {
    const char* name;
    std::string request;
    const char* status;
    const char* contains;
  };
  const std::string host = " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  for (const Row& row : {
           Row{"metrics", "GET /metrics" + host, "200", "\r\n\r\n# HELP roceway_"},
           Row{"their type", "GET /metrics" + host, "200", "Content-Type: text/plain; version=0.0.4"},
           Row{"page", "GET /" + host, "200", "<!DOCTYPE html>"},
           Row{"page with a question", "GET /?x=1" + host, "200", "<!DOCTYPE html>"},
           Row{"its policy", "GET /" + host, "200", "script-src 'sha256-"},
           Row{"no frames", "GET /" + host, "200", "frame-ancestors 'none'"},
           Row{"no sniffing", "GET /metrics" + host, "200", "X-Content-Type-Options: nosniff"},
           Row{"numbers", "GET /status.json" + host, "200", "\"mode\": \"gateway\""},
           Row{"head", "HEAD /metrics" + host, "200", "Content-Length: "},
           Row{"unknown", "GET /etc/passwd" + host, "404", "/metrics and /status.json"},
           Row{"dots", "GET /../../etc/passwd" + host, "404", "there are /"},
           Row{"coded dots", "GET /%2e%2e/%2e%2e/etc/passwd" + host, "404", "there are /"},
           Row{"post", "POST /metrics" + host + "Content-Length: 2\r\n\r\nhi", "405", "Allow: GET, HEAD"},
           Row{"put", "PUT /x" + host + "Content-Length: 0\r\n", "405", "allowed: GET, HEAD"},
           Row{"options", "OPTIONS /" + host, "405", "allowed: GET, HEAD"},
           Row{"preflight", "OPTIONS /" + host + "Origin: http://x\r\nAccess-Control-Request-Method: GET\r\n",
               "405", "allowed: GET, HEAD"},
           Row{"localhost", "GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\n", "200", "roceway_"},
           Row{"IPv6 host", "GET /metrics HTTP/1.1\r\nHost: [::1]:9464\r\n", "200", "roceway_"},
           Row{"a name of another", "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n", "403", "as localhost"},
           Row{"a name like an address", "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n", "403",
               "as localhost"},
           Row{"no host", "GET /metrics HTTP/1.0\r\n", "200", "roceway_"},
           Row{"not HTTP", "hello\r\n", "400", "Content-Security-Policy"},
           Row{"an HTTP of another age", "GET / HTTP/9.9\r\n", "505 HTTP Version not supported", "nosniff"},
           Row{"too long", "GET /" + std::string(10'000, 'x') + host, "400", "nosniff"},
       }) {
    SCOPED_TRACE(row.name);
    const std::string answer = ask(port, row.request + "\r\n");
    EXPECT_TRUE(answer.starts_with(std::string("HTTP/1.1 ") + row.status)) << answer.substr(0, 200);
    EXPECT_TRUE(has(answer, row.contains)) << answer.substr(0, 2000);
    EXPECT_FALSE(has(answer, "Access-Control-Allow-Origin")) << answer.substr(0, 500);
  }
}

TEST(WebServer, HeadHasNoBody) {
  const WebServer server("127.0.0.1:0", sample());
  const std::string answer = ask(port_of(server), "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST(WebServer, StatusIsTheReport) {
  const WebServer server("127.0.0.1:0", sample(7));
  const std::string answer = ask(port_of(server), "GET /status.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto json = nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n")));
  EXPECT_EQ(json["seconds"], 7);
  EXPECT_EQ(json["members"][1]["queues"][0]["packets"], 7'070'000);
  EXPECT_EQ(json["lcores"][1]["busy_seconds"], 3.5);
}

TEST(WebServer, SaysThatTheProgramIsEnding) {
  const WebServer server("127.0.0.1:0", [] { return std::nullopt; });
  EXPECT_TRUE(ask(port_of(server), "GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 503"));
  EXPECT_TRUE(ask(port_of(server), "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
}

// Clients that open connections and say nothing, more than it has threads and places to wait.
TEST(WebServer, ClientsThatHangUpLeaveItWell) {
  const WebServer server("127.0.0.1:0", sample());
  for (int i = 0; i < 100; ++i) console_test::connect_and_hang_up(port_of(server), "GET /met");
  EXPECT_TRUE(ask(port_of(server), "GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
}

// As many as it has room for: whoever asks meanwhile does not wait until their time is over.
TEST(WebServer, SilentClientsHoldNobodyUp) {
  const WebServer server("127.0.0.1:0", sample());
  std::deque<console_test::Connection> silent;
  const auto from = std::chrono::steady_clock::now();
  for (int i = 0; i < 64; ++i) silent.emplace_back(port_of(server)).send(i % 2 == 0 ? "" : "GET /metr");
  EXPECT_TRUE(ask(port_of(server), "GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(3)) << "eight at a time take 4 s";
}

std::string refusal(const std::string& address) {
  try {
    const WebServer server(address, sample());
  } catch (const glue::StartError& error) {
    return error.what();
  }
  return "";
}

TEST(WebServer, SaysWhyItCannotListen) {
  const std::string shape = "\"; allowed: IPv4 ADDRESS:PORT, as in 127.0.0.1:9464";
  for (const char* bad :
       {"", "9464", "localhost:9464", "[::1]:9464", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:80s", "127.0.0.1:80,0.0.0.0:81", "127.0.0.1: 80", "1.2.3:80"})
    EXPECT_EQ(refusal(bad), "metrics: found \"" + std::string(bad) + shape);
  const WebServer first("127.0.0.1:0", sample());
  const std::string taken = "127.0.0.1:" + std::to_string(port_of(first));
  EXPECT_EQ(refusal(taken), "metrics: cannot listen on " + taken + ": cannot bind to " + taken +
                                ": 98 (Address already in use)");
  EXPECT_TRUE(has(refusal("192.0.2.1:9464"), "Cannot assign requested address")) << refusal("192.0.2.1:9464");
}

}  // namespace
