#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two workers on two CPUs, both settings of `owner` in turn: how fast is by_hash beside per_worker? Prints
each pair and the median of the ratios. A benchmark, not a test.
  owner_ratio.py build/release/roceway configs/flows.pcap [PAIRS] [SECONDS]"""
import json
import os
import subprocess
import sys
import tempfile

from programs import arguments, gateway_settings
from ratios import Result, spread

GIVEN = arguments(__doc__, 2, str, str, int, float)
PROGRAM, CAPTURE, PAIRS, SECONDS = GIVEN + [11, 2][len(GIVEN) - 2 :]


def mpps(owner, folder):
    config, report = f"{folder}/{owner}.toml", f"{folder}/report.json"
    with open(config, "w", encoding="utf-8") as file:
        file.write(
            gateway_settings(
                2,
                CAPTURE,
                ["1@0", "2@1"],
                [f"--file-prefix=owner-{os.getpid()}"],  # whatever else of DPDK runs here
                f'owner = "{owner}"\nqueues_per_nic = 2',
            )
        )
    subprocess.run(
        [PROGRAM, "--config", config, "--duration", f"{SECONDS:g}", "--report", report],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    return result["ledger"]["sent"] / result["seconds"] / 1e6


def main():
    result = Result([], [])
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(PAIRS):
            owners = ["per_worker", "by_hash"] if pair % 2 == 0 else ["by_hash", "per_worker"]
            rate = {owner: mpps(owner, folder) for owner in owners}
            result.ours.append(rate["by_hash"])
            result.theirs.append(rate["per_worker"])
            print(
                f"per_worker {rate['per_worker']:7.2f} Mpps  by_hash {rate['by_hash']:7.2f} Mpps  "
                f"ratio {result.ratios[-1]:.3f}",
                flush=True,
            )
    print(f"median ratio {result.ratio:.3f} of {PAIRS} pairs, {spread(result.ratios, 3)}")


main()
