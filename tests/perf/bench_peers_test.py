#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What bench-peers makes of pairs, and what it says to wrong options and to a program that
ended: nothing is measured here."""
import contextlib
import dataclasses
import io
import os
import pathlib
import statistics
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

import bench_peers
import conditions
import latency
import peer_options
import picture
import programs
import ratios
from sides import COMPARISONS

OURS = [
    42.0,
    44.5,
    40.1,
    43.3,
    41.7,
    45.2,
    42.9,
    39.8,
    44.0,
    43.1,
    42.2,
    41.0,
    43.8,
    42.6,
    60.0,
]  # one that ran away
THEIRS = [50.0, 51.2, 49.5, 50.4, 52.0, 50.9, 48.8, 49.9, 51.5, 50.2, 49.7, 50.6, 51.0, 50.1, 50.3]
RESULT = ratios.Result(OURS, THEIRS)
DOCUMENT = "# Numbers\n\nMachine.\n\n## Evenness\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


class Statistics(unittest.TestCase):
    def test_the_ratio_is_the_median_over_pairs(self):
        self.assertEqual(RESULT.ratio, sorted(o / t for o, t in zip(OURS, THEIRS))[7])

    def test_interval(self):
        for values, low, high in [([2.0], 2.0, 2.0), ([1.0] * 15, 1.0, 1.0), ([1.0, 3.0], 1.0, 3.0)]:
            self.assertEqual(ratios.bootstrap_interval(values), (low, high), values)
        low, high = RESULT.interval
        self.assertTrue(min(RESULT.ratios) < low < RESULT.ratio < high < max(RESULT.ratios))
        self.assertEqual(
            RESULT.interval, ratios.bootstrap_interval(RESULT.ratios), "the same pairs, the same interval"
        )

    def test_interval_covers_the_true_median_nine_times_of_ten(self):
        chance, covered = ratios.random.Random(7), 0
        draws, ratios.DRAWS = ratios.DRAWS, 400
        for _ in range(200):
            low, high = ratios.bootstrap_interval([chance.gauss(1, 0.1) for _ in range(15)])
            covered += low <= 1 <= high
        ratios.DRAWS = draws
        self.assertTrue(165 <= covered <= 198, covered)

    def test_verdict(self):
        one = ratios.Result([0.9] * 15, [1.0] * 15)
        for bar, aim, by_lower_bound, end in [
            (0.82, 0.92, False, "0.900, at least 0.82, aim 0.92: met"),
            (0.82, 0.9, False, ": aim met"),
            (0.95, 0, True, "0.900, at least 0.95: not met"),
        ]:
            self.assertTrue(ratios.verdict(bar, aim, by_lower_bound, one).endswith(end), (bar, aim))

    def test_verdict_where_less_is_better(self):
        for ours, end in (1.1, "1.100, at most 1.2: met"), (1.2, ": met"), (1.3, "at most 1.2: not met"):
            one = ratios.Result([ours] * 15, [1.0] * 15)
            self.assertTrue(ratios.verdict(1.2, 0, False, one, at_most=True).endswith(end), ours)


class Rows(unittest.TestCase):
    def test_a_row_has_a_cell_for_each_column(self):
        row = ratios.row("io-io", RESULT, "15 x 2 s")
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        self.assertEqual(len(cells), len(ratios.COLUMNS))
        self.assertEqual(cells[:2] + cells[-1:], ["io-io", f"{statistics.median(OURS):.1f}", "15 x 2 s"])

    def test_the_section_is_made_a_row_is_added_a_row_is_replaced(self):
        text = DOCUMENT
        for name, runs in [("gateway-io", "first"), ("io-io", "first"), ("gateway-io", "second")]:
            text = ratios.with_row(text, name, ratios.row(name, RESULT, runs), ["How."])
        self.assertEqual(text.count(ratios.SECTION), 1)
        rows = [line for line in text.split("\n") if line.startswith(("| gateway-io", "| io-io"))]
        self.assertEqual(
            rows, [ratios.row("gateway-io", RESULT, "second"), ratios.row("io-io", RESULT, "first")]
        )
        begin = text.index(ratios.SECTION)
        self.assertEqual(
            text[:begin] + text[text.index("## Evenness") :], DOCUMENT, "nothing else has changed"
        )

    def test_a_table_of_something_else_is_left_alone(self):
        with self.assertRaisesRegex(ValueError, "no table of this tool"):
            ratios.with_row(f"{ratios.SECTION}\n\n| a | b |\n|---|---|\n", "io-io", "| io-io |", [])


class Picture(unittest.TestCase):
    def test_well_formed_self_contained_and_complete(self):
        panels = [
            picture.Panel(dataclasses.replace(comparison, name=comparison.name + " <&>"), RESULT, verdict)
            for comparison, verdict in zip(
                COMPARISONS, ["x: met", "x: not met", "x: aim met", "x: met", "x: met"]
            )
        ]
        text = picture.svg(panels, "how")
        root = xml.fromstring(text)
        kinds = [element.get("class") for element in root.iter()]
        self.assertEqual(
            [kinds.count(kind) for kind in ("pair", "median", "bar")], [5 * len(OURS), 5, 5]
        )
        names = [element.text for element in root.iter() if element.get("class") == "bar-name"]
        self.assertEqual(
            names,
            [
                "at least 0.82: met",
                "at least 1.15: not met",
                "at least 0.95: aim met",
                "at least 4: met",
                "at most 1.2: met",
            ],
        )
        self.assertEqual((text.count("Mpps"), text.count(" us, ratio")), (4 * len(OURS), len(OURS)))
        self.assertIn("prefers-color-scheme: dark", text)
        for outside in "href", "url(", "@import":
            self.assertNotIn(outside, text)
        width = float(root.get("width"))
        for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
            self.assertTrue(0 < float(circle.get("cx")) < width)

    def test_pairs_that_are_all_the_same(self):
        one = dataclasses.replace(COMPARISONS[0], bar=1.0)
        panel = picture.Panel(one, ratios.Result([1.0] * 3, [1.0] * 3), "x: met")
        xml.fromstring(picture.svg([panel], "how"))

    def test_marks_of_the_axis(self):
        for width, marks in [(1, 0.2), (0.02, 0.002), (12, 2), (7, 1), (300, 2)]:
            self.assertAlmostEqual(picture.step(width), marks if width < 300 else 50)


class Options(unittest.TestCase):
    def refused(self, *words):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as end:
            bench_peers.options(words)
        self.assertEqual(end.exception.code, 2, words)
        return said.getvalue()

    def test_wrong_options_end_with_status_2_and_say_why(self):
        for words, why in [
            (["--pairs", "0"], "allowed: a whole number from 1 to 1000"),
            (["--pairs", "1.5"], "a whole number"),
            (["--pairs", "x"], 'found "x"'),
            (["--seconds", "-1"], "above 0"),
            (["--seconds", "nan"], "above 0"),
            (["--only", "gateway-bondin"], 'did you mean "gateway-bonding"?'),
            (["--only", "gateway-ovs"], "needs --ovs"),
            (["--simd", "100"], "choose from 64, 128, 256, 512"),
            (["--write-row", "--pairs", "14"], "at least 15 pairs, not 14"),
            (["--pair", "3"], "unrecognized"),
            (["--program", "/nowhere"], '"/nowhere" is no program that can be run here'),
            (["--program", "/tmp"], "no program"),
            (["--program", "/bin/true"], "does not answer --version as roceway does"),
            (["--program", ""], "no program"),
            (["--latency-source", "/nowhere"], '"/nowhere" is no program that can be run here'),
            (["--latency-source", "/bin/true"], "does not answer --help as latency_source does"),
            (["--picture", ""], "name a file"),
            (["--picture", "/tmp"], '"/tmp" is a folder'),
            (["--picture", "/nowhere/x.svg"], "its folder is not there"),
            (["--picture", "/sys/kernel/x.svg"], "cannot be written"),
            (["--seconds", "0.99"], "--seconds 0.99: latency wants windows of at least 1 s"),
        ]:
            self.assertIn(why, self.refused(*words), words)

    def test_what_is_short_is_no_matter_without_latency(self):
        self.assertEqual(bench_peers.options(["--only", "io-io", "--seconds", "0.2"]).seconds, 0.2)

    def test_a_table_that_takes_no_row_is_told_before_anything_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            numbers = pathlib.Path(folder, "numbers.md")
            with unittest.mock.patch.object(peer_options, "NUMBERS", numbers):
                self.assertIn("cannot be read and written", self.refused("--write-row"))
                for section in ratios.SECTION, latency.SECTION:
                    numbers.write_text(f"{section}\n\n| a | b |\n|---|---|\n", encoding="utf-8")
                    self.assertIn("no table of this tool", self.refused("--write-row"), section)

    def test_where_the_picture_goes(self):
        root = peer_options.ROOT
        for words, file in [
            ([], root / "build/bench-peers.svg"),
            (["--picture", "x.svg"], pathlib.Path("x.svg").absolute()),
        ]:
            self.assertEqual(bench_peers.options(words).picture, str(file))

    def test_which_comparisons(self):
        for words, names in [
            ([], ["gateway-io", "gateway-bonding", "io-io", "latency"]),
            (["--ovs"], [comparison.name for comparison in COMPARISONS]),
            (["--only", "io-io", "--only", "gateway-io"], ["gateway-io", "io-io"]),
            (["--ovs", "--only", "gateway-ovs"], ["gateway-ovs"]),
        ]:
            self.assertEqual([c.name for c in bench_peers.options(words).chosen], names, words)


class Sides(unittest.TestCase):
    def test_both_sides_get_the_same_conditions_and_say_their_work(self):
        for hugepages, memory in (True, "--in-memory"), (False, "--no-huge"):
            one = conditions.Conditions(
                main_cpu=2,
                worker_cpu=5,
                simd=256,
                hugepages=hugepages,
                real_time=True,
                seconds=2,
                program="/bin/roceway",
            )
            for comparison in COMPARISONS:
                self.assertTrue(comparison.difference)
                for side in comparison.ours, comparison.peer:
                    self.assertTrue(side.work)
                    shown = side.shown(one)
                    prefix = f"--file-prefix=bench-peers-{side.program}-{os.getpid()}"
                    for part in [memory, prefix, "--force-max-simd-bitwidth=256"]:
                        self.assertIn(part, shown)
                    if side.program != "ovs":
                        self.assertIn("--lcores=0@2,1@5", shown)
                        self.assertIn("--burst=32", shown)


class Ends(unittest.TestCase):
    def test_how_a_program_ended_is_told(self):
        for command, how in [
            ("exit 3", "ended with status 3"),
            ("kill -9 $$", "ended by signal 9"),
            ("sleep 9", "ended by its time limit of 0.2 s"),
        ]:
            with tempfile.TemporaryDirectory() as folder:
                words = ["sh", "-c", f"echo its last line >&2; {command}"]
                program = programs.Program(words, folder, 0.2, os.sched_getaffinity(0))
                with self.assertRaises(programs.Failure, msg=command) as failure, program.alive():
                    program.process.wait()
                    raise FileNotFoundError("/proc/1/task")
                program.stop()
                said = str(failure.exception)
                self.assertIn(f"sh {how} during its run; it said:\n    its last line\n", said)

    def test_what_goes_wrong_while_it_runs_is_told_as_that(self):
        with tempfile.TemporaryDirectory() as folder:
            program = programs.Program(["sleep", "5"], folder, 9, os.sched_getaffinity(0))
            with self.assertRaises(KeyError), program.alive():
                raise KeyError("x")
            program.stop()


if __name__ == "__main__":
    unittest.main()
