# SPDX-License-Identifier: BSD-3-Clause
"""The latency comparison of bench_peers.py: latency_source on the main CPU sends frames through a program on
the worker's CPU and back, over two net_memif ports, at half the rate of the slower program. Each run is a new
process on both ends."""
import dataclasses
import json
import shlex
import statistics
import subprocess
import tempfile
import time

import pairs
import ratios
from programs import Failure, Program, Scheduled, schedule
from sides import MEMIFS, Run, memifs

RATE_PAIRS = 3  # of runs for the rates, before anything is compared
LEAST_SECONDS = 1  # of a window: the kernel takes a CPU from real time once a second, for 50 ms
MOST_REFUSED_APART = 0.1  # of the frames offered: beyond, the two sides were not offered the same
SECTION = "## Latency beside testpmd"
COLUMNS = [
    "comparison",
    "roceway, us",
    "testpmd, us",
    "ratio of medians",
    "90 % interval",
    "all pairs",
    "Mpps",
    "refused or lost",
    "runs",
]
INTRODUCTION = [
    "Written by `tools/bench-peers --only latency --write-row`; [the guide](guide.md#beside-its-peers) says",
    "what is measured. Times under way: median / 99 % / 99.9 % of a run, each the median over all runs.",
    "Mpps: offered to both. Refused or lost: of the frames offered, roceway, then testpmd.",
]


@dataclasses.dataclass
class Report:
    """What latency_source printed of one window."""

    median_us: float
    p99_us: float
    p999_us: float
    highest_us: float
    sent: int
    lost: int  # sent, and not back
    skipped: int  # not sent, since the source was off its CPU
    refused: int  # not sent, since the ring towards the program was full
    mpps: float  # that came back
    cpu_share: float  # of its CPU that the source had
    longest_away_us: float  # of the source, between two polls

    @property
    def times(self):
        return self.median_us, self.p99_us, self.p999_us


def report_of(log):
    """The report in the last line of the source's output, behind what EAL says."""
    try:
        return Report(**json.loads(log.strip().split("\n")[-1]))
    except (ValueError, TypeError) as wrong:
        raise Failure(f"latency_source printed no report but:\n{log}") from wrong


def source_command(conditions, options):
    return [
        conditions.latency_source,
        f"--lcores=0@{conditions.main_cpu}",
        *conditions.instance("source"),
        *memifs("client"),
        "--",
        *options,
        f"--seconds={conditions.seconds:g}",
        f"--priority={conditions.priority}",
    ]


def waited_s(pid, thread):
    """For its CPU. Not the time that it had: a program whose links are not up yet may not poll. 0 where the
    kernel does not tell."""
    return schedule(pid).get(thread, Scheduled(0, 0)).waited_s


def measure(side, conditions, *options):
    """A report, and the part of its CPU that a worker had, or the source where it had less."""
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as folder:
        run, source = Run(side, conditions, folder), None
        try:
            telemetry = run.telemetry()
            run.program.wait_for("devices", lambda: set(MEMIFS) <= set(telemetry.ports()))
            with run.program.alive():
                worker = conditions.raise_worker(telemetry.pid)
                before, begin = waited_s(telemetry.pid, worker), time.monotonic()
            # EAL's other threads stay on the CPU of control, too.
            source = Program(
                source_command(conditions, options),
                folder,
                conditions.seconds + 40,
                {conditions.main_cpu},
                f"{folder}/source.log",
            )
            status = source.process.wait(conditions.seconds + 50)
            with run.program.alive():
                waited, passed = waited_s(telemetry.pid, worker) - before, time.monotonic() - begin
                run.program.check()
            if status:
                source.check()
        except subprocess.TimeoutExpired as late:
            raise Failure(f"{shlex.join(source.command)}\n  does not end") from late
        finally:
            if source:
                source.stop()
            run.stop()
        with open(source.log, encoding="utf-8", errors="replace") as file:
            report = report_of(file.read())
    if not report.sent or report.lost == report.sent:
        raise Failure(f"{side.name}: {report.sent} frames were sent, and none came back")
    return report, min(1 - waited / passed, report.cpu_share)


def find_rate(comparison, conditions):
    """Half of the slower program's rate, in frames a second."""

    def said(ours, theirs):
        text = f"rates: {comparison.ours.name} {ours.mpps:.2f} Mpps, "
        text += f"{comparison.peer.name} {theirs.mpps:.2f} Mpps"
        for side, report in (comparison.ours, ours), (comparison.peer, theirs):
            if not report.refused:
                text += f"; {side.name} refused no frame: it may take more"
        return text

    found, _ = pairs.take(
        comparison, RATE_PAIRS, lambda side: measure(side, conditions, "--find-rate"), said
    )
    slower = min(statistics.median(report.mpps for report in side) for side in zip(*found))
    print(f"  offered: half of {slower:.2f} Mpps", flush=True)
    return slower * 1e6 / 2


def times(report):
    return f"{report.median_us:.2f} us (99 % {report.p99_us:.2f}, 99.9 % {report.p999_us:.2f})"


def refused_share(report):
    return report.refused / (report.sent + report.refused)


def unlike(ours, theirs):
    """Why these two are no pair, or nothing."""
    shares = refused_share(ours), refused_share(theirs)
    if abs(shares[0] - shares[1]) <= MOST_REFUSED_APART:
        return ""
    return f"{shares[0]:.1%} and {shares[1]:.1%} of the frames were refused"


def compare(comparison, conditions, count):
    """Pairs of reports, how many are spoilt, and the rate that was offered."""

    def said(ours, theirs):
        return (
            f"{comparison.ours.name} {times(ours)}, {comparison.peer.name} {times(theirs)}, "
            f"ratio {ours.median_us / theirs.median_us:.3f}"
        )

    print(f"  source: $ {shlex.join(source_command(conditions, ['--rate=HALF']))}")
    rate = find_rate(comparison, conditions)
    taken, spoilt = pairs.take(
        comparison, count, lambda side: measure(side, conditions, f"--rate={rate:.0f}"), said, unlike
    )
    return taken, spoilt, rate


def result_of(taken):
    return ratios.Result(*([report.median_us for report in side] for side in zip(*taken)))


def medians(reports):
    """Over all runs: of the medians, the 99th and the 99.9th percentiles."""
    return [statistics.median(values) for values in zip(*(report.times for report in reports))]


def kept_out(reports):
    """The part of the frames offered that did not come through."""
    offered = sum(report.sent + report.refused for report in reports)
    return sum(report.lost + report.refused for report in reports) / offered


def conclude(comparison, taken):
    for side, reports in zip((comparison.ours, comparison.peer), zip(*taken)):
        low, middle, high = medians(reports)
        print(
            f"  {side.name}: median {low:.2f} us, 99 % {middle:.2f} us, 99.9 % {high:.2f} us; "
            f"medians {ratios.spread([report.median_us for report in reports], 2)}; "
            f"{sum(report.lost for report in reports)} lost, "
            f"{sum(report.refused for report in reports)} refused, "
            f"{sum(report.skipped for report in reports)} skipped of "
            f"{sum(report.sent + report.refused + report.skipped for report in reports)}; "
            f"source away for up to {max(report.longest_away_us for report in reports):.0f} us"
        )


def row(name, taken, rate, runs):
    result = result_of(taken)
    low, high = result.interval
    ours, theirs = zip(*taken)
    cells = [
        name,
        " / ".join(f"{time:.2f}" for time in medians(ours)),
        " / ".join(f"{time:.2f}" for time in medians(theirs)),
        f"{result.ratio:.3f}",
        f"{low:.3f} to {high:.3f}",
        ratios.spread(result.ratios, 3),
        f"{rate / 1e6:.2f}",
        f"{kept_out(ours):.3%}, {kept_out(theirs):.3%}",
        runs,
    ]
    return "| " + " | ".join(cells) + " |"
