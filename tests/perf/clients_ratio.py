#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What clients cost: one run at full forwarding rate, in windows that alternate between nobody and 8 clients of the control
socket with 8 of DPDK's telemetry, each asking again as soon as it has its answer (or PER_SECOND times a second). Prints the
rate of each pair of windows, the median of the ratios, questions and answers, and the program's open descriptors before and
after 50 clients that hang up in the middle of an answer. A benchmark, not a test.
  clients_ratio.py build/release/roceway configs/flows.pcap [PAIRS] [SECONDS] [PER_SECOND]"""
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM, CAPTURE = sys.argv[1:3]
PAIRS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
SECONDS = float(sys.argv[4]) if len(sys.argv) > 4 else 5
PER_SECOND = float(sys.argv[5]) if len(sys.argv) > 5 else 0
CLIENTS = 8
COMMANDS = ["show ledger --json", "show distribution", "show port stats all", "show drops", "show fwd stats all"]
QUESTIONS = ["/roceway/ports", "/roceway/ledger", "/roceway/queues", "/roceway/lcores", "/roceway/drops"]

CONFIG = """
[eal]
args = ["--no-pci", "--file-prefix=clients", "--vdev=net_pcap0,rx_pcap={capture},infinite_rx=1", "--vdev=net_null1,no-rx=1",
        "--vdev=net_null2,no-rx=1", "--vdev=net_null3,no-rx=1", "--vdev=net_null4,no-rx=1"]
[engine]
lcores = ["1@1"]
[[port]]
device = "net_pcap0"
group = "access"
"""


class Ctl:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def ask(self, line):
        self.socket.sendall(line.encode() + b"\n")
        status, size = self.file.readline().split()
        text = self.file.read(int(size))
        if status != b"ok":
            raise RuntimeError(f"{line}: {status} {text}")
        return text


class Telemetry:
    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(folder + "/dpdk_telemetry.v2")
        self.socket.recv(65536)

    def ask(self, question):
        self.socket.send(question.encode())
        answer = json.loads(self.socket.recv(65536))
        if answer.get(question.split(",")[0]) is None:
            raise RuntimeError(f"{question}: {answer}")


def sent(control):
    return json.loads(control.ask("show ledger --json"))["all"]["sent"]


def rate(control):
    begin, sent_before = time.monotonic(), sent(control)
    time.sleep(SECONDS)
    return (sent(control) - sent_before) / (time.monotonic() - begin) / 1e6


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def main():
    os.sched_setaffinity(0, {0})
    folder = tempfile.TemporaryDirectory()
    config, path = folder.name + "/clients.toml", folder.name + "/ctl.sock"
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(capture=os.path.abspath(CAPTURE)))
        for nic in range(1, 5):
            file.write(f'[[port]]\ndevice = "net_null{nic}"\ngroup = "uplink"\n')
    program = subprocess.Popen([PROGRAM, "--config", config, "--ctl", path], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, {0, 1}))
    while "running" not in program.stdout.readline():
        pass
    threading.Thread(target=program.stdout.read, daemon=True).start()
    runtime = "/var/run/dpdk/clients" if os.getuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp") + "/dpdk/clients"
    asking, ended, asked, failed = threading.Event(), threading.Event(), [0] * (2 * CLIENTS), []

    def client(index, make, questions):
        try:
            connection = make()
            while not ended.is_set():
                if not asking.wait(0.05):
                    continue
                connection.ask(questions[asked[index] % len(questions)])
                asked[index] += 1
                if PER_SECOND > 0:
                    time.sleep(1 / PER_SECOND)
        except Exception as error:  # an answer that is lost or wrong
            failed.append(repr(error))

    threads = [threading.Thread(target=client, args=(i, lambda: Ctl(path), COMMANDS)) for i in range(CLIENTS)]
    threads += [threading.Thread(target=client, args=(CLIENTS + i, lambda: Telemetry(runtime), QUESTIONS))
                for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    control, ratios = Ctl(path), []
    rate(control)
    for pair in range(PAIRS):
        rates = {}
        for with_clients in [False, True] if pair % 2 == 0 else [True, False]:
            asking.set() if with_clients else asking.clear()
            rates[with_clients] = rate(control)
        asking.clear()
        ratios.append(rates[True] / rates[False])
        print(f"nobody {rates[False]:7.2f} Mpps  16 clients {rates[True]:7.2f} Mpps  ratio {ratios[-1]:.4f}", flush=True)
    ended.set()
    asking.set()
    for thread in threads:
        thread.join()
    before = descriptors(program.pid)
    for _ in range(50):
        hasty = Ctl(path)
        hasty.socket.sendall(b"show tech\nshow tech\nshow re")
        hasty.socket.close()
        hasty.file.close()
    sent(control)
    deadline = time.monotonic() + 20
    while descriptors(program.pid) > before and time.monotonic() < deadline:
        time.sleep(0.05)
    print(f"median ratio {statistics.median(ratios):.4f} of {len(ratios)} pairs, {min(ratios):.4f} to {max(ratios):.4f}")
    print(f"{sum(asked[:CLIENTS])} commands and {sum(asked[CLIENTS:])} telemetry questions answered, {len(failed)} lost {failed[:3]}")
    print(f"descriptors: {before} before 50 clients that hung up, {descriptors(program.pid)} after")
    program.terminate()
    print("exit status", program.wait())


main()
