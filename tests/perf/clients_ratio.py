#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What clients cost: one run at full forwarding rate, in windows that alternate between nobody and 8 clients of the control
socket with 8 of DPDK's telemetry, each asking again as soon as it has its answer (or PER_SECOND times a second). Prints the
rate of each pair of windows, the median of the ratios, questions and answers, and the program's open descriptors before and
after 50 clients that hang up in the middle of an answer. A benchmark, not a test.
  clients_ratio.py build/release/roceway configs/flows.pcap [PAIRS] [SECONDS] [PER_SECOND]"""
import json
import os
import statistics
import sys
import tempfile
import threading
import time

from programs import Ctl, Program, Telemetry, arguments, gateway_settings

GIVEN = arguments(__doc__, 2, str, str, int, float, float)
PROGRAM, CAPTURE, PAIRS, SECONDS, PER_SECOND = GIVEN + [12, 5, 0][len(GIVEN) - 2 :]
CLIENTS = 8
COMMANDS = ["show ledger --json", "show distribution", "show port stats all", "show drops", "show fwd stats all"]
QUESTIONS = ["/roceway/ports", "/roceway/ledger", "/roceway/queues", "/roceway/lcores", "/roceway/drops"]


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
    prefix = f"clients-{os.getpid()}"  # whatever else of DPDK runs here
    telemetry = f"{folder.name}/dpdk/{prefix}/dpdk_telemetry.v2"
    with open(config, "w", encoding="utf-8") as file:
        file.write(gateway_settings(1, CAPTURE, ["1@1"], [f"--file-prefix={prefix}"]))
    limit = 120 + 3 * PAIRS * SECONDS
    program = Program([PROGRAM, "--config", config, "--ctl", path], folder.name, limit, {0, 1})
    pid = program.telemetry(prefix).pid
    program.wait_for("packets", lambda: sent(Ctl(path)))
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
    threads += [threading.Thread(target=client, args=(CLIENTS + i, lambda: Telemetry(telemetry), QUESTIONS))
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
    before = descriptors(pid)
    for _ in range(50):
        hasty = Ctl(path)
        hasty.socket.sendall(b"show tech\nshow tech\nshow re")
        hasty.socket.close()
        hasty.file.close()
    sent(control)
    deadline = time.monotonic() + 20
    while descriptors(pid) > before and time.monotonic() < deadline:
        time.sleep(0.05)
    print(f"median ratio {statistics.median(ratios):.4f} of {len(ratios)} pairs, {min(ratios):.4f} to {max(ratios):.4f}")
    print(f"{sum(asked[:CLIENTS])} commands and {sum(asked[CLIENTS:])} telemetry questions answered, {len(failed)} lost {failed[:3]}")
    print(f"descriptors: {before} before 50 clients that hung up, {descriptors(pid)} after")
    print("exit status", program.stop())


main()
