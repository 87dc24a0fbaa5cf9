"""quern-report: what it computes, what it writes, and what a browser makes of it."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from conformance.sealing import rebuilt
from harness.package import needs, quern
from harness.tools import run

# The page tells what became of it.
PROBE = """<script>
document.title = [innerWidth, document.scrollingElement.scrollWidth, getComputedStyle(document.body).backgroundColor,
  [...document.querySelectorAll("svg")].filter(one => one.getBoundingClientRect().height > 40).length].join("|");
</script></body>"""


class _Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def report(self, *words, exit=0):
        done = run(sys.executable, "-m", "quern.report", *words, cwd=self.folder, exit=exit)
        return done.stderr

    def make(self, *layouts):
        run("quern-generate", "rmat", "--scale", "12", "--seed", "4", "-q", "-o", "g.qrn", cwd=self.folder)
        for layout in layouts:
            run("quern-" + layout, "g.qrn", "-q", "-o", layout + ".qrn", cwd=self.folder)
        return [layout + ".qrn" for layout in layouts]


@needs("numpy")
class Figures(_Scratch):
    sanitized_tier = "long"

    def setUp(self):
        super().setUp()
        from quern.report import _figures
        self.figures = _figures

    def test_degrees_and_density(self):
        import numpy
        rng = numpy.random.default_rng(6)
        edges = rng.integers(0, 1000, (20000, 2))
        for directed in (True, False):
            graph = quern.from_arrays(edges[:, 0], edges[:, 1], num_vertices=1000, directed=directed)
            self.figures.CHUNK_EDGES = 777
            stored = [(source, target) for source in range(1000)
                      for target in graph.column_indices[graph.row_offsets[source]:graph.row_offsets[source + 1]].tolist()]
            found = self.figures.degrees(graph)
            self.assertEqual([one.name for one in found], ["out-degree", "in-degree"] if directed else ["degree"])
            for place, one in enumerate(found):
                expected = [0] * 1000
                for edge in stored:
                    expected[edge[place]] += 1
                self.assertEqual(one.degrees.tolist(), expected)
                for value, share in zip(*one.curve):
                    self.assertAlmostEqual(share, sum(degree >= value for degree in expected) / 1000)
            order = self.figures.by_degree(found)
            total = sum(one.degrees for one in found)
            self.assertEqual(sorted(order.tolist()), list(range(1000)))
            self.assertEqual(total[numpy.argsort(order)].tolist(), sorted(total.tolist(), reverse=True))
            for places in (range(1000), order.tolist()):
                expected = numpy.zeros((7, 7), int)
                for source, target in stored:
                    expected[places[source] * 7 // 1000, places[target] * 7 // 1000] += 1
                density = self.figures.density(graph, None if places is not order and isinstance(places, range) else order, cells=7)
                self.assertEqual(density.tolist(), expected.tolist())

    def test_layouts(self):
        names = self.make("page", "shard", "partition", "block")
        pages, shards, partitions, blocks = [quern.open(self.folder / name) for name in names]
        told = pages.info()["layout_figures"]
        fill = dict(self.figures.page_fill(pages))
        self.assertEqual({name: len(one) for name, one in fill.items() if len(one)},
                         {name: told[name + "_pages"] for name in ("small", "large") if told[name + "_pages"]})
        for name, one in fill.items():
            self.assertAlmostEqual(one.mean(), told[name + "_page_fill"])
        for graph, largest in ((shards, "largest_shard_edges"), (partitions, None), (blocks, None)):
            (parts,) = self.figures.balance(graph)
            self.assertEqual(parts.sizes.sum(), graph.num_edges)
            if largest:
                self.assertEqual(parts.sizes.max(), graph.info()["layout_figures"][largest])

    def test_results(self):
        self.make()
        for end in ("tsv", "csv", "npy"):
            run("quern-run", "bfs", "g.qrn", "--source", "1", "-o", "r." + end, "-q", cwd=self.folder)
        all_values = [self.figures.values(str(self.folder / ("r." + end))) for end in ("tsv", "csv", "npy")]
        self.assertGreater(all_values[0].others, 0)
        self.assertEqual(all_values[0].finite.min(), 0)
        for one in all_values[1:]:
            self.assertEqual((sorted(one.finite), one.others), (sorted(all_values[0].finite), all_values[0].others))


@needs("matplotlib", "jinja2")
class Page(_Scratch):
    tier, sanitized_tier = "medium", "long"

    def test_the_whole(self):
        names = self.make("page", "shard", "partition")
        run("quern-run", "pagerank", "g.qrn", "-o", "ranks.csv", "--trace", "run.json", cwd=self.folder)
        words = ["g.qrn", *names, "--results", "ranks.csv", "--trace", "run.json"]
        self.report(*words, "-o", "one.html")
        self.report(*words, "-o", "two.html")
        text = (self.folder / "one.html").read_text()
        self.assertTrue((self.folder / "two.html").read_text() == text, "another page of the same graph")
        for title in ("Degrees", "Adjacency matrix", "Sizes", "Fill of pages", "Balance of shards", "Balance of partitions",
                      "Where it comes from", "Result: ranks.csv", "Run: run.json"):
            self.assertTrue("<h2>%s</h2>" % title in text, title)
        self.assertEqual(text.count("<svg"), 10)
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:|#)|url\((?!#)|<script|#0[147]0[258]0[0-9]|font-family: .DejaVu', text), [])
        ids = re.findall(r'\bid="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)), "one id twice")
        self.assertIn("one.html: the output exists; use --force", self.report("g.qrn", "-o", "one.html", exit=2))
        self.report("g.qrn", "-o", "one.html", "-f")
        (self.folder / "other").touch()
        self.assertEqual(*(os.stat(self.folder / name).st_mode for name in ("one.html", "other")))

    def test_small_and_hostile(self):
        import quern.report
        for edges, vertices in (([], 0), ([], 1), ([], 5), ([(0, 0)], 1), ([(0, 1)] * 3, 2)):
            graph = quern.from_arrays([edge[0] for edge in edges], [edge[1] for edge in edges], num_vertices=vertices)
            name = "<img src=x onerror=alert(1)>&%d-%d" % (len(edges), vertices)
            graph.save(self.folder / name)
            quern.report.write(self.folder / "page.html", quern.open(self.folder / name), force=True)
            text = (self.folder / "page.html").read_text()
            self.assertTrue(html.escape(name, quote=False) in text and "<img" not in text, name)

    def test_metadata_of_others(self):
        """Any value in the place of any other: what is not text, list or number is not shown."""
        self.make()
        data = (self.folder / "g.qrn").read_bytes()
        metadata = quern.open(self.folder / "g.qrn").info()["metadata"]
        deep = 600 * '{"source":{"metadata":' + json.dumps(metadata) + 600 * "}}"
        for odd in (5, "x", None, [5], {"a": [{}]}, -1, 1e300, True, [[]]):
            self.page_of(data, json.dumps({key: odd for key in metadata}))
            self.page_of(data, json.dumps({**metadata, "ledger": {key: odd for key in metadata["ledger"]}, "inputs": [odd, {"name": odd}],
                                           "source": {"metadata": odd}}))
        self.assertIn(metadata["tool"], self.page_of(data, deep))

    def page_of(self, data, metadata):
        import quern.report
        (self.folder / "odd.qrn").write_bytes(rebuilt(data, {"metadata": metadata.encode()}))
        quern.report.write(self.folder / "page.html", quern.open(self.folder / "odd.qrn"), force=True)
        return (self.folder / "page.html").read_text()

    def test_refused(self):
        self.make()
        (self.folder / "deep").write_text(100000 * "[")
        (self.folder / "bad").write_text("no results\n")
        damaged = bytearray((self.folder / "g.qrn").read_bytes())
        damaged[5000] ^= 1
        (self.folder / "damaged.qrn").write_bytes(damaged)
        for words, code in ((["none.qrn"], 5), (["damaged.qrn"], 3), (["bad"], 3), (["g.qrn", "--results", "bad"], 3),
                            (["g.qrn", "--trace", "bad"], 3), (["g.qrn", "--trace", "deep"], 3), (["g.qrn", "--results", "none"], 5), ([], 2), (["g.qrn", "--colour"], 2)):
            self.assertRegex(self.report(*words, "-o", "page.html", exit=code), r"\Aquern-report: .+\n\Z")
        self.assertRegex(self.report("g.qrn", "-o", "no/page.html", exit=5), r"\Aquern-report: .+\n\Z")
        self.assertEqual([path.name for path in self.folder.glob("*page*")], [])


@unittest.skipUnless(shutil.which("chromium"), "no chromium")
@needs("matplotlib", "jinja2")
class Browser(_Scratch):
    tier, sanitized_tier, timeout = "medium", "long", 300

    def browse(self, width, *more):
        done = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--log-level=0",
                               "--hide-scrollbars", "--user-data-dir=%s" % (self.folder / "profile"), "--window-size=%d,800" % width, *more,
                               "file://%s" % (self.folder / "probe.html")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120, env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        return done.stdout

    def test_it_renders(self):
        self.make("page")
        run("quern-run", "pagerank", "g.qrn", "-o", "ranks.csv", "--trace", "run.json", cwd=self.folder)
        self.report("g.qrn", "page.qrn", "--results", "ranks.csv", "--trace", "run.json", "-o", "page.html")
        text = (self.folder / "page.html").read_text()
        (self.folder / "probe.html").write_text(text.replace("</body>", PROBE))
        paper = {}
        for name, width, more in (("light", 1200, ["--blink-settings=preferredColorScheme=1"]),
                                  ("dark", 500, ["--blink-settings=preferredColorScheme=0"])):
            title = re.search("<title>(.*?)</title>", self.browse(width, "--dump-dom", *more))[1]
            inner, scrolled, paper[name], drawn = title.split("|")
            self.assertEqual((int(inner), int(drawn)), (width, text.count("<svg")))
            self.assertLessEqual(int(scrolled), width, "the page is wider than the window")
        self.assertEqual(paper, {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"})

    def test_errors_would_be_seen(self):
        (self.folder / "probe.html").write_text("<script>nothing()</script>")
        with self.assertRaises(AssertionError):
            self.browse(500, "--dump-dom")
