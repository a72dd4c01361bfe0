// SPDX-License-Identifier: BSD-3-Clause
// The prompt on a pseudo-terminal: keys are pressed, what the screen gets is read.
#include "console/prompt.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <vector>

#include "console/small_table.h"
#include "console/terminal.h"

namespace {

using console::Answer;
using console::Outcome;
using console::Prompt;

class PromptTest : public testing::Test {
 protected:
  PromptTest() {
    int keyboard = -1, terminal = -1;
    EXPECT_EQ(openpty(&keyboard, &terminal, nullptr, nullptr, nullptr), 0);
    keyboard_.reset(keyboard);
    terminal_.reset(terminal);
    prompt_.emplace(
        console_test::small_parser().context(), "roceway> ",
        [this](const std::string& line) { return run(line); }, terminal, terminal, nobody_left_.fd());
  }
  ~PromptTest() override { lines_that_ran(); }
  std::optional<Answer> run(const std::string& line) {
    lines_.push_back(line);
    if (line == "big") return Answer::say(std::string(1 << 20, 'b') + '\n');
    return console_test::understood(line);
  }

  void starts() {
    thread_ = std::thread([this] { outcome_ = prompt_->run(); });
    waits_for("roceway> ");
  }
  void press(std::string_view keys) const { ASSERT_TRUE(console::write_all(keyboard_.get(), keys, -1)); }
  // What the screen got up to `text` and with it.
  std::string waits_for(const std::string& text) {
    size_t at = 0;
    while ((at = screen_.find(text)) == std::string::npos) {
      char bytes[4096];
      const ssize_t size = read(keyboard_.get(), bytes, sizeof bytes);
      if (size <= 0) {
        ADD_FAILURE() << "the terminal is closed; it had: " << screen_;
        return {};
      }
      screen_.append(bytes, static_cast<size_t>(size));
    }
    const std::string seen = screen_.substr(0, at + text.size());
    screen_.erase(0, seen.size());
    return seen;
  }
  const Outcome& ends() {
    thread_.join();
    return outcome_;
  }
  // Ends the prompt first.
  const std::vector<std::string>& lines_that_ran() {
    if (thread_.joinable()) {
      prompt_->stop();
      thread_.join();
    }
    return lines_;
  }
  termios modes() const {
    termios now{};
    EXPECT_EQ(tcgetattr(terminal_.get(), &now), 0);
    return now;
  }

  console::Descriptor keyboard_, terminal_;
  console::Bell nobody_left_;
  std::optional<Prompt> prompt_;
  std::thread thread_;
  Outcome outcome_;
  std::string screen_;
  std::vector<std::string> lines_;
};

using Lines = std::vector<std::string>;

TEST_F(PromptTest, RunsLinesUntilQuit) {
  const termios before = modes();
  starts();
  EXPECT_EQ(modes().c_lflag & (ICANON | ECHO | ISIG), 0U);
  press("start\r");
  waits_for("ran start\r\nroceway> ");
  press("set burst 0\n");
  waits_for("n: found \"0\"; allowed: a whole number 1 to 512\r\nroceway> ");
  press("quit\r");
  waits_for("ran quit\r\n");
  EXPECT_TRUE(ends().quit);
  EXPECT_EQ(lines_that_ran(), (Lines{"start", "set burst 0", "quit"}));
  EXPECT_EQ(modes().c_lflag, before.c_lflag);
}

TEST_F(PromptTest, CompletesAndRemembers) {
  starts();
  press("sh\t");
  waits_for("show ");
  press("p\ti\t0\r");
  waits_for("ran show port info <port:ports>\r\nroceway> ");
  press("show port i?");
  waits_for("[Fixed STRING]: show port info <port:ports>: Show ports");
  press("\x03");
  waits_for("^C\r\nroceway> ");
  press("\x1b[A\r");
  waits_for("ran show port info <port:ports>\r\nroceway> ");
  EXPECT_EQ(lines_that_ran(), (Lines{"show port info 0", "show port info 0"}));
}

TEST_F(PromptTest, CtrlCDropsTheLineAndCtrlDLeaves) {
  starts();
  press("\x03");
  waits_for("type quit, or press Ctrl-D, to leave\r\nroceway> ");
  press("start\x03");
  waits_for("^C\r\nroceway> ");
  press("\x04");
  EXPECT_TRUE(ends().quit);
  EXPECT_EQ(lines_that_ran(), Lines{});
}

TEST_F(PromptTest, RefusesLinesThatItCannotHold) {
  starts();
  press("set note " + std::string(600, 'x') + "\r");
  waits_for("Nothing was run; put it into a file: load FILE\r\nroceway> ");
  press("set note caf\xc3\xa9\r");
  waits_for("Nothing was run\r\nroceway> ");
  press("set note " + std::string(501, 'x') + "\r");
  waits_for("ran set note <text...>\r\n");
  EXPECT_EQ(lines_that_ran(), (Lines{"set note " + std::string(501, 'x')}));
}

TEST_F(PromptTest, PrintsAboveWhatIsTyped) {
  starts();
  press("sta");
  waits_for("sta");
  prompt_->print_above("link of port 0 is down\n");
  const std::string seen = waits_for("roceway> sta");
  EXPECT_EQ(seen.find("\r\033[Klink of port 0 is down\r\n"), 0U) << seen;
  press("rt\r");
  waits_for("ran start\r\n");
  EXPECT_EQ(lines_that_ran(), Lines{"start"});
}

TEST_F(PromptTest, WritesLongAnswersInFull) {
  starts();
  press("big\r");
  waits_for("big\r\r\n");
  EXPECT_TRUE(waits_for("\r\nroceway> ") == std::string(1 << 20, 'b') + "\r\nroceway> ");
}

// Nobody reads the terminal, which is full; the prompt ends all the same.
TEST_F(PromptTest, StopsAlsoWhenTheTerminalIsStuck) {
  starts();
  press("big\r");
  prompt_->stop();
  EXPECT_TRUE(ends().stopped);
}

TEST_F(PromptTest, EndsWhenTheTerminalHangsUp) {
  starts();
  keyboard_.reset();
  EXPECT_TRUE(ends().quit);
}

// Whoever ran the lines is gone.
TEST_F(PromptTest, EndsWithTheOtherEnd) {
  starts();
  press("sta");
  waits_for("sta");
  nobody_left_.ring();
  EXPECT_TRUE(ends().stopped);
  EXPECT_EQ(lines_that_ran(), Lines{});
}

// A child that changes the terminal and is killed by a signal, as far as a signal leaves it a choice.
TEST_F(PromptTest, SignalsThatKillRestoreTheTerminal) {
  const termios before = modes();
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGABRT}) {
    SCOPED_TRACE(signal);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::signal(signal, SIG_DFL);
      const console::RawTerminal raw(terminal_.get());
      if ((modes().c_lflag & ECHO) != 0) _exit(1);
      raise(signal);
      _exit(2);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(modes().c_lflag, before.c_lflag);
  }
}

}  // namespace
