#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""roceway beside its peers, in alternating pairs of runs under equal conditions: tools/bench-peers runs it.
Each run is a new process; the rate is what the sinks took between two readings of DPDK's telemetry, in the
steady middle of it."""
import argparse
import difflib
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
from programs import Failure, schedule
from sides import COMPARISONS, Run

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = ROOT / "docs/numbers.md"
INTRODUCTION = [
    "Written by `tools/bench-peers --write-row`, which prints the commands of both sides and the work of",
    "each; [the guide](guide.md#beside-its-peers) says what is compared. Medians of alternating pairs of runs",
    "with one worker; ratio: roceway to peer; 90 % interval: its bootstrap interval; all pairs: the lowest and",
    "the highest ratio.",
]


def positive(kind, highest):
    def read(text):
        value = kind(text)
        if not 0 < value <= highest:
            raise ValueError
        return value

    def say(text):
        try:
            return read(text)
        except ValueError as wrong:
            raise argparse.ArgumentTypeError(
                f'found "{text}"; allowed: above 0, at most {highest}'
            ) from wrong

    return say


def options(words):
    parser = argparse.ArgumentParser(
        prog="bench-peers",
        allow_abbrev=False,
        description="Measures roceway beside its peers "
        "in alternating pairs of runs and prints the ratio of each.",
    )
    parser.add_argument(
        "--list", action="store_true", help="names the comparisons and says the work of each side"
    )
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="this comparison; may be repeated"
    )
    parser.add_argument(
        "--pairs", metavar="N", type=positive(int, 1000), default=15, help="pairs of runs (15)"
    )
    parser.add_argument(
        "--seconds", metavar="S", type=positive(float, 600), default=2, help="of each window (2)"
    )
    parser.add_argument("--ovs", action="store_true", help="OVS-DPDK too; installs openvswitch-switch-dpdk")
    parser.add_argument(
        "--simd", metavar="BITS", type=int, choices=[64, 128, 256, 512], help="for both sides (the CPU's)"
    )
    parser.add_argument(
        "--program",
        metavar="FILE",
        default="build/release/roceway",
        help="another roceway than build/release/roceway, which is built when needed",
    )
    parser.add_argument(
        "--latency-source",
        metavar="FILE",
        default=str(ROOT / "build/release/latency_source"),
        help="another one than build/release/latency_source, for the comparison latency",
    )
    parser.add_argument(
        "--picture", metavar="FILE", default="build/bench-peers.svg", help="(build/bench-peers.svg)"
    )
    parser.add_argument("--write-row", action="store_true", help="puts the rows into docs/numbers.md")
    parser.add_argument("--check-options", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    # The wrapper checks options where it stands; files are named from where the user stands.
    if not given.check_options and given.program != parser.get_default("program"):
        if not os.access(given.program, os.X_OK) or os.path.isdir(given.program):
            parser.error(f'argument --program: "{given.program}" is no program that can be run here')
    names = [comparison.name for comparison in COMPARISONS]
    for name in given.only:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            parser.error(
                f'no comparison "{name}"'
                + (f', did you mean "{near[0]}"?' if near else "")
                + f"; there are: {', '.join(names)}"
            )
        if name == "gateway-ovs" and not given.ovs:
            parser.error(f"{name} needs --ovs too, which installs openvswitch-switch-dpdk")
    if given.write_row and given.pairs < ratios.LEAST_PAIRS:
        parser.error(f"--write-row wants at least {ratios.LEAST_PAIRS} pairs, not {given.pairs}")
    given.chosen = [
        c
        for c in COMPARISONS
        if c.name in given.only or not given.only and (given.ovs or c.peer.program != "ovs")
    ]
    return given


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
    bar = comparison.bar, comparison.aim, comparison.by_lower_bound
    print("  bar: " + ratios.verdict(*bar, result, comparison.latency))


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
        said = f"there is no {given.latency_source}: ninja -C build/release latency_source makes one"
        if "latency" in given.only:
            raise Failure(said)
        print(f"latency is left out: {said}")
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
        conclude(comparison, result)
        if spoilt:
            raise Failure(
                f"{spoilt} of {given.pairs} pairs are spoilt: something else runs on CPU "
                f"{conditions.worker_cpu}{' or ' + str(conditions.main_cpu) if comparison.latency else ''}, "
                "and what is measured beside it is no figure"
            )
        print(f"  row: {row}")
        if given.write_row:
            text = ratios.with_row(NUMBERS.read_text(encoding="utf-8"), comparison.name, row, *table)
            NUMBERS.write_text(text, encoding="utf-8")
        panels.append(
            (f"{comparison.name}: {comparison.ours.name} to {comparison.peer.name}", result, comparison.bar)
        )
        # Written after each comparison: what has been measured is not lost to an interruption.
        pathlib.Path(given.picture).write_text(picture.svg(panels, conditions.short()), encoding="utf-8")
    print(f"\npicture: {given.picture}" + (f"; rows: {NUMBERS.relative_to(ROOT)}" if given.write_row else ""))


def main(words):
    given = options(words)
    if given.check_options:
        return 0
    if given.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a pager that is left early
        for comparison in COMPARISONS:
            introduce(comparison)
        return 0
    # What was started is ended on the way out, whatever the signal is, and also where a shell has Ctrl-C
    # ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    given.program = os.path.abspath(given.program)
    given.latency_source = os.path.abspath(given.latency_source)
    given.picture = os.path.abspath(given.picture)
    os.chdir(ROOT)  # the shipped configuration names its capture from here
    try:
        os.makedirs(os.path.dirname(given.picture), exist_ok=True)
        measure_all(given)
    except KeyboardInterrupt:
        print("\ninterrupted; nothing of it is left running", file=sys.stderr)
        return 130
    except (Failure, OSError, ValueError) as problem:
        print(f"bench-peers: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
