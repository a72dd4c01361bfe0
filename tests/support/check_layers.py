#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The include rule as a test: core < pmd_glue < path < control < console < main, tools see core alone; no DPDK in core, no device
call outside pmd_glue. Prints every line that breaks it; exit status 1 when there is one."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
# Room -> rooms it may include.
MAY = {
    "core": {"core"},
    "pmd_glue": {"core", "pmd_glue"},
    "path": {"core", "pmd_glue", "path"},
    "control": {"core", "pmd_glue", "path", "control"},
    "console": {"core", "pmd_glue", "path", "control", "console"},
    "main": {"core", "pmd_glue", "path", "control", "console"},
    "manual": {"core", "control", "console", "manual"},
    "tools": {"core", "hashlab"},
}
PLACES = {"core": "dataplane/core", "pmd_glue": "pmd_glue", "path": "dataplane/path", "control": "dataplane/control",
          "console": "dataplane/console", "manual": "dataplane/manual", "tools": "tools"}
# Lines that a room must not have, comments apart, and what they mean.
NO_DPDK = (re.compile(r'#include\s*[<"](rte_|infiniband/|pcap)'), "DPDK, verbs or libpcap in core")
NO_DEVICE = (re.compile(r"\b(rte_eth_|ibv_|mlx5dv_)\w+"), "device call outside pmd_glue")
NO_THREADS = (re.compile(r"#include\s*<(thread|mutex|fstream|iostream|chrono|filesystem|unistd\.h)>"),
              "thread, file or clock in core")
FORBIDDEN = {"core": [NO_DPDK, NO_DEVICE, NO_THREADS], "path": [NO_DEVICE], "control": [NO_DEVICE],
             "console": [NO_DEVICE],
             "main": [NO_DEVICE], "manual": [NO_DEVICE], "tools": [NO_DEVICE], "pmd_glue": []}
VOLATILE = (re.compile(r"\bvolatile\b"), "volatile: between threads use std::atomic with a named order")
INCLUDE = re.compile(r'#include\s*"([^/"]+)/')


def files_of(room):
    if room == "main":
        return [ROOT / "dataplane/main.cc"]
    return sorted(p for p in (ROOT / PLACES[room]).rglob("*") if p.suffix in (".h", ".cc"))


def main():
    broken, read = [], 0
    for room, may in MAY.items():
        for path in files_of(room):
            read += 1
            for number, line in enumerate(path.read_text().splitlines(), 1):
                where = f"{path.relative_to(ROOT)}:{number}"
                included = INCLUDE.match(line)
                if included and included.group(1) not in may:
                    broken.append(f"{where}: {room} must not include {included.group(1)}")
                code = line.split("//")[0]
                for pattern, meaning in FORBIDDEN[room] + [VOLATILE]:
                    if pattern.search(code):
                        broken.append(f"{where}: {meaning}")
    if read < 40:
        broken.append(f"only {read} files were found below {ROOT}: is this the source tree?")
    print("\n".join(broken) or f"{read} files keep the include rule")
    return 1 if broken else 0


sys.exit(main())
