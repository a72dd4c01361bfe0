#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns the status page into C++: embed_page.py PAGE.html OUT.cc. The page's one <style> and one <script> are allowed by
their hashes in its Content-Security-Policy, so that nothing else can run in it. Called by meson."""
import base64
import hashlib
import pathlib
import re
import sys

# String literals are kept short enough for every compiler.
PIECE = 8000


def source_of(page, tag):
    found = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    assert len(found) == 1, f"the page has {len(found)} <{tag}>, it must have one"
    return "'sha256-" + base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode() + "'"


def literal(text):
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)]
    return "\n".join(f'R"page({piece})page"' for piece in pieces)


page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
policy = ("default-src 'none'; script-src " + source_of(page, "script") + "; style-src " + source_of(page, "style") +
          "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
pathlib.Path(sys.argv[2]).write_text(f"""// Made of {pathlib.Path(sys.argv[1]).name} by embed_page.py.
#include "console/status_page.h"

namespace console {{

const std::string_view kStatusPage =
{literal(page)};
const std::string_view kStatusPagePolicy =
{literal(policy)};

}}  // namespace console
""", encoding="utf-8")
