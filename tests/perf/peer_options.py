# SPDX-License-Identifier: BSD-3-Clause
"""The command line of bench_peers.py. Whatever would end a measurement that has begun is looked at here,
before anything is installed, built or measured: the files that are named, too. Files are named from where the
user stands; defaults lie in the repository."""
import argparse
import difflib
import os
import pathlib
import subprocess
import tempfile

import latency
import ratios
from sides import COMPARISONS

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = ROOT / "docs/numbers.md"
PROGRAM = str(ROOT / "build/release/roceway")
LATENCY_SOURCE = str(ROOT / "build/release/latency_source")
PICTURE = str(ROOT / "build/bench-peers.svg")


def positive(kind, highest):
    def say(text):
        allowed = f'found "{text}"; allowed: above 0, at most {highest}'
        if kind is int:
            allowed = f'found "{text}"; allowed: a whole number from 1 to {highest}'
        try:
            value = kind(text)
        except ValueError as wrong:
            raise argparse.ArgumentTypeError(allowed) from wrong
        if not 0 < value <= highest:
            raise argparse.ArgumentTypeError(allowed)
        return value

    return say


def parser_of():
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
        help="another roceway than build/release/roceway, which is built when needed",
    )
    parser.add_argument(
        "--latency-source",
        metavar="FILE",
        help="another one than build/release/latency_source, for the comparison latency",
    )
    parser.add_argument("--picture", metavar="FILE", help="(build/bench-peers.svg of the repository)")
    parser.add_argument("--write-row", action="store_true", help="puts the rows into docs/numbers.md")
    parser.add_argument("--check-options", action="store_true", help=argparse.SUPPRESS)
    return parser


def check_only(parser, given):
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


def program_problem(file, name, question):
    """Why this file is not the program of this name, or None. Asked is what it answers without starting
    anything: its own name first."""
    if not os.access(file, os.X_OK) or os.path.isdir(file):
        return f'"{file}" is no program that can be run here'
    try:
        said = subprocess.run(
            [os.path.abspath(file), question],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        said = b""
    return None if said.startswith(name.encode()) else f'"{file}" does not answer {question} as {name} does'


def picture_problem(file):
    """Why no picture can be written there, or None."""
    if not file:
        return 'found ""; name a file'
    if os.path.isdir(file):
        return f'"{file}" is a folder; name a file'
    folder = os.path.dirname(os.path.realpath(file))
    if not os.path.isdir(folder):
        return f'"{file}": its folder is not there; make it, or name another file'
    if not can_write(file, folder):
        return f'"{file}" cannot be written; name another file'
    return None


def can_write(file, folder):
    """Whether a file that is there may be written, or a new one made in the folder: by doing so, since root is
    told that it may where it cannot."""
    try:
        with open(file, "r+b") if os.path.exists(file) else tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def check_files(parser, given):
    if given.program is not None and (problem := program_problem(given.program, "roceway", "--version")):
        parser.error(f"argument --program: {problem}")
    if given.latency_source is not None:
        if problem := program_problem(given.latency_source, "latency_source", "--help"):
            parser.error(f"argument --latency-source: {problem}")
    elif given.program is not None and "latency" in given.only and not os.access(LATENCY_SOURCE, os.X_OK):
        parser.error(
            "latency needs a generator: ninja -C build/release latency_source makes one, and nothing is "
            "built with --program; or name one with --latency-source"
        )
    if given.picture is not None:
        if problem := picture_problem(given.picture):
            parser.error(f"argument --picture: {problem}")
    else:
        folder = next(folder for folder in (ROOT / "build", ROOT) if folder.exists())
        if os.path.isdir(PICTURE) or not can_write(PICTURE, folder):
            parser.error(f"the picture cannot be written as {PICTURE}; name another file with --picture")
    if given.write_row:
        if not NUMBERS.exists() or not can_write(NUMBERS, NUMBERS.parent):
            parser.error(f"argument --write-row: {NUMBERS} cannot be read and written")
        text = NUMBERS.read_text(encoding="utf-8")
        for comparison in given.chosen:
            table = [latency.SECTION, latency.COLUMNS] if comparison.latency else []
            try:
                ratios.with_row(text, comparison.name, "", [], *table)
            except ValueError as wrong:
                parser.error(f"argument --write-row: {NUMBERS}: {wrong}")


def options(words):
    """What was asked for. Ends with status 2 and says why when it cannot be done."""
    parser = parser_of()
    given = parser.parse_args(words)
    check_only(parser, given)
    given.chosen = [
        c
        for c in COMPARISONS
        if c.name in given.only or not given.only and (given.ovs or c.peer.program != "ovs")
    ]
    if given.list:
        return given
    if given.write_row and given.pairs < ratios.LEAST_PAIRS:
        parser.error(f"--write-row wants at least {ratios.LEAST_PAIRS} pairs, not {given.pairs}")
    if given.seconds < latency.LEAST_SECONDS and any(c.latency for c in given.chosen):
        parser.error(
            f"--seconds {given.seconds:g}: latency wants windows of at least {latency.LEAST_SECONDS} s: "
            "once a second the kernel takes a CPU from real time, and each window must have its share; "
            "to leave latency out, name others with --only"
        )
    check_files(parser, given)
    given.program = os.path.abspath(given.program or PROGRAM)
    given.latency_source = os.path.abspath(given.latency_source or LATENCY_SOURCE)
    given.picture = os.path.abspath(given.picture or PICTURE)
    return given
