#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two workers on two CPUs, both settings of `owner` in turn: how fast is by_hash beside per_worker? Prints each pair and
the median of the ratios. A benchmark, not a test.
  owner_ratio.py build/release/roceway configs/flows.pcap [PAIRS] [SECONDS]"""
import json
import statistics
import subprocess
import sys
import tempfile

PROGRAM, CAPTURE = sys.argv[1:3]
PAIRS = int(sys.argv[3]) if len(sys.argv) > 3 else 11
SECONDS = sys.argv[4] if len(sys.argv) > 4 else "2"

CONFIG = """
[eal]
args = ["--no-pci", "--vdev=net_pcap0,rx_pcap={capture},infinite_rx=1", "--vdev=net_pcap1,rx_pcap={capture},infinite_rx=1",
        "--vdev=net_null0,no-rx=1", "--vdev=net_null1,no-rx=1", "--vdev=net_null2,no-rx=1", "--vdev=net_null3,no-rx=1"]
[engine]
lcores = ["1@0", "2@1"]
[distribution]
owner = "{owner}"
queues_per_nic = 2
"""


def mpps(owner, folder):
    text = CONFIG.format(capture=CAPTURE, owner=owner)
    for device, group in [("net_pcap0", "access"), ("net_pcap1", "access")] + [(f"net_null{i}", "uplink") for i in range(4)]:
        text += f'[[port]]\ndevice = "{device}"\ngroup = "{group}"\n'
    config, report = f"{folder}/{owner}.toml", f"{folder}/report.json"
    with open(config, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([PROGRAM, "--config", config, "--duration", SECONDS, "--report", report], check=True,
                   stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    return result["ledger"]["sent"] / result["seconds"] / 1e6


def main():
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(PAIRS):
            owners = ["per_worker", "by_hash"] if pair % 2 == 0 else ["by_hash", "per_worker"]
            rate = {owner: mpps(owner, folder) for owner in owners}
            ratios.append(rate["by_hash"] / rate["per_worker"])
            print(f"per_worker {rate['per_worker']:7.2f} Mpps  by_hash {rate['by_hash']:7.2f} Mpps  ratio {ratios[-1]:.3f}",
                  flush=True)
    print(f"median ratio {statistics.median(ratios):.3f} of {len(ratios)} pairs, {min(ratios):.3f} to {max(ratios):.3f}")


main()
