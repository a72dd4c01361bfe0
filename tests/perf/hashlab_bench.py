#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures roceway-hashlab: hashlab_bench.py BUILD_FOLDER [ROUNDS]. Ten million flows under eight hashes, and how fast captures of
1 GB stream: one with frames of many sizes, one of 64-byte frames and a million flows. Seconds, peak memory, MB a second; medians of the
rounds. Captures are written to a temporary folder and removed."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

EIGHT = "jenkins,crc32c,crc32c-rfc,toeplitz-microsoft,toeplitz-mlx5,toeplitz-symmetric,bond-l23,bond-l34"


def run(words):
    """Seconds and peak memory in MB."""
    start = time.monotonic()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(words)}: wait status {status}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def capture(flows, folder, name, options):
    """One of about 1 GB."""
    file = folder / name
    subprocess.run([flows, *options, file], check=True, stdout=subprocess.DEVNULL)
    return file, file.stat().st_size / 1e6


def main():
    build = pathlib.Path(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    hashlab, flows = str(build / "roceway-hashlab"), str(build / "roceway-flows")
    figures = [run([hashlab, "spread", "--pattern", "random", "--flows", "10M", "--hash", EIGHT]) for _ in range(rounds)]
    print(f"10,000,000 flows x 8 hashes: {statistics.median(f[0] for f in figures):.1f} s, "
          f"peak {max(f[1] for f in figures):.0f} MB")
    with tempfile.TemporaryDirectory(prefix="roceway-hashlab-") as name:
        folder = pathlib.Path(name)
        # 1,340,416 frames of 780 bytes and the 16 that pcap puts before each; 12,000,000 of 60 and 16.
        for what, options in (("2,048 flows, 64 to 1,518 bytes", ["--flows", "2048", "--packets", "655", "--sizes", "64,128,1024,1518"]),
                              ("1,000,000 flows, 64 bytes", ["--flows", "1000000", "--packets", "13"])):
            file, megabytes = capture(flows, folder, "bench.pcap", options)
            figures = [run([hashlab, "spread", str(file)]) for _ in range(rounds)]
            print(f"capture of {megabytes:.0f} MB, {what}: {megabytes / statistics.median(f[0] for f in figures):.0f} MB/s, "
                  f"peak {max(f[1] for f in figures):.0f} MB")


main()
