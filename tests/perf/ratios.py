# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of rates as figures: medians, the spread, the bootstrap interval of the ratio, and the row of
docs/numbers.md that says them. Plain functions of values."""
import dataclasses
import random
import statistics

LEAST_PAIRS = 15  # for a row; fewer are a look, not a figure
DRAWS = 10000
SECTION = "## Beside its peers"
COLUMNS = ["comparison", "roceway, Mpps", "peer, Mpps", "ratio", "90 % interval", "all pairs", "runs"]


@dataclasses.dataclass
class Result:
    """Mpps of roceway and of the peer, pair by pair."""

    ours: list
    theirs: list

    @property
    def ratios(self):
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs)]

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    @property
    def interval(self):
        return bootstrap_interval(self.ratios)


def bootstrap_interval(values, level=0.9, seed=1):
    """Between which values the median lies, judged by the medians of many draws with replacement. The seed is
    fixed, so that the same pairs give the same interval."""
    chance = random.Random(seed)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(DRAWS))
    tail = (1 - level) / 2
    return medians[int(tail * DRAWS)], medians[min(DRAWS - 1, int((1 - tail) * DRAWS))]


def spread(values, digits):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def verdict(bar, aim, by_lower_bound, result, at_most=False):
    """One line about the bar of issue and aim: what is judged, and how. at_most: the lower, the better."""
    value, what = (result.interval[0], "lower bound") if by_lower_bound else (result.ratio, "median")
    return f"{what} {value:.3f}, " + bar_and_outcome(bar, aim, value, at_most)


def bar_and_outcome(bar, aim, value, at_most):
    if at_most:
        return f"at most {bar}: " + ("met" if value <= bar else "not met")
    wanted = f"at least {bar}" + (f", aim {aim}" if aim else "")
    return f"{wanted}: " + ("not met" if value < bar else "met" if not aim or value < aim else "aim met")


def row(name, result, runs):
    low, high = result.interval
    cells = [
        name,
        f"{statistics.median(result.ours):.1f}",
        f"{statistics.median(result.theirs):.1f}",
        f"{result.ratio:.3f}",
        f"{low:.3f} to {high:.3f}",
        spread(result.ratios, 3),
        runs,
    ]
    return "| " + " | ".join(cells) + " |"


def with_row(document, name, new_row, introduction, section=SECTION, columns=None):
    """The document with this row instead of the one of the same name, or behind the last one of the section's
    table; a section that is not there yet is put before the first one."""
    lines, columns = document.split("\n"), columns or COLUMNS
    if section not in lines:
        table = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        first = next((i for i, line in enumerate(lines) if line.startswith("## ")), len(lines))
        lines[first:first] = [section, "", *introduction, "", *table, ""]
    begin = lines.index(section) + 1
    end = next((i for i in range(begin, len(lines)) if lines[i].startswith("## ")), len(lines))
    rows = [i for i in range(begin, end) if lines[i].startswith("|")]
    if not rows or lines[rows[0]] != "| " + " | ".join(columns) + " |":
        raise ValueError(f'no table of this tool under "{section}"; its head: | {" | ".join(columns)} |')
    table_end = rows[0]
    while table_end < end and lines[table_end].startswith("|"):
        table_end += 1
    same = [i for i in range(rows[0], table_end) if lines[i].startswith(f"| {name} |")]
    lines[same[0] if same else table_end : same[0] + 1 if same else table_end] = [new_row]
    return "\n".join(lines)
