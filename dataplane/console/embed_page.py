#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns a page into C++: embed_page.py ROOM/PAGE.html OUT.cc [LIBRARY.js ...], the constant that ROOM/PAGE.h declares.
A library takes the place of {{LIBRARY.js}} in the page. The page's <script> and <style> are allowed by their hashes in
its Content-Security-Policy, so that nothing else can run in it: for a page that a server sends the policy is a constant
of its own, a page that is a file holds it where {{sources}} stands. Called by meson."""
import base64
import hashlib
import pathlib
import re
import sys

# String literals are kept short enough for every compiler.
PIECE = 8000


def sources_of(page, tag):
    found = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    assert found, f"the page has no <{tag}>"
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in found]
    return f"{tag}-src " + " ".join(f"'sha256-{one}'" for one in hashes)


def literal(text):
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)]
    return "\n".join(f'R"page({piece})page"' for piece in pieces)


def put(page, place, text):
    assert page.count(place) == 1, f"the page has {page.count(place)} {place}, it must have one"
    return page.replace(place, text)


source = pathlib.Path(sys.argv[1])
room = source.parent.name
constant = "k" + "".join(word.capitalize() for word in source.stem.split("_"))

page = source.read_text(encoding="utf-8")
for library in map(pathlib.Path, sys.argv[3:]):
    page = put(page, "{{" + library.name + "}}", library.read_text(encoding="utf-8"))
allowed = sources_of(page, "script") + "; " + sources_of(page, "style")
constants = {constant: page}
if "{{sources}}" in page:
    constants[constant] = put(page, "{{sources}}", allowed)
else:
    constants[constant + "Policy"] = (f"default-src 'none'; {allowed}; connect-src 'self'; img-src data:; base-uri 'none'; "
                                      "form-action 'none'; frame-ancestors 'none'")
definitions = "\n".join(f"const std::string_view {name} =\n{literal(text)};" for name, text in constants.items())
pathlib.Path(sys.argv[2]).write_text(f"""// Made of {source.name} by embed_page.py.
#include "{room}/{source.stem}.h"

namespace {room} {{

{definitions}

}}  // namespace {room}
""", encoding="utf-8")
