# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks here share: starting and stopping a program that polls, asking it by control socket and
DPDK's telemetry, and the settings of a gateway whose NICs are sinks. Standard library only."""
import contextlib
import dataclasses
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time


class Failure(Exception):
    """A program did not do what a measurement needs; the text is for the user."""


def arguments(usage, least, *kinds):
    """The words of the command line, at least so many, each read as its kind. Where they are not that,
    `usage` is all that there is: status 2, or 0 when it was asked for."""
    words = sys.argv[1:]
    if "-h" in words or "--help" in words:
        print(usage)
        sys.exit(0)
    try:
        if not least <= len(words) <= len(kinds):
            raise ValueError
        return [kind(word) for kind, word in zip(kinds, words)]
    except ValueError:
        print(f"found {len(words)} argument(s): {' '.join(words)}; what they are:\n{usage}", file=sys.stderr)
        sys.exit(2)


class Ctl:
    """roceway's control socket (docs/control-socket.md)."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def ask(self, line):
        self.socket.sendall(line.encode() + b"\n")
        status, size = self.file.readline().split()
        text = self.file.read(int(size))
        if status != b"ok":
            raise Failure(f"{line}: {status} {text}")
        return text


class Telemetry:
    """DPDK's telemetry socket, which every DPDK program has: the same question to whoever is measured."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)
        self.socket.settimeout(10)
        self.pid = json.loads(self.socket.recv(65536))["pid"]

    def ask(self, question):
        self.socket.send(question.encode())
        name, answer = question.split(",")[0], {}
        try:
            while name not in answer:  # the answer to an earlier question may have come too late for it
                answer = json.loads(self.socket.recv(65536))
        except TimeoutError as late:
            raise Failure(
                f"{question}: no answer within 10 s; does something else take the CPU of control?"
            ) from late
        if answer[name] is None:
            raise Failure(f"{question}: no answer")
        return answer[name]

    def ports(self):
        """From a device's name to its number, which is not the same in every program."""
        return {self.ask(f"/ethdev/info,{port}")["name"]: port for port in self.ask("/ethdev/list")}


def threads(pid, what):
    """Number and /proc text of each thread of a program; without those that end meanwhile."""
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/{what}", encoding="utf-8") as file:
                yield task, file.read()
        except OSError:
            pass


@dataclasses.dataclass
class Scheduled:
    """What the scheduler did with a thread."""

    on_cpu_s: float
    waited_s: float  # ready to run, while something else had the CPU


def schedule(pid):
    """By thread."""
    fields = {task: text.split() for task, text in threads(pid, "schedstat")}
    return {task: Scheduled(int(on) / 1e9, int(waited) / 1e9) for task, (on, waited, _) in fields.items()}


def ended(status, limit):
    """In words. timeout(1) ends by its program's signal, or tells it as 128 and more."""
    if status == 124:
        return f"by its time limit of {limit:g} s"
    number = -status if status < 0 else status - 128
    return f"by signal {number}" if number > 0 else f"with status {status}"


class Program:
    """A program in a session of its own, so that Ctrl-C reaches the benchmark alone, which then ends it;
    timeout(1) ends it after `limit` seconds even when the benchmark is gone. What EAL writes at run time goes
    into `folder`."""

    def __init__(self, command, folder, limit, cpus, log=None, name=None):
        self.command, self.log = command, log or f"{folder}/log"
        self.name, self.limit = name or os.path.basename(command[0]), limit
        self.folder = folder
        with open(self.log, "wb") as file:
            self.process = subprocess.Popen(
                ["timeout", "--foreground", "-k", "5", str(limit), *command],
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=os.environ | {"RUNTIME_DIRECTORY": folder},
                preexec_fn=lambda: os.sched_setaffinity(0, cpus),
            )

    def check(self):
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                last = "".join("    " + line for line in file.readlines()[-12:])
            how = ended(self.process.returncode, self.limit)
            raise Failure(
                f"{self.name} ended {how} during its run; it said:\n{last.rstrip()}\n"
                f"  its command: {shlex.join(self.command)}"
            )

    @contextlib.contextmanager
    def alive(self):
        """What goes wrong in here because the program has ended is told as its end."""
        try:
            yield
        except (Failure, OSError, ValueError, KeyError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
            self.check()
            raise

    def wait_for(self, what, attempt, seconds=30):
        """The first true value of attempt(), asked again and again while the program runs."""
        deadline = time.monotonic() + seconds
        while True:
            self.check()
            try:
                if value := attempt():
                    return value
            # A socket that is not there yet, a device that has not been attached, a program that is gone.
            except (OSError, Failure, ValueError, KeyError):
                pass
            if time.monotonic() > deadline:
                raise Failure(
                    f"{' '.join(self.command)}\n  {what}: not within {seconds} s; its log: {self.log}"
                )
            time.sleep(0.02)

    def telemetry(self, prefix):
        return self.wait_for("telemetry", lambda: Telemetry(f"{self.folder}/dpdk/{prefix}/dpdk_telemetry.v2"))

    def stop(self, by_enter=False):
        """Ends it as its user would: by SIGTERM, or by Enter (testpmd). By force after 10 s. The exit
        status."""
        try:
            if by_enter:
                self.process.stdin.write(b"\n")
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        if not by_enter:
            self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            return self.process.wait()


def gateway_settings(captures, capture, lcores, more_args=(), distribution=""):
    """A settings file: `captures` access ports that play a capture again and again, four sinks as NICs."""
    sources = [f"net_pcap{i}" for i in range(captures)]
    sinks = [f"net_null{i}" for i in range(1, 5)]
    args = [
        "--no-pci",
        *more_args,
        *(f"--vdev={name},rx_pcap={os.path.abspath(capture)},infinite_rx=1" for name in sources),
        *(f"--vdev={name},no-rx=1" for name in sinks),
    ]
    text = f"[eal]\nargs = {json.dumps(args)}\n[engine]\nlcores = {json.dumps(lcores)}\n"
    text += f"[distribution]\n{distribution}\n"
    for group, names in ("access", sources), ("uplink", sinks):
        for name in names:
            text += f'[[port]]\ndevice = "{name}"\ngroup = "{group}"\n'
    return text
