"""The pages hang together: links lead somewhere, the README stays short, and every measured figure has a record."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
sys.path.insert(0, str(SOURCE / "bench"))

import records
from harness.tools import run

PAGES = sorted({*SOURCE.glob("*.md"), *(page for folder in ("docs", "specs", "kernels", "tests", "include", "formats", "runtime")
                                        for page in (SOURCE / folder).rglob("*.md"))})


def anchors(page):
    """What GitHub makes of the headings of a page."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?s)```.*?```", "", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page):
    text = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", page.read_text())
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"\w+:", link)]


class Pages(unittest.TestCase):
    def test_links(self):
        self.assertGreater(len(PAGES), 20)
        for page in PAGES:
            for link in links(page):
                with self.subTest(str(page.relative_to(SOURCE)), link=link):
                    path, _, anchor = link.partition("#")
                    target = page.parent / path if path else page
                    self.assertTrue(target.exists(), "leads nowhere")
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_the_readme_is_short(self):
        self.assertLessEqual(len((SOURCE / "README.md").read_text().splitlines()), 135)

    def test_every_page_is_in_the_index(self):
        listed = set(links(SOURCE / "docs/README.md"))
        self.assertEqual({page.name for page in (SOURCE / "docs").glob("*.md")} - listed - {"README.md"}, set())


class Version(unittest.TestCase):
    """A release names its version in five places (docs/release.md)."""

    NAMED = {"CITATION.cff": r"(?m)^version: (\S+)$", "packaging/conda/recipe.yaml": r'(?m)^  version: "(.*)"$',
             "CHANGELOG.md": r"(?m)^## (\d\S*)", "packaging/debian/libquern0.symbols": r"@QUERN_PRIVATE_\" (\S+)$"}

    def test_it_is_the_same_everywhere(self):
        version = re.search(r'QN_VERSION "(.*)"', (SOURCE / "support/tool.h").read_text()).group(1)
        for path, pattern in self.NAMED.items():
            self.assertEqual(re.search(pattern, (SOURCE / path).read_text()).group(1), version, path)


class Algorithms(unittest.TestCase):
    def test_every_algorithm_is_defined(self):
        rows = re.findall(r"(?m)^\| (`.*?) \|", (SOURCE / "docs/algorithms.md").read_text())
        defined = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
        known = {kernel["algorithm"] for kernel in json.loads(run("quern-run", "--list", "--json").stdout)["kernels"]}
        self.assertEqual(defined, known)


class Architecture(unittest.TestCase):
    def test_every_folder_has_its_line(self):
        listed = re.findall(r"(?m)^\| `([^`]+)` \|", (SOURCE / "docs/architecture.md").read_text())
        tops = ("include", "support", "formats", "converters", "partitioner", "kernels", "results", "runtime", "library", "tools")
        files = [path for top in tops for path in (SOURCE / top).rglob("*") if path.suffix in (".c", ".h", ".cu", ".cuh")]
        self.assertEqual(sorted(listed), sorted({str(path.parent.relative_to(SOURCE)) for path in files}))


COUNTED = ("units", "iterations", "%", "GB")  # units of figures that may be nothing


class Performance(unittest.TestCase):
    def test_the_pages_are_generated(self):
        done = subprocess.run([sys.executable, "-B", str(SOURCE / "bench/report.py"), "--check"], stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_record_says_where_and_when(self):
        machines = json.loads((SOURCE / "bench/machines.json").read_text())
        tables = sorted((SOURCE / "bench/results").glob("*.json"))
        self.assertGreater(len(tables), 5)
        text = "".join((SOURCE / "bench/pages" / name).read_text() for name in ("performance.md.in", "goals.md.in", "papers.md.in", "headlines.md.in"))
        for table in tables:
            cells = json.loads(table.read_text())
            for cell in cells:
                with self.subTest(table.stem, cell=cell):
                    self.assertIn(cell["machine"], machines)
                    self.assertRegex(cell["commit"], r"^[0-9a-f]{7,40}$")
                    self.assertRegex(cell["date"], r"^20\d\d-\d\d-\d\d$")
                    (self.assertGreaterEqual if cell["unit"] in COUNTED else self.assertGreater)(cell["value"], 0)
            keys = [tuple(cell.get(part) for part in records.KEY) for cell in cells]
            self.assertEqual(len(keys), len(set(keys)), table.stem + ": a cell has two records")
            self.assertTrue(re.search(r"(?m)^@table %s( if measured)?$|\{%s: " % (table.stem, table.stem), text), table.stem + " is shown nowhere")

    def test_no_figure_is_typed_by_hand(self):
        measured = r"\b\d[\d.,]*\s*(ns|us|ms|s|seconds|[KMGT]i?B|[GM]/s|[GM]B/s|%|times|x)(?=[\s.,;:)]|$)"
        for page in ("README.md", "bench/pages/performance.md.in", "bench/pages/goals.md.in", "bench/pages/headlines.md.in"):
            prose = re.sub(r"(?s)```.*?```|<!-- figures.*?<!-- end -->", "", (SOURCE / page).read_text())
            if "goals" in page:  # what is to be reached is no measurement
                prose = re.sub(r"(?m)^\|[^|]*\||\{[^{}]*\}", "", prose)
            self.assertEqual([match.group(0) for match in re.finditer(measured, prose)], [], page)

    def test_a_report_changes_the_page(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copy = Path(folder.name)
        shutil.copytree(SOURCE / "bench", copy / "bench", ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "docs").mkdir()
        shutil.copy(SOURCE / "README.md", copy)
        report = {"commit": "0123abc", "date": "2031-02-03",
                  "tables": {"verify": [records.record("undirected", "rate", 1234.56, "GB/s", "R-MAT, scale 22")]}}
        (copy / "report.json").write_text(json.dumps(report))
        words = [sys.executable, "-B", str(copy / "bench/report.py")]
        subprocess.run([*words, "--machine", "h200", str(copy / "report.json")], check=True)
        page = (copy / "docs/performance.md").read_text()
        self.assertRegex(page, r"\| undirected +\| +1,235 \|\n\| directed ")
        self.assertIn("2031-02-03 at 0123abc", page)
        (copy / "docs/performance.md").write_text(page.replace("1,235", "1,236"))
        self.assertNotEqual(subprocess.run([*words, "--check"], stderr=subprocess.DEVNULL).returncode, 0)
        report["commit"] = None  # measured with changes that no commit has
        (copy / "report.json").write_text(json.dumps(report))
        done = subprocess.run([*words, "--machine", "h200", str(copy / "report.json")], stderr=subprocess.PIPE, text=True)
        self.assertIn("--commit", done.stderr)

    def test_a_cell_tells_what_was_measured(self):
        import report
        figure, missing = "{verify: R-MAT, scale 22: undirected: rate}", "{verify: nothing: rate if measured}"
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md.in"
            (Path(folder) / "cells").write_text("| a | %s b; c %s |\n| d | %s |\n" % (figure, missing, missing))
            page.write_text("@include cells\n%s over\n{verify: undirected: rate over verify: undirected: rate}\n" % missing)
            value = "%.3g GB/s" % next(each["value"] for each in records.load("verify") if each["row"] == "undirected")
            self.assertEqual(report.filled(page), "| a | %s b |\n| d | not measured yet |\nnot measured yet over\n1\n" % value)
            page.write_text("{of verify: R-MAT, scale 22: undirected: rate}; {of verify: nothing: rate if measured}\n")
            self.assertRegex(report.filled(page), r"\A20\d\d-\d\d-\d\d at [0-9a-f]{7}; not measured yet\n\Z")
            for missing in ("{verify: nothing: rate}", "{of verify: nothing: rate}"):
                page.write_text(missing)
                self.assertRaises(SystemExit, report.filled, page)

    def test_a_new_measurement_takes_the_old_ones_place(self):
        old = [records.record("a", "x", 1, "s"), records.record("b", "x", 2, "s"), records.record("a", "x", 3, "s", "graph")]
        new = [records.record("b", "x", 5, "s"), records.record("c", "x", 6, "s")]
        self.assertEqual([each["value"] for each in records.merge(old, new)], [1, 5, 3, 6])


if __name__ == "__main__":
    unittest.main()
