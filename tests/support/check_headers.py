#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every header compiles alone. check_headers.py ROOT BUILD COMPILER CORE_FLAGS... -- DPDK_FLAGS...: headers
of core are compiled without DPDK's flags. Exit status 1 when one does not compile.

Where a header is the first thing that a source includes, nothing stands before it, so the compiler that made
the object has compiled that header alone already. Such a header is not compiled again while the object in
BUILD is no older than any file that it was made from."""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()
COMPILER = sys.argv[3]
split = sys.argv.index("--")
CORE_FLAGS, DPDK_FLAGS = sys.argv[4:split], sys.argv[split + 1:]
DPDK_FOLDERS = tuple(flag[2:] for flag in DPDK_FLAGS if flag.startswith("-I"))
# What an include in quotes is relative to: the folders that meson.build gives.
ROOMS = (ROOT, ROOT / "dataplane", ROOT / "tests", ROOT / "tools")
# Nothing but comments may stand before the include, each on lines of its own.
FIRST_INCLUDE = re.compile(r'(?:\s|//[^\n]*\n)*#include\s*"([^"]+)"')


def forced(words):
    """What a command includes before the source: DPDK's configuration, or a precompiled header."""
    return {after for word, after in zip(words, words[1:]) if word == "-include"}


def is_core(header):
    return "core" in header.relative_to(ROOT).parts


@functools.lru_cache(maxsize=None)
def modified(path):
    """A file that is gone is newer than anything."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return sys.maxsize


def made_from():
    """Object -> the files that the compiler read for it, by ninja. Empty where ninja cannot say."""
    try:
        command = ["ninja", "-C", str(BUILD), "-t", "deps"]
        said = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return {}
    objects, files = {}, []
    for line in said.stdout.splitlines():
        if line.startswith(" "):
            files.append(str(BUILD / line.strip()))
        elif line.endswith("(VALID)"):
            files = objects[line.split(":")[0]] = []
        else:
            files = []
    return objects


def proved_by_build():
    proved = set()
    commands = BUILD / "compile_commands.json"
    objects = made_from()
    for entry in json.loads(commands.read_text()) if commands.is_file() else []:
        source = (BUILD / entry["file"]).resolve()
        words = shlex.split(entry["command"])
        if entry["output"] not in objects or not source.is_relative_to(ROOT):
            continue
        if not forced(words) <= forced(DPDK_FLAGS):
            continue
        first = FIRST_INCLUDE.match(source.read_text())
        candidates = [room / first[1] for room in ROOMS] if first else []
        header = next((path for path in candidates if path.is_file()), None)
        if header is None or is_core(header) and any(word.endswith(DPDK_FOLDERS) for word in words):
            continue
        made = BUILD / entry["output"]
        if made.is_file() and max(map(modified, objects[entry["output"]])) <= made.stat().st_mtime_ns:
            proved.add(header)
    return proved


def compile_alone(header):
    flags = CORE_FLAGS if is_core(header) else CORE_FLAGS + DPDK_FLAGS
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{ROOT}", f"-I{ROOT}/dataplane",
               f"-I{ROOT}/tests", *flags, "-include", str(header), os.devnull]
    result = subprocess.run(command, capture_output=True, text=True)
    return header, result.returncode, result.stderr


headers = sorted(p for room in ("dataplane", "pmd_glue", "tests/support") for p in (ROOT / room).rglob("*.h"))
proved = proved_by_build().intersection(headers)
failed = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for header, status, text in pool.map(compile_alone, [path for path in headers if path not in proved]):
        if status != 0:
            failed += 1
            print(f"{header.relative_to(ROOT)} does not compile alone:\n{text}")
print(f"{len(headers) - failed} of {len(headers)} headers compile alone, "
      f"{len(proved)} of them as the first include of a source that was built")
sys.exit(1 if failed or len(headers) < 30 else 0)
