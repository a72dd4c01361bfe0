#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pages that roceway-manual prints are read by man without a complaint, and the completion by its shell.
check_manual.py FOLDER: where the build put them. Exit status 1 when one is not; what is not installed is left out,
and said."""
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
# Program, its arguments, the file. Lint below "warning" is about taste. Pages have no date, so that a build gives
# the same bytes whenever it is made.
CHECKS = [
    (["groff", "-man", "-ww", "-z", "-Tutf8"], "roceway.8"),
    (["groff", "-man", "-ww", "-z", "-Tutf8"], "roceway.toml.5"),
    (["mandoc", "-Tlint", "-Wwarning"], "roceway.8"),
    (["mandoc", "-Tlint", "-Wwarning"], "roceway.toml.5"),
    (["bash", "-n"], "roceway.bash"),
    (["zsh", "-n"], "_roceway"),
]
# What a shell offers behind these words: some of it, and not other words.
OFFERS = [
    ("roceway --port-topology ", "chained", "--fwd"),
    ("roceway --cm", "--cmdline-file", "--config"),
    ("roceway c", "ctl", "--config"),
    ("roceway ctl sh", "show", "set"),
    ("roceway ctl show port ", "summary", "member"),
    ("roceway ctl --ctl x.sock set member net_null0 ", "drain", "port"),
]


def offers(words):
    line = words.split(" ")
    script = (f"source '{FOLDER}/roceway.bash'; COMP_WORDS=({' '.join(map(repr, line))}); COMP_CWORD={len(line) - 1}; "
              "_roceway; printf '%s\\n' \"${COMPREPLY[@]}\"")
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


failed = 0
for command, name in CHECKS:
    if shutil.which(command[0]) is None:
        print(f"{command[0]} is not there: {name} not looked at with it")
        continue
    done = subprocess.run(command + [str(FOLDER / name)], capture_output=True, text=True)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
    if said:
        failed = 1
        print(f"{' '.join(command)} {name}:", *said, sep="\n  ")
for words, offered, not_offered in OFFERS:
    found = offers(words)
    if offered not in found or not_offered in found:
        failed = 1
        print(f"{words!r} offers {found}, want {offered} and not {not_offered}")
print("pages and completion are wrong" if failed else "pages and completion are right")
sys.exit(failed)
