// SPDX-License-Identifier: BSD-3-Clause
// Accepts clients, cuts what they send into lines and sends the answers; see ctl_server.h.
#include "console/ctl_server.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "console/ctl_path.h"
#include "console/line.h"
#include "control/words.h"
#include "pmd_glue/start_error.h"

namespace console {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kEnding = "the program is ending";
constexpr milliseconds kPause{100};  // until accepting is tried again

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw glue::StartError("control socket " + path + ": " + why);
}

// Makes room at `path` if nobody listens there.
void remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return;
  if (!S_ISSOCK(facts.st_mode))
    refuse(path, "there is something that is no socket; choose another path with --ctl");
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) refuse(path, std::strerror(errno));
  const int result = connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (result == 0 || errno != ECONNREFUSED)
    refuse(path, "another roceway listens there; stop it, or choose another path with --ctl");
  if (unlink(path.c_str()) != 0) refuse(path, std::strerror(errno));
}

}  // namespace

struct CtlServer::Client {
  Descriptor fd;
  LineSplitter lines;
  std::string out;           // answers that are not sent yet
  bool input_over = false;   // no more comes, or is wanted
  bool output_over = false;  // it takes no more
  bool is_ready = false;     // poll says so
  bool is_cut = false;
  bool is_dismissed = false;
  Clock::time_point took_at = Clock::now();  // when it took something, or had little to take

  bool is_behind() const { return out.size() > kMostWaitingBytes; }
  bool can_run() const { return lines.has_line() && !is_behind(); }
  bool wants_input() const { return !input_over && !lines.has_line(); }
  bool wants_output() const { return !out.empty() && !output_over; }
  bool is_done() const { return is_cut || (input_over && !lines.has_line() && !wants_output()); }

  void receive_some() {
    char bytes[4096];
    const ssize_t size = recv(fd.get(), bytes, sizeof bytes, 0);
    if (size > 0) lines.feed({bytes, static_cast<size_t>(size)});
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) input_over = true;
  }
  void send_some() {
    const ssize_t size = send(fd.get(), out.data(), out.size(), MSG_NOSIGNAL);
    if (size > 0) out.erase(0, static_cast<size_t>(size));
    if (size > 0) took_at = Clock::now();
    if (size < 0 && errno != EAGAIN && errno != EINTR) output_over = true;
    if (output_over) out.clear();
  }
  void say(std::string_view status, std::string_view text) {
    if (!output_over) out += ctl_answer(status, text);
  }
  // The last that it hears.
  void dismiss(const std::string& why) {
    say("bye", why + '\n');
    input_over = is_dismissed = true;
    lines = {};
  }
};

std::string ctl_answer(std::string_view status, std::string_view text) {
  return std::string(status) + ' ' + std::to_string(text.size()) + '\n' + std::string(text);
}

CtlServer::CtlServer(std::string path, RunLine run, std::chrono::milliseconds patience)
    : path_(std::move(path)), run_(std::move(run)), patience_(patience) {
  listen_at_path();
  thread_ = std::thread([this] { loop(); });
}

CtlServer::~CtlServer() {
  stop_.ring();
  thread_.join();
  struct stat facts {};
  const bool is_ours =
      lstat(path_.c_str(), &facts) == 0 && facts.st_ino == made_.st_ino && facts.st_dev == made_.st_dev;
  if (is_ours) unlink(path_.c_str());
}

void CtlServer::listen_at_path() {
  const auto address = socket_address(path_);
  if (!address) throw glue::StartError("control socket " + path_too_long(path_));
  const std::string folder = std::filesystem::absolute(path_).parent_path().string();
  if (folder == ctl_folder()) {
    if (const auto problem = make_ctl_folder(folder)) throw glue::StartError("control socket: " + *problem);
  }
  // Two programs that start at once must not remove each other's socket.
  const Descriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) refuse(path_, folder + ": " + std::strerror(errno));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    refuse(path_, "another program has locked " + folder + " at this moment; try again");
  remove_stale(path_, *address);
  listener_ = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Linux gives the name the mode that the socket has before bind, so there is no moment with another one.
  const bool listens =
      listener_ && fchmod(listener_.get(), 0600) == 0 &&
      bind(listener_.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0 &&
      lstat(path_.c_str(), &made_) == 0 && listen(listener_.get(), kMostCtlClients) == 0;
  if (!listens) refuse(path_, std::strerror(errno));
}

void CtlServer::loop() {
  while (true) {
    wait();
    if (stops_) break;
    if (is_called_) accept_all();
    for (const auto& client : clients_) serve(*client);
    std::erase_if(clients_, [](const auto& client) { return client->is_done(); });
  }
  for (const auto& client : clients_) {
    if (!client->is_dismissed) client->dismiss(kEnding);
    if (client->wants_output()) client->send_some();
  }
  clients_.clear();
}

void CtlServer::wait() {
  std::vector<pollfd> waits = {{stop_.fd(), POLLIN, 0}, {accepts_ ? listener_.get() : -1, POLLIN, 0}};
  std::optional<milliseconds> limit;
  const auto at_most = [&limit](milliseconds time) { limit = std::min(limit.value_or(time), time); };
  if (!accepts_) at_most(kPause);
  for (const auto& client : clients_) {
    const int events = (client->wants_input() ? POLLIN : 0) | (client->wants_output() ? POLLOUT : 0);
    // A client that hung up is always ready: do not ask while nothing is to be read or sent.
    waits.push_back({events != 0 ? client->fd.get() : -1, static_cast<short>(events), 0});
    if (client->can_run()) at_most(milliseconds{0});
    if (client->is_behind()) at_most(patience_);
  }
  const int limit_ms = limit ? static_cast<int>(limit->count()) : -1;
  is_called_ = false;
  if (poll(waits.data(), waits.size(), limit_ms) < 0) return;
  stops_ = waits[0].revents != 0;
  is_called_ = waits[1].revents != 0;
  accepts_ = true;
  for (size_t i = 0; i < clients_.size(); ++i) clients_[i]->is_ready = waits[i + 2].revents != 0;
}

void CtlServer::accept_all() {
  while (true) {
    Descriptor fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
      accepts_ = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
      return;
    }
    auto client = std::make_unique<Client>();
    client->fd = std::move(fd);
    if (clients_.size() < kMostCtlClients) {
      clients_.push_back(std::move(client));
      continue;
    }
    client->dismiss("there are " + std::to_string(kMostCtlClients) +
                    " clients; allowed: up to that many at a time");
    client->send_some();
  }
}

void CtlServer::serve(Client& client) {
  if (client.is_ready && client.wants_input()) client.receive_some();
  client.is_ready = false;
  if (!client.is_behind()) client.took_at = Clock::now();
  if (client.lines.overflows())
    client.dismiss("line of more than " + control::grouped(kMostLineBytes) + " bytes; allowed: up to that");
  if (client.can_run()) {
    const auto line = client.lines.next();
    if (line->too_long()) {
      client.dismiss(line_too_long(line->bytes));
    } else {
      answer(client, line->text);
    }
  }
  if (client.wants_output()) client.send_some();
  client.is_cut = client.is_behind() && Clock::now() - client.took_at >= patience_;
}

void CtlServer::answer(Client& client, const std::string& line) {
  std::string text;
  const Outcome outcome = LineRunner(
                              run_, [&text](std::string_view more) { text += more; }, stop_.fd())
                              .line(line);
  if (outcome.stopped) return client.dismiss(text + kEnding);
  if (outcome.problem) text += *outcome.problem + '\n';
  client.say(outcome.problem ? "error" : "ok", text);
}

}  // namespace console
