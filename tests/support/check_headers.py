#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every header compiles alone. check_headers.py ROOT COMPILER CORE_FLAGS... -- DPDK_FLAGS...: headers of core are
compiled without DPDK's flags. Exit status 1 when one does not compile."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
COMPILER = sys.argv[2]
split = sys.argv.index("--")
CORE_FLAGS, DPDK_FLAGS = sys.argv[3:split], sys.argv[split + 1:]


def compile_alone(header):
    flags = CORE_FLAGS if "core" in header.parts else CORE_FLAGS + DPDK_FLAGS
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{ROOT}", f"-I{ROOT}/dataplane",
               f"-I{ROOT}/tests", *flags, "-include", str(header), os.devnull]
    result = subprocess.run(command, capture_output=True, text=True)
    return header, result.returncode, result.stderr


headers = sorted(p for room in ("dataplane", "pmd_glue", "tests/support") for p in (ROOT / room).rglob("*.h"))
failed = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for header, status, text in pool.map(compile_alone, headers):
        if status != 0:
            failed += 1
            print(f"{header.relative_to(ROOT)} does not compile alone:\n{text}")
print(f"{len(headers) - failed} of {len(headers)} headers compile alone")
sys.exit(1 if failed or len(headers) < 30 else 0)
