// SPDX-License-Identifier: BSD-3-Clause
// The other end of the control socket; see ctl_client.h.
#include "console/ctl_client.h"

#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "console/ctl_path.h"
#include "console/descriptors.h"
#include "console/line.h"
#include "console/prompt.h"
#include "console/script.h"

namespace console {
namespace {

constexpr int kNoConnection = 1, kRefused = 2;
constexpr std::string_view kHelp =
    "Usage: roceway ctl [--ctl PATH] [COMMAND ...]\n"
    "Sends a command to a running roceway and prints its answer; without a command, asks for some.\n"
    "  --ctl PATH  control socket (default: the only one there is)\n"
    "  -h, --help  print this and stop\n"
    "\"roceway ctl help\" tells all commands.\n";

class Connection {
 public:
  // Why there is none, or nothing.
  std::optional<std::string> open(const std::string& path) {
    const auto address = socket_address(path);
    if (!address) return path_too_long(path);
    fd_ = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd_ && connect(fd_.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0)
      return std::nullopt;
    const int error = errno;
    if (error == ENOENT || error == ECONNREFUSED)
      return path + ": no roceway listens there; start one with --ctl " + path + ", or give another path";
    return path + ": " + std::strerror(error);
  }

  // Nothing when the connection ends.
  std::optional<Answer> ask(const std::string& line) {
    if (auto problem = problem_of_line(line)) return Answer::refuse(std::move(*problem));
    send_all(line + "\n");  // also when it fails, the server may have said why before it hung up
    std::optional<Answer> answer = hear();
    has_ended_ = !answer;
    return answer;
  }
  // The other end has hung up, or is about to: takes what it says at last.
  void hear_the_end() {
    if (!std::exchange(has_ended_, true)) hear();
  }
  // Readable while nothing is asked: the end.
  int fd() const { return fd_.get(); }
  // Why it ended.
  const std::string& last_words() const { return last_words_; }

 private:
  std::optional<Answer> hear() {
    const std::string head = receive_head();
    const size_t space = std::min(head.find(' '), head.size());
    const std::string_view status = std::string_view(head).substr(0, space);
    size_t bytes = 0;
    const char* const end = head.data() + head.size();
    if (space == head.size()) return std::nullopt;
    const auto [read_to, error] = std::from_chars(head.data() + space + 1, end, bytes);
    if (error != std::errc{} || read_to != end) return std::nullopt;
    std::optional<std::string> text = receive(bytes);
    if (!text) return std::nullopt;
    if (status == "ok") return Answer::say(std::move(*text));
    if (text->ends_with('\n')) text->pop_back();
    if (status == "error") return Answer::refuse(std::move(*text));
    if (status == "bye") last_words_ = std::move(*text);
    return std::nullopt;
  }
  void send_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return;
      if (sent > 0) text.remove_prefix(static_cast<size_t>(sent));
    }
  }
  bool receive_more() {
    char bytes[65536];
    ssize_t size = 0;
    do {
      size = recv(fd_.get(), bytes, sizeof bytes, 0);
    } while (size < 0 && errno == EINTR);
    if (size > 0) received_.append(bytes, static_cast<size_t>(size));
    return size > 0;
  }
  // Without its newline; empty when there is none.
  std::string receive_head() {
    constexpr size_t kMostHeadBytes = 32;
    while (received_.find('\n') == std::string::npos) {
      if (received_.size() > kMostHeadBytes || !receive_more()) return {};
    }
    std::string head = received_.substr(0, received_.find('\n'));
    received_.erase(0, head.size() + 1);
    return head;
  }
  std::optional<std::string> receive(size_t bytes) {
    while (received_.size() < bytes) {
      if (!receive_more()) return std::nullopt;
    }
    std::string text = received_.substr(0, bytes);
    received_.erase(0, bytes);
    return text;
  }

  Descriptor fd_;
  std::string received_;
  bool has_ended_ = false;
  std::string last_words_ = "the connection broke; see whether roceway still runs";
};

class Client {
 public:
  explicit Client(const CtlStreams& streams) : streams_(streams) {}

  int complain(const std::string& problem, int status) const {
    write_all(streams_.err, "roceway ctl: " + problem + '\n', -1);
    return status;
  }
  int help() {
    print(kHelp);
    return status_of({});
  }
  void print(std::string_view text) { printed_ &= write_all(streams_.out, text, -1); }

  int connect_to(const std::optional<std::string>& given, const std::string& folder) {
    path_ = given.value_or("");
    if (!given) {
      const std::vector<std::string> found = live_sockets(folder);
      if (found.empty())
        return complain("no control socket in " + folder +
                            "; start roceway with --config FILE, or say where it listens: --ctl PATH",
                        kNoConnection);
      std::string several = "several roceways run; choose one:";
      for (const std::string& path : found) several += "\n  --ctl " + path;
      if (found.size() > 1) return complain(several, kRefused);
      path_ = found.front();
    }
    if (const auto problem = connection_.open(path_)) return complain(*problem, kNoConnection);
    return 0;
  }

  // `quit` is meant for the other end here; in a file that is loaded it only ends the file, as scripts do.
  int command(const std::string& line) {
    const bool quits = leaves(line);
    return status_of(LineRunner(
                         [this, quits](const std::string& one) {
                           return quits ? connection_.ask(one) : ask_unless_it_leaves(one);
                         },
                         [this](std::string_view text) { print(text); })
                         .line(line));
  }

  // It ends, too, when the program does, be anything asked or not.
  int session(cmdline_parse_ctx_t* context) {
    const RunLine run = [this](const std::string& line) { return ask_unless_it_leaves(line); };
    if (isatty(streams_.in) == 1 && isatty(streams_.out) == 1)
      return status_of(Prompt(context, "roceway> ", run, streams_.in, streams_.out, connection_.fd()).run());
    return status_of(LineRunner(
                         run, [this](std::string_view text) { print(text); }, connection_.fd())
                         .script(streams_.in, "stdin"));
  }

 private:
  static bool leaves(std::string_view line) {
    const std::string_view word = without_comment(line);
    return word == "quit" || word == "exit";
  }
  std::optional<Answer> ask_unless_it_leaves(const std::string& line) {
    if (leaves(line)) return Answer{.quit = true};
    return connection_.ask(line);
  }

  int status_of(const Outcome& outcome) {
    if (outcome.problem) return complain(*outcome.problem, kRefused);
    if (!printed_) return complain("the answer could not be written", kNoConnection);
    if (outcome.stopped) connection_.hear_the_end();
    if (outcome.stopped) return complain(path_ + ": " + connection_.last_words(), kNoConnection);
    return 0;
  }

  CtlStreams streams_;
  bool printed_ = true;
  std::string path_;
  Connection connection_;
};

}  // namespace

int ctl_main(const std::vector<std::string>& words, cmdline_parse_ctx_t* context, const std::string& folder,
             const CtlStreams& streams) {
  Client client(streams);
  std::optional<std::string> path;
  size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at] == "-h" || words[at] == "--help") return client.help();
    if (words[at].starts_with("--ctl=")) {
      path = words[at].substr(std::strlen("--ctl="));
    } else if (words[at] == "--ctl" && at + 1 < words.size()) {
      path = words[++at];
    } else if (words[at] == "--ctl") {
      return client.complain("--ctl: needs a value, as in --ctl PATH", kRefused);
    } else {
      return client.complain(words[at] + ": unknown option; see roceway ctl --help", kRefused);
    }
  }
  std::string line;
  for (size_t i = at; i < words.size(); ++i) line += (line.empty() ? "" : " ") + words[i];
  if (const auto problem = problem_of_line(line)) return client.complain(*problem, kRefused);
  // A shell takes quotes and comments away: a # that comes through was meant as a part of its word.
  if (has_comment(line) && !without_comment(line).empty())
    return client.complain(
        "found # outside of quotes, which begins a comment; allowed in a string that keeps "
        "its quotes, as in: roceway ctl set port 1 domain '\"A#1\"'",
        kRefused);
  if (const int status = client.connect_to(path, folder); status != 0) return status;
  return at < words.size() ? client.command(line) : client.session(context);
}

}  // namespace console
