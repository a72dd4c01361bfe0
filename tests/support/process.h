// SPDX-License-Identifier: BSD-3-Clause
// Runs a program as a shell would: arguments, working folder, environment; then its output, signals and how
// it ended. Used by the system tests on the test's own thread. Nothing outlives the test: the program is
// killed when its Process is destroyed, and by the kernel when the test itself dies.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test_support {

struct Surroundings {
  std::filesystem::path folder = ".";
  // Changes to this process's environment; nothing unsets a variable.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment = {};
};

struct Ended {
  int status = -1;  // exit status; -1 when a signal ended it
  int signal = 0;   // that signal, else 0
  std::string out, err;
};

class Process {
 public:
  Process(const std::string& program, const std::vector<std::string>& arguments,
          const Surroundings& around = {}) {
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) become(argv, around, out[1], err[1], parent);
    close(out[1]);
    close(err[1]);
    pipes_ = {Pipe{out[0], {}}, Pipe{err[0], {}}};
  }
  ~Process() {
    if (running_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    for (Pipe& pipe : pipes_) pipe.shut();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const { kill(pid_, signal); }
  // Closes our end of its stdout, as a reader that has gone.
  void close_stdout() { pipes_[0].shut(); }

  // Reads until stdout contains `text` behind its first `from` bytes: true. False when the output ends
  // before.
  bool wait_for(const std::string& text, size_t from = 0) {
    while (pipes_[0].text.find(text, from) == std::string::npos) {
      if (pipes_[0].fd < 0 || !read_some()) return false;
    }
    return true;
  }

  const std::string& out_so_far() const { return pipes_[0].text; }

  // Reads until the program has ended. Once only.
  Ended wait() {
    while (read_some()) {
    }
    int how = 0;
    waitpid(pid_, &how, 0);
    running_ = false;
    Ended ended{-1, 0, pipes_[0].text, pipes_[1].text};
    if (WIFEXITED(how)) ended.status = WEXITSTATUS(how);
    if (WIFSIGNALED(how)) ended.signal = WTERMSIG(how);
    return ended;
  }

 private:
  struct Pipe {
    int fd = -1;
    std::string text = {};
    void shut() {
      if (fd >= 0) close(fd);
      fd = -1;
    }
  };

  [[noreturn]] static void become(std::vector<char*>& argv, const Surroundings& around, int out, int err,
                                  pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it died before prctl
    for (const auto& [name, value] : around.environment) {
      if (value) setenv(name.c_str(), value->c_str(), 1);
      if (!value) unsetenv(name.c_str());
    }
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (chdir(around.folder.c_str()) == 0) execvp(argv[0], argv.data());
    dprintf(STDERR_FILENO, "cannot run %s in %s\n", argv[0], around.folder.c_str());
    _exit(127);
  }

  // Waits for output and takes it; false once both pipes are at their end. A program that neither ends nor
  // says anything for a minute hangs: it is killed, and its test fails by the signal.
  bool read_some() {
    constexpr int kHangsMs = 60'000;
    std::array<pollfd, 2> waiting;
    for (size_t i = 0; i < pipes_.size(); ++i) waiting[i] = {pipes_[i].fd, POLLIN, 0};
    if (pipes_[0].fd < 0 && pipes_[1].fd < 0) return false;
    const int ready = poll(waiting.data(), waiting.size(), kHangsMs);
    if (ready == 0) send(SIGKILL);
    for (size_t i = 0; i < pipes_.size(); ++i) {
      if (ready <= 0 || waiting[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = read(pipes_[i].fd, buffer, sizeof(buffer));
      if (got > 0) pipes_[i].text.append(buffer, static_cast<size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) pipes_[i].shut();
    }
    return true;
  }

  pid_t pid_ = -1;
  bool running_ = true;
  std::array<Pipe, 2> pipes_;
};

}  // namespace test_support
