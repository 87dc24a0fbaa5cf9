"""quern-report: what it computes, what it writes, and what a browser makes of it."""

import base64
import hashlib
import html
import json
import os
import re
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

from conformance.sealing import rebuilt
from harness.browser import CHROMIUM, Browser
from harness.package import needs, quern
from harness.tools import run

NAMES = ["{{ 7 * 7 }}", "<script>alert(1)</script>", "</style><svg onload=alert(2)>", "<b>bold</b>", '"quote"', "a&b;", "' onload='x", "</script><script>alert(3)</script>",
         "\u202eright to left", "\u540d\u524d", "long" * 200, "]]>", "<!--"]


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

    @needs("jinja2")
    def test_blocks_of_a_set(self):
        """Cells have the edges of the block that they are in, from sources to destinations, whichever are rows."""
        run("quern-generate", "rmat", "--scale", "6", "--permute=no", "-q", "-o", self.folder / "g.qrn")
        graph = quern.open(self.folder / "g.qrn")
        self.assertIsNone(self.figures.blocks(graph))
        expected = self.figures.density(graph, cells=4)
        for rows in ("in", "out"):
            run("quern-transform", self.folder / "g.qrn", "--block-vertices", "16", "--rows", rows, "-qfo", self.folder / "set")
            found = self.figures.blocks(quern.open(self.folder / "set"), cells=4)
            self.assertEqual(found.cells.tolist(), expected.tolist())
            self.assertEqual(found.edges.sum(), graph.num_edges)
        run("quern-transform", self.folder / "g.qrn", "--parts", "3", "-qo", self.folder / "parts")
        self.assertEqual(len(self.figures.blocks(quern.open(self.folder / "parts")).edges), 3)
        self.report("parts", "-o", "page.html")
        self.assertIn("keeps its edges in 3 files", (self.folder / "page.html").read_text())

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
                for value, many in zip(*one.curve):
                    self.assertEqual(many, sum(degree >= value for degree in expected))
            order = self.figures.by_degree(found)
            total = sum(one.degrees for one in found)
            self.assertEqual(sorted(order.tolist()), list(range(1000)))
            self.assertEqual(total[numpy.argsort(order)].tolist(), sorted(total.tolist(), reverse=True))
            for places in (range(1000), order.tolist()):
                expected = numpy.zeros((7, 7), int)
                for source, target in stored:  # of an undirected edge inside a cell once
                    cell = places[source] * 7 // 1000, places[target] * 7 // 1000
                    expected[cell] += 1 if directed or cell[0] != cell[1] else 2 if source == target else 1
                if not directed:
                    expected[range(7), range(7)] //= 2
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

    def test_structure(self):
        import numpy
        from quern.report import _structure
        rng = numpy.random.default_rng(7)
        for directed in (True, False):
            for vertices, count in ((40, 300), (200, 150), (3, 0)):
                edges = rng.integers(0, vertices, (count, 2))
                graph = quern.from_arrays(edges[:, 0], edges[:, 1], num_vertices=vertices, directed=directed)
                for _structure.SEARCHED_EDGES in (1 << 20, 7):
                    found = _structure.structure(graph)
                    all_edges = [tuple(edge) if directed else tuple(sorted(edge)) for edge in edges.tolist()]
                    simple = {edge for edge in all_edges if edge[0] != edge[1]}
                    self.assertEqual(found.loops, sum(source == target for source, target in all_edges))
                    self.assertEqual(found.parallel, count - len(set(all_edges)))
                    self.assertEqual(found.reciprocal, (sum(edge[::-1] in simple for edge in simple), len(simple)) if directed else None)
                    self.assertEqual((found.components.sum(), found.strong.sum() if directed else None), (vertices, vertices if directed else None))
                    near = [{*(b for a, b in simple if a == v), *(a for a, b in simple if b == v)} for v in range(vertices)]
                    self.assertEqual(found.triangles, sum(b in near[a] and c in near[a] and c in near[b] for a in range(vertices)
                                                          for b in near[a] if a < b for c in near[b] if b < c))
                    self.assertEqual(len(found.components), self.components(near))
        bins = _structure.by_degree(numpy.array([0, 1, 2, 3, 4, 9]), numpy.array([0, 0, 0.5, 0.25, 1, 0.125]))
        self.assertEqual(bins, [(2, 3, 2, 0.375), (4, 7, 1, 1), (8, 15, 1, 0.125)])
        _structure.MOST_EDGES, kept = 5, _structure.MOST_EDGES
        self.addCleanup(setattr, _structure, "MOST_EDGES", kept)
        found = _structure.structure(quern.from_arrays(range(6), range(1, 7)))
        self.assertEqual((found.triangles, found.clustering, found.components.tolist()), (None, None, [7]))

    @staticmethod
    def components(near):
        seen, count = set(), 0
        for start in range(len(near)):
            count += start not in seen
            waiting = [start]
            while waiting:
                vertex = waiting.pop()
                if vertex not in seen:
                    seen.add(vertex)
                    waiting += near[vertex]
        return count

    def test_results(self):
        self.make()
        for end in ("tsv", "csv", "npy"):
            run("quern-run", "bfs", "g.qrn", "--source", "1", "-o", "r." + end, "-q", cwd=self.folder)
        all_values = [self.figures.values(str(self.folder / ("r." + end))) for end in ("tsv", "csv", "npy")]
        self.assertGreater(len(all_values[0].numbers), len(all_values[0].finite))
        self.assertEqual(all_values[0].finite.min(), 0)
        self.assertEqual([one.name for one in all_values], ["value", "bfs", "value"])
        ranks = quern.open(self.folder / "g.qrn").bfs(1).top(5)
        for one in all_values:
            self.assertEqual(sorted(one.numbers), sorted(all_values[0].numbers))
            self.assertEqual([one.numbers[place] for place in one.largest(5)], [value for _, value in ranks])
        for one in all_values[:2]:
            self.assertEqual([one.row(place) for place in one.largest(5)], [[str(id), str(value)] for id, value in ranks])

    def test_ticks(self):
        from quern.report._svg import Axis, compact
        for low, high, log, expected in ((1, 1000, True, "1 10 100 1,000"), (1, 1e12, True, "1 100 10k 1M 100M 10G 1T"),
                                         (3, 40, True, "5 10 20"), (2, 3, True, "2 2.5 3"), (1e-7, 1e-4, True, "10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴"),
                                         (0, 325557, False, "0 100k 200k 300k"), (325557, 0, False, "0 100k 200k 300k"), (0, 1, False, "0 0.5 1"),
                                         (0, 0.0012, False, "0 5·10⁻⁴ 0.001"), (-3, 3, False, "-2 0 2"), (0, 0, False, "0")):
            self.assertEqual(" ".join(compact(tick) for tick in Axis("", low, high, log).ticks()), expected)


@needs("jinja2")
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
        for title in ("Edges per vertex", "Where the edges are", "Components", "Clustering", "Sizes of the files", "How full the pages are",
                      "How even the shards are", "How even the partitions are", "Where it comes from", "Result: pagerank", "Timeline of a run"):
            self.assertTrue("<h2>%s</h2>" % title in text, title)
        self.assertEqual(text.count('<svg class="chart"'), 10)
        graph, ranks = quern.open(self.folder / "g.qrn"), quern.open(self.folder / "g.qrn").pagerank()
        self.assertIn("<dt>edges</dt><dd>%s</dd>" % f"{graph.num_edges:,}", text)
        rows = re.findall("<tr><td>(.*?)</td><td>(.*?)</td><td class=", text[text.index("<h3>The largest values</h3>"):])
        self.assertEqual(rows[:10], [(str(id), "{:,.6g}".format(value)) for id, value in ranks.top(10)])
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:|#)|url\((?!#)| style="| on\w+="|https?://(?!www.w3.org/2000/svg)', text), [])
        self.assertPolicy(text)
        ids = re.findall(r'\bid="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)), "one id twice")
        self.assertIn("one.html: the output exists; use --force", self.report("g.qrn", "-o", "one.html", exit=2))
        self.report("g.qrn", "-o", "one.html", "-f")
        (self.folder / "other").touch()
        self.assertEqual(*(os.stat(self.folder / name).st_mode for name in ("one.html", "other")))

    def assertPolicy(self, text):
        """The page's own style and script are allowed, and nothing else."""
        hashed = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(found.encode()).digest()).decode()
                  for kind in ("style", "script") for found in re.findall("<%s>(.*?)</%s>" % (kind, kind), text, re.S)]
        self.assertEqual(re.findall('Content-Security-Policy" content="(.*?)"', text), [html.escape(
            "default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'" % tuple(hashed)).replace("&#x27;", "&#39;")])

    def test_an_undirected_edge_counts_once(self):
        import quern.report
        graph = quern.from_arrays([0, 1, 2, 3, 3], [1, 2, 0, 3, 0], directed=False)
        graph.save(self.folder / "u.qrn")
        quern.report.write(self.folder / "u.html", quern.open(self.folder / "u.qrn"))
        text = (self.folder / "u.html").read_text()
        for fact in ("<dt>edges</dt><dd>5</dd>", "<dt>triangles</dt><dd>1</dd>", "<dt>self-loops</dt><dd>1</dd>"):
            self.assertIn(fact, text)
        self.assertEqual(re.findall('data-counts="(.*?)"', text), [",1,1,1,1,,1,,1,1,,,1,,,1"] * 2)  # they are by degree already

    def test_groups(self):
        import quern.report
        quern.from_arrays([0, 1, 5], [1, 2, 6], num_vertices=9).save(self.folder / "c.qrn")
        run("quern-run", "cc", "c.qrn", "-o", "c.csv", "-q", cwd=self.folder)
        quern.report.write(self.folder / "c.html", quern.open(self.folder / "c.qrn"), results=[str(self.folder / "c.csv")])
        text = (self.folder / "c.html").read_text()
        self.assertIn("<h3>The largest of 6 components</h3>", text)
        self.assertRegex(text, '<tr><td>0</td><td>3</td>.*\n<tr><td>5</td><td>2</td>.*\n<tr><td>3</td><td>1</td>')

    def test_any_values(self):
        import quern.report
        quern.from_arrays([0, 1], [1, 2]).save(self.folder / "g.qrn")
        for values in ([], [0], [0, 0, 0], [-1, 1], [1e308, -1e308], [5e-324], [5e-324, 1.7e308], [1e300, 1e-300, 0], ["nan", 1], ["inf"], [-5.5, -5.5],
                       [2**53, 2**53 + 2], [3, 3.0000000001], [-1e-9, 1e-9], [1, 2, 3, 1e17], range(100)):
            (self.folder / "v.csv").write_text("id,x\n" + "".join("%d,%s\n" % row for row in enumerate(values)))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                quern.report.write(self.folder / "v.html", quern.open(self.folder / "g.qrn"), results=[str(self.folder / "v.csv")], force=True)
            text = (self.folder / "v.html").read_text()
            self.assertIn("<h2>Result: x</h2>", text)
            self.assertEqual(re.findall("[\" ](?:nan|inf)\\b", text), [])

    def test_hostile_names(self):
        import quern.report
        pages = {}
        for name, names in (("<img src=x>", NAMES), ("plain", ["name %d" % number for number in range(len(NAMES))])):
            quern.from_edges([(one, other) for one in names for other in names[:3]]).save(self.folder / (name + ".qrn"))
            run("quern-run", "pagerank", name + ".qrn", "-o", name + ".csv", "-q", cwd=self.folder)
            quern.report.write(self.folder / "page.html", quern.open(self.folder / (name + ".qrn")), results=[str(self.folder / (name + ".csv"))], force=True)
            pages[name] = (self.folder / "page.html").read_text()
        text = pages["<img src=x>"]
        elements = [sorted(re.findall("<(/?[a-zA-Z!][a-zA-Z0-9]*)", page)) for page in pages.values()]
        self.assertEqual(*elements)
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", text)
        self.assertIn("{{ 7 * 7 }}", text)
        self.assertPolicy(text)

    def test_types(self):
        """Each type of vertices is a circle, and each pair of them that edges join an arrow."""
        import quern.report
        names = NAMES[:3] + ["n" * 255]
        sets = [Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/set-types", self.folder / "hostile", self.folder / "many", self.folder / "one"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quern.from_types({name: 2 for name in names}, {(a, name, b): ([0], [1]) for a in names for b in names for name in NAMES[:2]}, sets[1])
            quern.from_types({"t%d" % i: 1 for i in range(25)}, {("t0", "k", "t1"): ([0], [0])}, sets[2])
            quern.from_types({"t": 1}, {("t", "k", "t"): ([0], [0])}, sets[3])
            for path, circles, arrows in zip(sets, (2, 4, 0, 1), (2, 16, 0, 1)):
                quern.report.write(self.folder / "page.html", quern.open(path), force=True)
                text = (self.folder / "page.html").read_text()
                self.assertIn("<h2>Types</h2>", text)
                self.assertEqual((text.count("<circle"), text.count('class="head"')), (circles, arrows))
                self.assertNotRegex(text, "<script>alert|<b>bold|nan")
                for at in re.findall(r'(?:cx|cy|x|y)="(-?[\d.]+)"', "".join(re.findall(r'(?s)<svg class="schema".*?</svg>', text))):
                    self.assertTrue(0 <= float(at) <= 440, at)
        quern.report.write(self.folder / "page.html", quern.open(sets[0]), force=True)
        text = (self.folder / "page.html").read_text()
        self.assertIn("Person -&gt; Person: KNOWS, 2 edges", text)
        self.assertIn("<tr><td>ACTED</td><td>Person</td><td>Movie</td><td>1</td><td>none</td></tr>", text)

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


@unittest.skipUnless(CHROMIUM, "no chromium")
@needs("jinja2")
class Rendered(_Scratch):
    tier, sanitized_tier, timeout = "medium", "long", 300

    def setUp(self):
        super().setUp()
        self.make("page", "shard")
        run("quern-run", "pagerank", "g.qrn", "-o", "ranks.csv", "--trace", "run.json", "-q", cwd=self.folder)
        self.page = self.folder / "page.html"
        self.report("g.qrn", "page.qrn", "shard.qrn", "--results", "ranks.csv", "--trace", "run.json", "-o", self.page)
        self.browser = Browser()
        self.browser.__enter__()
        self.addCleanup(self.browser.__exit__)

    def value(self, text):
        return self.browser.value(text)

    def assertQuiet(self):
        self.assertEqual(self.browser.messages, [])
        self.assertEqual({url for url in self.browser.requested if not url.startswith("data:")}, {"file://%s" % self.page})

    def test_it_fits_phones_and_desks(self):
        paper = {}
        for width, dark, columns in ((320, False, 1), (390, True, 1), (768, False, 1), (1280, False, 2)):
            with self.subTest(width):
                self.browser.open(self.page, width, dark=dark)
                self.assertEqual(self.value("[innerWidth, document.scrollingElement.scrollWidth]"), [width, width], "wider than the window")
                if width > 320:
                    self.assertEqual(self.value("[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth).length"), 0)
                self.assertEqual(self.value("[...document.querySelectorAll('.chart')].filter(one => one.getBoundingClientRect().height < 60).length"), 0)
                # Letters of figures, in pixels as they are shown.
                least = self.value("Math.min(...[...document.querySelectorAll('.chart')].map(one => parseFloat(getComputedStyle(one).fontSize) * "
                                   "one.getBoundingClientRect().width / 440))")
                self.assertGreaterEqual(least, 9.4 if width < 390 else 11.5)
                matrices = self.value("[...document.querySelectorAll('.chart[data-counts]')].map(one => one.getBoundingClientRect().top)")
                self.assertEqual(len(set(matrices)), 1 if columns == 2 else 2)
                paper[dark] = self.value("getComputedStyle(document.body).backgroundColor")
        self.assertEqual(paper, {False: "rgb(255, 255, 255)", True: "rgb(20, 23, 27)"})
        self.assertQuiet()

    ALL_TICKS = "[...document.querySelectorAll('.ticks text')].map(one => one.textContent).join(' ')"

    def test_without_a_script(self):
        """The figures are there, and what the script draws before anybody zooms is the same."""
        self.browser.open(self.page, script=False)
        self.assertEqual(self.value("document.querySelectorAll('.tools').length"), 0)
        self.assertGreater(self.value("document.querySelectorAll('.area title').length"), 100)
        drawn = self.value(self.ALL_TICKS)
        self.browser.open(self.page)
        self.assertEqual(self.value("document.querySelectorAll('.tools').length"), self.value("document.querySelectorAll('.chart').length"))
        self.assertEqual(self.value(self.ALL_TICKS), drawn)
        self.assertQuiet()

    def middle(self, number):
        return self.value("(() => { const area = document.querySelectorAll('.area')[%d]; area.scrollIntoView({block: 'center'}); "
                          "const box = area.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; })()" % number)

    def test_hover_and_zoom(self):
        self.browser.open(self.page)
        tip = "document.querySelector('.tip:not([hidden])')?.textContent"
        for number, said in ((0, r"\A[\d,]+ vert(ex|ices) with [\d,]+ or more edges (in|out)\Z"), (1, r"\A[\d,]+ edges?\nrow: [\d,]+( to [\d,]+)?\ncolumn: ")):
            x, y = self.middle(number)
            self.browser.point(x, y)
            self.assertRegex(self.value(tip), said)
            self.browser.point(2, 2)
            self.assertIsNone(self.value(tip))
        whole, ticks = self.value("document.querySelector('.area').getAttribute('viewBox')"), self.value(self.ALL_TICKS)
        x, y = self.middle(0)
        self.value("document.querySelector('.tools button').click()")
        zoomed = [float(number) for number in self.value("document.querySelector('.area').getAttribute('viewBox')").split()]
        self.assertEqual(zoomed[2:], [float(number) / 2 for number in whole.split()[2:]])
        self.assertNotEqual(self.value(self.ALL_TICKS), ticks)
        self.browser.point(x, y, "mousePressed", button="left", clickCount=1)
        self.browser.point(x + 50, y, button="left", buttons=1)
        self.browser.point(x + 50, y, "mouseReleased", button="left", clickCount=1)
        self.assertLess(float(self.value("document.querySelector('.area').getAttribute('viewBox')").split()[0]), zoomed[0], "dragged to the right")
        self.value("document.querySelectorAll('.tools button')[2].click()")
        self.assertEqual(self.value("document.querySelector('.area').getAttribute('viewBox')"), whole)
        self.browser.point(x, y, "mouseWheel", deltaX=0, deltaY=-100, modifiers=2)  # with Ctrl, as a trackpad's pinch
        self.assertLess(float(self.value("document.querySelector('.area').getAttribute('viewBox')").split()[2]), float(whole.split()[2]))
        self.value("document.querySelector('.area').focus()")
        for key, said in (("Escape", None), ("ArrowRight", r"or more edges out\Z"), ("ArrowLeft", r"or more edges in\Z"), ("Escape", None), ("0", None)):
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
            (self.assertRegex(self.value(tip), said) if said else self.assertIsNone(self.value(tip)))
        self.assertEqual((self.value("document.querySelector('.area').getAttribute('viewBox')"), self.value(self.ALL_TICKS)), (whole, ticks))
        self.assertQuiet()

    def test_what_is_smuggled_in_does_not_run(self):
        """Were a name not escaped, its script would still not run."""
        text = self.page.read_text()
        self.page.write_text(text.replace("</body>", "<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\"></body>"))
        self.browser.open(self.page)
        self.assertEqual(self.value("document.title"), "g")
        self.assertEqual(len(self.browser.messages), 3, self.browser.messages)


@unittest.skipUnless(CHROMIUM, "no chromium")
class Complaints(_Scratch):
    tier, sanitized_tier = "medium", "long"

    def test_errors_would_be_seen(self):
        page = self.folder / "page.html"
        page.write_text("<script>nothing()</script>")
        with Browser() as browser:
            browser.open(page)
            self.assertEqual(len(browser.messages), 1)
            self.assertIn("nothing is not defined", browser.messages[0])
