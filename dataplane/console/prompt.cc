// SPDX-License-Identifier: BSD-3-Clause
// Keys in, lines run, text out; see prompt.h.
#define ALLOW_EXPERIMENTAL_API  // rdline_new and its like: the library's editor with callbacks of our own
#include "console/prompt.h"

#include <cmdline_rdline.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "console/terminal.h"

namespace console {
namespace {

// The editor drops what is typed beyond its room (512 bytes in DPDK 22.11) without a word; a line that fills
// it may have lost its end.
constexpr size_t kMostPromptBytes = 510;
constexpr size_t kMostWaitingAbove = size_t{1} << 20;
constexpr char kCtrlC = 3;

}  // namespace

struct Prompt::Editor {
  explicit Editor(Prompt& owner) : owner_(owner), rdline(rdline_new(put_char, keep_line, complete, this)) {
    static cmdline_parse_ctx_t nothing[] = {nullptr};
    completion = cmdline_new(owner.context_ != nullptr ? owner.context_ : nothing, "", -1, -1);
    if (rdline == nullptr || completion == nullptr) throw std::bad_alloc();
  }
  ~Editor() {
    cmdline_free(completion);
    rdline_free(rdline);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  static Editor& of(rdline* line) { return *static_cast<Editor*>(rdline_get_opaque(line)); }
  static int put_char(struct rdline* line, char c) {
    of(line).screen += c;
    return 1;
  }
  static void keep_line(struct rdline* line, const char* text, unsigned) { of(line).entered = text; }
  static int complete(struct rdline* line, const char* text, char* out, unsigned size, int* state) {
    return cmdline_complete(of(line).completion, text, state, out, size);
  }

  std::string typed() const {
    std::string text = rdline_get_buffer(rdline);
    text.erase(std::min(text.find('\n'), text.size()));
    return text;
  }
  void ask() { rdline_newline(rdline, owner_.text_.c_str()); }
  void flush() {
    owner_.write(screen);
    screen.clear();
  }

  Prompt& owner_;
  struct rdline* rdline;
  cmdline* completion = nullptr;
  std::string screen;       // what the editor wants shown and is not yet
  std::string entered;      // the line that Enter ended
  std::string last;         // in the history
  bool is_foreign = false;  // bytes were typed that the editor does not take
};

Prompt::Prompt(cmdline_parse_ctx_t* context, std::string text, RunLine run, int in, int out, int end_fd)
    : context_(context),
      text_(std::move(text)),
      in_(in),
      out_(out),
      end_fd_(end_fd),
      own_out_(reopen_terminal(out)),
      runner_(
          std::move(run), [this](std::string_view answer) { write(answer); }, stop_.fd()) {}

Prompt::~Prompt() = default;

void Prompt::stop() {
  stop_.ring();
}

void Prompt::print_above(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + text.size() > kMostWaitingAbove) {
      ++left_out_;
    } else {
      waiting_ += text;
    }
  }
  news_.ring();
}

void Prompt::write(std::string_view text) {
  write_all(own_out_ ? own_out_.get() : out_, text, stop_.fd());
}

void Prompt::write_waiting_lines(Editor& editor) {
  std::string lines;
  {
    const std::lock_guard lock(mutex_);
    lines.swap(waiting_);
    if (left_out_ > 0) lines += "(" + std::to_string(left_out_) + " messages were left out)\n";
    left_out_ = 0;
  }
  if (lines.empty()) return;
  editor.screen += "\r\033[K" + lines;
  rdline_redisplay(editor.rdline);
}

Outcome Prompt::run() {
  const RawTerminal raw(in_);
  Editor editor(*this);
  Outcome outcome;
  editor.ask();
  while (true) {
    editor.flush();
    pollfd waits[] = {
        {stop_.fd(), POLLIN, 0}, {news_.fd(), POLLIN, 0}, {in_, POLLIN, 0}, {end_fd_, POLLIN, 0}};
    if (poll(waits, 4, -1) < 0) continue;
    if (waits[0].revents != 0 || waits[3].revents != 0) {
      outcome.stopped = true;
      break;
    }
    if (waits[1].revents != 0) {
      news_.silence();
      write_waiting_lines(editor);
    }
    if (waits[2].revents == 0) continue;
    char keys[256];
    const ssize_t size = read(in_, keys, sizeof keys);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    outcome.quit = size <= 0;  // hung up
    const bool ends = std::any_of(keys, keys + std::max<ssize_t>(size, 0),
                                  [&](char key) { return press(editor, key, outcome) == Key::ends; });
    if (ends || outcome.quit) break;
  }
  editor.screen += "\n";
  editor.flush();
  return outcome;
}

Prompt::Key Prompt::press(Editor& editor, char key, Outcome& outcome) {
  if (static_cast<unsigned char>(key) >= 0x80) {
    editor.is_foreign = true;
    editor.screen += '\a';
    return Key::goes_on;
  }
  if (key == kCtrlC) {
    editor.screen += editor.typed().empty() ? "^C\ntype quit, or press Ctrl-D, to leave\n" : "^C\n";
    editor.is_foreign = false;
    editor.ask();
    return Key::goes_on;
  }
  const int result = rdline_char_in(editor.rdline, key);
  if (result == RDLINE_RES_VALIDATED) return enter(editor, outcome);
  outcome.quit = result == RDLINE_RES_EOF;
  return outcome.quit ? Key::ends : Key::goes_on;
}

Prompt::Key Prompt::enter(Editor& editor, Outcome& outcome) {
  std::string line = std::exchange(editor.entered, {});
  line.erase(std::min(line.find('\n'), line.size()));
  editor.flush();
  if (std::exchange(editor.is_foreign, false)) {
    write("found bytes that are not ASCII; allowed at the prompt: ASCII. Nothing was run\n");
  } else if (line.size() > kMostPromptBytes) {
    write("a line at the prompt has up to " + std::to_string(kMostPromptBytes) +
          " bytes, this one may have lost its end. Nothing was run; put it into a file: load FILE\n");
  } else {
    if (!line.empty() && line != editor.last) rdline_add_history(editor.rdline, line.c_str());
    editor.last = line;
    outcome = runner_.line(line);
    if (outcome.problem) write(*std::exchange(outcome.problem, std::nullopt) + '\n');
    if (!outcome.goes_on()) return Key::ends;
  }
  editor.ask();
  return Key::goes_on;
}

}  // namespace console
