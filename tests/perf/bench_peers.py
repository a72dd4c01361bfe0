#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""roceway beside its peers, in alternating pairs of runs under equal conditions: tools/bench-peers runs it.
Each run is a new process; the rate is what the sinks took between two readings of DPDK's telemetry, in the
steady middle of it."""
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time

import conditions as machine
import latency
import pairs
import picture
import ratios
from peer_options import NUMBERS, ROOT, options
from programs import Failure, schedule
from sides import COMPARISONS, Run

INTRODUCTION = [
    "Written by `tools/bench-peers --write-row`, which prints the commands of both sides and the work of",
    "each; [the guide](guide.md#beside-its-peers) says what is compared. Medians of alternating pairs of runs",
    "with one worker; ratio: roceway to peer; 90 % interval: its bootstrap interval; all pairs: the lowest and",
    "the highest ratio.",
]


def numbers(telemetry, names):
    """The numbers of these devices, once all are there."""
    ports = telemetry.ports()
    return [ports[name] for name in names] if set(names) <= set(ports) else None


def sent(telemetry, ports):
    """When each sink was asked, and what it had taken."""
    return [(time.monotonic(), telemetry.ask(f"/ethdev/stats,{port}")["opackets"]) for port in ports]


def measure(side, conditions):
    """Mpps into the sinks, and the part of its CPU that the worker had."""
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as folder:
        run = Run(side, conditions, folder)
        try:
            telemetry = run.telemetry()
            names = [f"net_null{n}" for n in range(1, side.sinks + 1)]
            ports = run.program.wait_for("devices", lambda: numbers(telemetry, names))
            run.program.wait_for(
                "packets in every sink", lambda: all(count for _, count in sent(telemetry, ports))
            )
            with run.program.alive():
                conditions.raise_worker(telemetry.pid)
                time.sleep(side.settle_s)
                cpu_before, before = schedule(telemetry.pid), sent(telemetry, ports)
                time.sleep(conditions.seconds)
                after, cpu_after = sent(telemetry, ports), schedule(telemetry.pid)
                run.program.check()
        finally:
            run.stop()
    rate = sum(
        (count - count_before) / (at - at_before)
        for (at_before, count_before), (at, count) in zip(before, after)
    )
    both = cpu_before.keys() & cpu_after.keys()
    busiest = max((cpu_after[task].on_cpu_s - cpu_before[task].on_cpu_s for task in both), default=0)
    return rate / 1e6, busiest / (after[0][0] - before[0][0])


def compare(comparison, conditions, count):
    """Rates, and how many pairs of them are spoilt."""

    def said(ours, theirs):
        line = f"{comparison.ours.name} {ours:6.2f} Mpps, {comparison.peer.name} {theirs:6.2f} Mpps"
        return line + f", ratio {ours / theirs:.3f}"

    taken, spoilt = pairs.take(comparison, count, lambda side: measure(side, conditions), said)
    return ratios.Result(*map(list, zip(*taken))), spoilt


def introduce(comparison, conditions=None):
    print(f"\n{comparison.name}")
    for side in (comparison.ours, comparison.peer):
        print(f"  {side.name}: {side.work}")
        if conditions:
            print("    " + side.shown(conditions))
    print("  difference: " + comparison.difference)


def conclude(comparison, result):
    low, high = result.interval
    print(
        f"  ratio: median {result.ratio:.3f}, 90 % interval {low:.3f} to {high:.3f}, "
        f"pairs {ratios.spread(result.ratios, 3)}"
    )
    print("  bar: " + verdict(comparison, result))


def verdict(comparison, result):
    bar = comparison.bar, comparison.aim, comparison.by_lower_bound
    return ratios.verdict(*bar, result, comparison.latency)


def rates_row(comparison, conditions, given, runs):
    """Measures. The pairs, how many are spoilt, the row, and what ratios.with_row needs beside it."""
    result, spoilt = compare(comparison, conditions, given.pairs)
    for side, rates in (comparison.ours, result.ours), (comparison.peer, result.theirs):
        print(f"  {side.name}: median {statistics.median(rates):.2f} Mpps, {ratios.spread(rates, 2)}")
    return result, spoilt, ratios.row(comparison.name, result, runs), [INTRODUCTION]


def latency_row(comparison, conditions, given, runs):
    taken, spoilt, rate = latency.compare(comparison, conditions, given.pairs)
    latency.conclude(comparison, taken)
    row = latency.row(comparison.name, taken, rate, runs)
    return latency.result_of(taken), spoilt, row, [latency.INTRODUCTION, latency.SECTION, latency.COLUMNS]


def measure_all(given):
    if not os.access(given.latency_source, os.X_OK) and any(c.latency for c in given.chosen):
        print(f"latency is left out: there is no {given.latency_source}; --latency-source names another one")
        given.chosen = [c for c in given.chosen if not c.latency]
    conditions = machine.found(given)
    print(
        f"{given.pairs} pairs for each comparison, {given.seconds:g} s a window, taking turns in going first"
    )
    if given.pairs < ratios.LEAST_PAIRS:
        print(f"fewer than {ratios.LEAST_PAIRS} pairs are a look, not a figure")
    print("\n".join(conditions.lines()))
    panels = []
    for comparison in given.chosen:
        introduce(comparison, conditions)
        measured = latency_row if comparison.latency else rates_row
        runs = f"{given.pairs} x {given.seconds:g} s, {conditions.short()}"
        result, spoilt, row, table = measured(comparison, conditions, given, runs)
        if spoilt:
            raise Failure(
                f"{spoilt} of {given.pairs} pairs are spoilt, as said above, and their figures are none; let "
                f"nothing else run on CPU {conditions.worker_cpu}"
                + (f" or {conditions.main_cpu}" if comparison.latency else "")
            )
        conclude(comparison, result)
        print(f"  row: {row}")
        if given.write_row:
            text = ratios.with_row(NUMBERS.read_text(encoding="utf-8"), comparison.name, row, *table)
            NUMBERS.write_text(text, encoding="utf-8")
        panels.append(picture.Panel(comparison, result, verdict(comparison, result)))
        # Written after each comparison: what has been measured is not lost to an interruption.
        pathlib.Path(given.picture).write_text(picture.svg(panels, conditions.short()), encoding="utf-8")
    print(f"\npicture: {given.picture}" + (f"; rows: {NUMBERS.relative_to(ROOT)}" if given.write_row else ""))


ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


class Ended(BaseException):
    """By a signal; not an Exception, so that nothing takes it for a problem of its own."""


def end_by(number, _):
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)  # a second one would leave running what the first one ends
    raise Ended(number)


def main(words):
    given = options(words)
    if given.check_options:
        machine.two_cpus()
        return 0
    if given.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a pager that is left early
        for comparison in COMPARISONS:
            introduce(comparison)
        return 0
    # What was started is ended on the way out, whatever the signal is, and also where a shell has Ctrl-C
    # ignored.
    for number in ENDING:
        signal.signal(number, end_by)
    os.chdir(ROOT)  # the shipped configuration names its capture from here
    try:
        os.makedirs(os.path.dirname(given.picture), exist_ok=True)
        measure_all(given)
    except Ended as ended:
        number = signal.Signals(ended.args[0])
        what = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
        print(f"\n{what}; nothing of it is left running", file=sys.stderr)
        return 128 + number
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failure, OSError, ValueError) as problem:
        print(f"bench-peers: {problem}", file=sys.stderr)
        sys.exit(1)
