#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the latency comparison makes of reports, and which pairs are taken again: nothing is measured or
started here."""
import contextlib
import io
import json
import types
import unittest

import conditions
import latency
import pairs
import ratios
from programs import Failure
from sides import COMPARISONS

COMPARISON = next(c for c in COMPARISONS if c.latency)
FIELDS = {
    "median_us": 1.25,
    "p99_us": 9.5,
    "p999_us": 80.0,
    "highest_us": 500.0,
    "sent": 1000,
    "lost": 2,
    "skipped": 5,
    "refused": 10,
    "mpps": 1.5,
    "cpu_share": 0.97,
    "longest_away_us": 40.0,
}


def report(**changed):
    return latency.Report(**(FIELDS | changed))


class Reports(unittest.TestCase):
    def test_the_last_line_is_the_report(self):
        log = "EAL: something {\n" + json.dumps(FIELDS) + "\n"
        self.assertEqual(latency.report_of(log), report())

    def test_anything_else_is_a_failure_that_shows_it(self):
        more = json.dumps(FIELDS | {"x": 1})
        for log in ["", "latency_source: no link", "{}", '{"median_us": 1}', "[1]", more]:
            with self.assertRaisesRegex(Failure, "printed no report but", msg=log):
                latency.report_of(log)

    def test_medians_are_over_runs(self):
        runs = [report(median_us=m, p99_us=10 * m, p999_us=100 - m) for m in (3.0, 1.0, 2.0)]
        self.assertEqual(latency.medians(runs), [2.0, 20.0, 98.0])

    def test_refused_and_lost_are_of_what_was_offered(self):
        self.assertAlmostEqual(latency.kept_out([report(), report(lost=0, refused=0)]), 12 / 2010)

    def test_a_row_has_a_cell_for_each_column_and_its_own_table(self):
        taken = [(report(median_us=1.5), report())] * 15
        row = latency.row("latency", taken, 4.6e6, "15 x 2 s")
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        self.assertEqual(len(cells), len(latency.COLUMNS))
        self.assertEqual(cells[1:4], ["1.50 / 9.50 / 80.00", "1.25 / 9.50 / 80.00", "1.200"])
        self.assertEqual(cells[6:], ["4.60", "1.188%, 1.188%", "15 x 2 s"])
        table = [latency.INTRODUCTION, latency.SECTION, latency.COLUMNS]
        other = ratios.row("io-io", latency.result_of(taken), "x")
        text = ratios.with_row("# Numbers\n", "io-io", other, [""])
        for _ in range(2):
            text = ratios.with_row(text, "latency", row, *table)
        self.assertEqual((text.count(row), text.count("| io-io |")), (1, 1))


class Pairs(unittest.TestCase):
    def take(self, count, shares, reasons=()):
        """With these shares of a CPU, run by run, and what is unlike, pair by pair: the pairs, spoilt, who
        ran."""
        ran, shares, reasons = [], iter(shares), iter(reasons)

        def measure(side):
            ran.append(side)
            return side, next(shares)

        sides = types.SimpleNamespace(
            ours=types.SimpleNamespace(name="a"), peer=types.SimpleNamespace(name="b")
        )
        with contextlib.redirect_stdout(io.StringIO()):
            taken, spoilt = pairs.take(
                sides, count, measure, lambda *_: "", lambda *_: next(reasons, "")
            )
        return [(ours.name, theirs.name) for ours, theirs in taken], spoilt, "".join(s.name for s in ran)

    def test_which_pairs_are_taken_again(self):
        for name, count, shares, spoilt, ran in [
            ("turns", 3, [1] * 6, 0, "abbaab"),
            ("the kernel does not tell", 1, [0, 0], 0, "ab"),
            ("one again", 2, [1, 0.5, 1, 1, 1, 1], 0, "ababba"),
            ("just enough", 1, [0.9, 1], 0, "ab"),
            ("that is the rule", 1, [0.5] * 4, 1, "abab"),
        ]:
            with self.subTest(name):
                self.assertEqual(self.take(count, shares), ([("a", "b")] * count, spoilt, ran))

    def test_a_pair_whose_sides_are_unlike_is_taken_again(self):
        self.assertEqual(self.take(1, [1] * 4, ["unlike"]), ([("a", "b")], 0, "abab"))
        self.assertEqual(self.take(1, [1] * 4, ["unlike"] * 2), ([("a", "b")], 1, "abab"))

    def test_what_is_said_of_a_share(self):
        for share, words in [(0, ""), (0.9, ""), (0.89999, "only 89.9 %"), (0.5, "only 50.0 %")]:
            said = pairs.short_of_cpu(share)
            self.assertTrue(words in said and bool(words) == bool(said), share)

    def test_shares_that_were_refused(self):
        for ours, theirs, said in [
            (0, 0, ""),
            (50, 150, ""),
            (0, 250, "0.0% and 20.0% of the frames were refused"),
            (250, 0, "20.0% and 0.0% of the frames were refused"),
        ]:
            self.assertEqual(latency.unlike(report(refused=ours), report(refused=theirs)), said)


class Source(unittest.TestCase):
    def test_it_keeps_to_the_main_cpu_and_the_conditions(self):
        for real_time, priority in (True, f"--priority={conditions.PRIORITY}"), (False, "--priority=0"):
            one = conditions.Conditions(2, 5, 256, True, real_time, 1.5, "/roceway", latency_source="/source")
            command = latency.source_command(one, ["--rate=5"])
            for part in "--lcores=0@2", "--in-memory", "--rate=5", "--seconds=1.5", priority:
                self.assertIn(part, command)
            # It meets both programs at the sockets where they wait.
            for side in COMPARISON.ours, COMPARISON.peer:
                there = [word.replace("server", "client") for word in side.command(one) if "memif" in word]
                self.assertEqual(there, [word for word in command if "memif" in word])


if __name__ == "__main__":
    unittest.main()
