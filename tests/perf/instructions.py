#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions a packet of the steps of core, parse to table: the number that does not wobble. Runs burst_instructions under
callgrind with two numbers of packets for every mix and width; the difference is what the packets in between cost. Compares
with the table under "## Instructions a packet" in docs/numbers.md, the only place where these numbers stand: fails when one
is more than 10 % above it. --record writes the table anew. Callgrind knows no AVX-512, which is judged by clocks.
  instructions.py BURST_INSTRUCTIONS docs/numbers.md COMPILER [--record]
COMPILER: such as "gcc 12.2.0". The numbers are one compiler's: with another the test is skipped (exit status 77). Exit
status 1: more instructions than recorded; 2: nothing to compare with, or nothing could be measured."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

from programs import arguments

RECORDED_WITH = "gcc 12.2"
HEADING = "## Instructions a packet"
WIDTHS = ["portable", "avx2"]
MIXES = ["ipv4-udp", "rocev2", "ipv6-udp", "vlan", "half-six-half-tagged", "tenth-fragments"]
FEW, MANY = 16_384, 81_920  # whole turns of the 2,048 frames
MOST = 1.10
SKIPPED = 77


def give_up(why):
    print("instructions:", why, file=sys.stderr)
    sys.exit(2)


def skip(why):
    print("skipped:", why)
    sys.exit(SKIPPED)


def collected(program, mix, width, packets):
    """All instructions of one run, or None where there is no such width."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, mix, width, str(packets)],
                         capture_output=True, text=True)
    if run.returncode == SKIPPED:
        return None
    found = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
    if run.returncode != 0 or not found:
        give_up(f"{program} {mix} {width} {packets}: exit status {run.returncode}\n{run.stderr}")
    return int(found[1])


def measure(program):
    """(mix, width) -> instructions a packet, None where this CPU has no such width."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {(mix, width, packets): pool.submit(collected, program, mix, width, packets)
                for mix in MIXES for width in WIDTHS for packets in (FEW, MANY)}
        counts = {key: run.result() for key, run in runs.items()}
    return {(mix, width): None if counts[mix, width, FEW] is None else
            (counts[mix, width, MANY] - counts[mix, width, FEW]) / (MANY - FEW) for mix in MIXES for width in WIDTHS}


def section(text):
    begin = text.find(HEADING + "\n")
    if begin < 0:
        give_up(f'there is no "{HEADING}" in the document')
    end = text.find("\n## ", begin)
    return begin, len(text) if end < 0 else end


def recorded(text):
    begin, end = section(text)
    rows = re.findall(r"^\| ([a-z0-9-]+) \| ([\d.]+) \| ([\d.]+) \|$", text[begin:end], re.MULTILINE)
    return {(mix, width): float(value) for mix, *values in rows for width, value in zip(WIDTHS, values)}


def record(document, text, now):
    begin, end = section(text)
    rows = "\n".join(f"| {mix} | " + " | ".join(f"{now[mix, width]:.1f}" for width in WIDTHS) + " |" for mix in MIXES)
    table = "| mix | " + " | ".join(WIDTHS) + " |\n|---|---|---|\n" + rows + "\n"
    new, count = re.subn(r"^\| mix \|.*\n(\|.*\n?)*", table, text[begin:end] + "\n", count=1, flags=re.MULTILINE)
    if count == 0:
        give_up(f'there is no table under "{HEADING}"')
    document.write_text(text[:begin] + new.rstrip("\n") + "\n" + text[end:], encoding="utf-8")
    print("recorded in", document)


def compare(before, now):
    """What has grown, and what has nothing to be compared with."""
    grown, unknown = [], []
    print(f"{'instructions a packet':34} {'recorded':>9} {'now':>9} {'ratio':>7}")
    for (mix, width), value in now.items():
        if value is None:
            print(f"{mix + ', ' + width:34} this CPU has no {width}")
            continue
        if (mix, width) not in before:
            print(f"{mix + ', ' + width:34} {'none':>9} {value:9.1f}")
            unknown.append(f"{mix}, {width}")
            continue
        ratio = value / before[mix, width]
        print(f"{mix + ', ' + width:34} {before[mix, width]:9.1f} {value:9.1f} {ratio:7.3f}")
        if ratio > MOST:
            grown.append(f"{mix}, {width}: {value:.1f} instructions a packet, {before[mix, width]:.1f} are recorded")
    return grown, unknown


def main():
    program, name, compiler, *more = arguments(__doc__, 3, str, str, str, str)
    if more not in ([], ["--record"]):
        give_up(f'found "{more[0]}"; allowed: --record')
    if not (compiler + ".").startswith(RECORDED_WITH + "."):
        skip(f"the numbers are those of {RECORDED_WITH}, this is {compiler}")
    if shutil.which("valgrind") is None:
        skip("there is no valgrind")
    if not os.access(program, os.X_OK) or os.path.isdir(program):
        give_up(f"{program} is no program that can be run here; ninja -C build/release burst_instructions")
    document = pathlib.Path(name)
    try:
        text = document.read_text(encoding="utf-8")
    except (OSError, ValueError) as wrong:
        give_up(f"{name} cannot be read: {wrong}")
    section(text)  # before measuring
    now = measure(program)
    if "--record" in more:
        if None in now.values():
            give_up("record on a CPU that has all widths")
        return record(document, text, now)
    grown, unknown = compare(recorded(text), now)
    anew = "record anew, in the source folder:\n"
    anew += f'  tests/perf/instructions.py {program} docs/numbers.md "{compiler}" --record'
    if grown:
        print(*grown, f"more than {MOST - 1:.0%} above what is recorded; if that is meant, {anew}", sep="\n")
    if unknown:
        print(f"not recorded in {name}: {'; '.join(unknown)}; {anew}")
    sys.exit(1 if grown else 2 if unknown else 0)


main()
