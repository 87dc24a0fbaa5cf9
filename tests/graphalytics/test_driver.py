"""The platform driver for LDBC Graphalytics (integrations/graphalytics): compiled against what it sees of the benchmark,
run by a benchmark in small, and its outputs compared by the benchmark's rules."""

import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.chance import seed
from harness.tools import run
from oracle import naive

SOURCE = Path(os.environ["QUERN_SOURCE"])
EXAMPLES = Path(os.environ["QUERN_TEST_GRAPHS"]) / "graphalytics"
DRIVER = SOURCE / "integrations/graphalytics"
HERE = Path(__file__).parent
NEVER = str(2 ** 63 - 1)


# ---- The benchmark's rules: lines "id value", each vertex once ----

def read(path):
    lines = [line.split(" ") for line in path.read_text().splitlines()]
    values = {int(vertex): value for vertex, value in lines}
    assert len(values) == len(lines), "a vertex twice"
    return values


def exact(expected, actual):
    return all(int(value) == int(actual[vertex]) for vertex, value in expected.items())


def equivalence(expected, actual):
    pairs = {(value, actual[vertex]) for vertex, value in expected.items()}
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


def epsilon(expected, actual, most=1e-4):
    return all(value == actual[vertex] if "Infinity" in (value, actual[vertex])
               else abs(float(value) - float(actual[vertex])) <= most * float(value) for vertex, value in expected.items())


RULES = {"BFS": exact, "CDLP": exact, "LCC": epsilon, "PR": epsilon, "SSSP": epsilon, "WCC": equivalence}


def matches(algorithm, expected, actual, **more):
    return expected.keys() == actual.keys() and RULES[algorithm](expected, actual, **more)


# ---- What must come out ----

def reference(algorithm, ids, edges, directed, parameters):
    """By the oracle, which knows vertices by their places: {id: value as the benchmark writes it}."""
    number, count = {vertex: place for place, vertex in enumerate(ids)}, len(ids)
    listed = [(number[source], number[target], weight) for source, target, weight in edges]
    walked = listed if directed else naive.both_ways(listed)
    values = {"BFS": lambda: naive.bfs(count, walked, number[parameters[0]]),
              "CDLP": lambda: [ids[label] for label in naive.cdlp(count, listed, parameters[0])],
              "LCC": lambda: naive.lcc(count, walked),
              "PR": lambda: naive.pagerank(count, walked, *parameters),
              "SSSP": lambda: naive.sssp(count, walked, number[parameters[0]]),
              "WCC": lambda: naive.cc(count, listed)}[algorithm]()
    infinite = NEVER if algorithm == "BFS" else "Infinity"
    return {vertex: infinite if value == float("inf") else str(value) for vertex, value in zip(ids, values)}


def random_graph(chance, directed):
    """Simple, as the benchmark's graphs are; ids have gaps, some vertices no edge, weights all their digits."""
    ids = sorted(chance.sample(range(1 << 40), 60)) + [2 ** 62]
    pairs = {tuple(chance.sample(ids[:50], 2)) for _ in range(150)}
    pairs = pairs if directed else {tuple(sorted(pair)) for pair in pairs}
    return ids, [(source, target, chance.random() * 10) for source, target in sorted(pairs)]


@unittest.skipUnless(shutil.which("javac"), "no javac")
class Driver(unittest.TestCase):
    tier, sanitized_tier, timeout = "medium", "long", 300

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.at = Path(scratch.name)
        classes = cls.at / "classes"
        sources = [*cls.unpack_api(cls.at / "api"), *sorted(DRIVER.rglob("*.java")), HERE / "Benchmark.java"]
        run("javac", "-J-XX:TieredStopAtLevel=1", "-Xlint:deprecation,rawtypes,unchecked", "-Werror", "--release", "11", "-d", classes, *sources)
        cls.benchmark = subprocess.Popen(
            ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + scratch.name, "-cp", str(classes), "Benchmark"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        cls.addClassCleanup(cls.end)

    @staticmethod
    def unpack_api(folder):
        for source in re.findall(r"(?ms)^package .*?(?=^package |\Z)", (HERE / "api.txt").read_text()):
            package = re.match(r"package (\S+);", source).group(1)
            name = re.search(r"(?m)^public (?:final |abstract )*(?:class|interface|enum) (\w+)", source).group(1)
            path = folder / package.replace(".", "/") / (name + ".java")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source)
            yield path

    @classmethod
    def end(cls):
        cls.benchmark.stdin.close()
        cls.benchmark.wait()
        cls.benchmark.stdout.close()

    def setUp(self):
        self.containers = self.at / "containers"
        for name, value in (("tools", os.environ["QUERN_BIN"]), ("containers", self.containers), ("device", "cpu"), ("threads", "2"),
                            ("layout", ""), ("weights", "")):
            self.said("set", name, value)

    def ask(self, *words):
        self.benchmark.stdin.write("\t".join(map(str, words)) + "\n")
        return self.benchmark.stdout.readline().rstrip("\n").split("\t", 1)

    def said(self, *words):
        how, text = self.ask(*words)
        self.assertEqual(how, "ok", text)
        return text

    def refusal(self, *words):
        how, text = self.ask(*words)
        self.assertEqual(how, "failed", text)
        return text

    def load(self, ids, edges, directed, weighted=True):
        files = self.at / "graph.v", self.at / "graph.e"
        files[0].write_text("".join("%d\n" % vertex for vertex in ids))
        files[1].write_text("".join(("%d %d %r\n" if weighted else "%d %d\n") % edge[:2 + weighted] for edge in edges))
        return ("load", "graph", len(ids), len(edges), "directed" if directed else "undirected", *files, int(weighted))

    def output(self, algorithm, *parameters):
        """What a run writes, of which there is one file in its folder; its time is a number of seconds."""
        folder = Path(tempfile.mkdtemp(dir=self.at))
        self.assertRegex(self.said("run", folder, algorithm, *parameters), r"^\d+\.\d{6} s$")
        file, = (folder / "output").iterdir()
        self.assertEqual(file.name, "r1-" + algorithm)
        return read(file)

    def delete(self):
        self.said("delete")
        self.assertEqual(list(self.containers.iterdir()), [])

    def test_random_graphs(self):
        chance = random.Random(seed())
        for directed in (True, False):
            ids, edges = random_graph(chance, directed)
            source = edges[0][0]
            of = {"BFS": [source], "CDLP": [3], "LCC": [], "PR": [0.85, 3], "SSSP": [source], "WCC": []}
            self.said(*self.load(ids, edges, directed))
            for algorithm, parameters in of.items():
                with self.subTest(algorithm=algorithm, directed=directed):
                    expected, actual = reference(algorithm, ids, edges, directed, parameters), self.output(algorithm, *parameters)
                    self.assertTrue(matches(algorithm, expected, actual), (expected, actual))
                    if algorithm == "SSSP":  # weights of 8 bytes
                        self.assertTrue(matches(algorithm, expected, actual, most=1e-14), (expected, actual))
            self.delete()

    def test_settings(self):
        """Another layout, weights of 4 bytes; and a graph without weights, of which no output is asked."""
        ids, edges = random_graph(random.Random(1), True)
        self.said("set", "layout", "slotted-pages,page-size=4K")
        self.said("set", "weights", "f32")
        path = self.said(*self.load(ids, edges, True))
        self.assertRegex(run("quern-info", path).stdout, r"(?s)slotted-pages.*page_bytes: +4,096")
        for algorithm in ("BFS", "SSSP"):
            expected = reference(algorithm, ids, edges, True, [edges[0][0]])
            self.assertTrue(matches(algorithm, expected, self.output(algorithm, edges[0][0])))
        self.delete()
        path = self.said(*self.load(ids, edges, True, weighted=False))
        self.assertRegex(run("quern-info", path).stdout, r"weights: +none")
        self.assertRegex(self.said("time", self.at / "timed", "WCC"), r"^\d+\.\d{6} s$")
        self.assertEqual([each.name for each in (self.at / "timed").iterdir()], ["log"])
        self.delete()

    @unittest.skipUnless(EXAMPLES.exists(), "no graph graphalytics")
    def test_examples(self):
        for name in ("example-directed", "example-undirected"):
            known = dict(re.findall(r"(?m)^graph\.%s\.(\S+) = (.*\S)" % name, (EXAMPLES / (name + ".properties")).read_text()))
            files = [EXAMPLES / "example" / known[kind + "-file"] for kind in ("vertex", "edge")]
            self.said("load", name, known["meta.vertices"], known["meta.edges"], name.split("-")[1], *files, 1)
            of = {"BFS": ["bfs.source-vertex"], "CDLP": ["cdlp.max-iterations"], "LCC": [], "PR": ["pr.damping-factor", "pr.num-iterations"],
                  "SSSP": ["sssp.source-vertex"], "WCC": []}
            for algorithm, keys in of.items():
                with self.subTest(name, algorithm=algorithm):
                    expected = read(EXAMPLES / "example" / ("%s-%s" % (name, algorithm)))
                    self.assertTrue(matches(algorithm, expected, self.output(algorithm, *(known[key] for key in keys))))
            self.delete()

    def test_failures(self):
        """What a tool refuses is said in its words, and leaves no folder behind."""
        self.assertEqual(self.said("verify"), "quern")
        ids, edges = [5, 7, 9], [(5, 7, 0.5), (7, 9, 0.25)]
        good = self.load(ids, edges, True)
        for word, place, wrong in ((r"graph\.properties: 4 vertices and 2 edges are announced here, but there are 3 and 2", 2, 4),
                                   (r"2 properties of edges", 7, 2),
                                   (r"graph\.v", 5, self.at / "absent.v"),
                                   (r"expected a vertex id", 5, DRIVER / "pom.xml")):
            bad = list(good)
            bad[place] = wrong
            with self.subTest(word):
                self.assertRegex(self.refusal(*bad), word)
                self.said("delete")  # as the benchmark does with a graph that was not loaded
                self.assertEqual([*self.containers.iterdir()] if self.containers.exists() else [], [])
        self.said(*good)
        self.assertRegex(self.refusal("run", self.at / "r", "BFS", 6), "no vertex has the id '6'")
        self.assertEqual(list((self.at / "r/output").iterdir()), [])
        self.said("set", "device", "abacus")
        self.assertIn("abacus", self.refusal("run", self.at / "r", "WCC"))
        self.said("set", "tools", self.at / "nowhere")
        self.assertRegex(self.refusal("run", self.at / "r", "WCC"), "nowhere/quern-run")
        self.assertRegex(self.refusal("verify"), "nowhere/quern-import")
        self.delete()

    def test_a_run_that_takes_too_long(self):
        tools = self.at / "slow"
        tools.mkdir()
        (tools / "quern-run").write_text("#!/bin/sh\nexec sleep 1000\n")
        (tools / "quern-run").chmod(0o755)
        self.said(*self.load([1, 2], [(1, 2, 1.5)], False))
        self.said("set", "tools", tools)
        self.assertIn("ended with exit code 137", self.said("terminate", self.at / "t", "WCC"))
        self.delete()


class Rules(unittest.TestCase):
    """Each finds a value that is another."""

    def test_they_differ(self):
        values = {1: "0", 2: "4", 3: NEVER}
        self.assertTrue(exact(values, dict(values)))
        self.assertFalse(exact(values, {**values, 3: "5"}))
        self.assertFalse(matches("BFS", values, {1: "0", 2: "4"}))
        self.assertTrue(equivalence({1: "1", 2: "1", 3: "3"}, {1: "9", 2: "9", 3: "1"}))
        self.assertFalse(equivalence({1: "1", 2: "1", 3: "3"}, {1: "9", 2: "9", 3: "9"}))
        self.assertFalse(equivalence({1: "1", 2: "1", 3: "3"}, {1: "9", 2: "8", 3: "7"}))
        self.assertTrue(epsilon({1: "1", 2: "Infinity"}, {1: "1.00009", 2: "Infinity"}))
        self.assertFalse(epsilon({1: "1", 2: "Infinity"}, {1: "1.00011", 2: "Infinity"}))
        self.assertFalse(epsilon({1: "1", 2: "Infinity"}, {1: "1", 2: "7"}))


if __name__ == "__main__":
    unittest.main()
