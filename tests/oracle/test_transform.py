"""quern-transform and quern-export against plain Python, on random graphs with loops and parallel edges."""

import collections
import itertools
import json
import random
import struct
import subprocess
import unittest
from pathlib import Path

from oracle.graphs import RandomGraph


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, "%s\n%s" % (" ".join(map(str, command)), done.stderr)
    return done.stdout


def single(number):
    """As binary32 holds it: weights are written with the fewest digits that tell them apart there."""
    return struct.unpack("f", struct.pack("f", float(number)))[0]


def stored_edges(container):
    """Every edge of a container as (source, destination, weight) by original ids, in the container's order."""
    lines = run("quern-export", container, "-q", "--both-directions", "-o", "-").splitlines()
    return [tuple((line.split("\t") + [""])[:3]) for line in lines if not line.startswith("#")]


def transformed(edges, transpose=False, remove_self_loops=False, symmetrize=False, remove_duplicates=False):
    """What the documentation says, on edges in the container's order."""
    if transpose:
        edges = [(destination, source, weight) for source, destination, weight in edges]
    if remove_self_loops:
        edges = [edge for edge in edges if edge[0] != edge[1]]
    if symmetrize:
        pairs = [[edge] if edge[0] == edge[1] else [edge, (edge[1], edge[0], edge[2])] for edge in edges]
        edges = list(itertools.chain(*pairs))
    if remove_duplicates:
        firsts = {}
        for source, destination, weight in edges:
            firsts.setdefault((source, destination), weight)
        edges = [(source, destination, weight) for (source, destination), weight in firsts.items()]
    return edges


STEPS = ("transpose", "remove_self_loops", "symmetrize", "remove_duplicates")


class Transform(unittest.TestCase):
    def import_graph(self, seed, weights="none", ids="sparse", options=()):
        graph = RandomGraph(seed, 60, 400, weights=weights, ids=ids)
        graph.write("g%d.txt" % seed)
        words = ["--ids", "strings"] if ids == "strings" else []
        run("quern-import", "g%d.txt" % seed, "-q", "-f", "-o", "g%d.qrn" % seed, *words, *options)
        return "g%d.qrn" % seed

    def check(self, container, result, steps):
        info = json.loads(run("quern-info", "--json", container))
        if info["directedness"] == "undirected":
            steps = {**steps, "symmetrize": False}
        self.assertEqual(sorted(stored_edges(result)), sorted(transformed(stored_edges(container), **steps)))
        run("quern-verify", "-q", result)

    def test_every_combination(self):
        for number, chosen in enumerate(itertools.product((False, True), repeat=len(STEPS))):
            steps = dict(zip(STEPS, chosen))
            words = ["--" + name.replace("_", "-") for name in STEPS if steps[name]]
            for weights, options in (("none", ()), ("u32", ()), ("f32", ("--undirected",)), ("u32", ("--transpose=also",))):
                with self.subTest(steps=words, weights=weights, options=options):
                    container = self.import_graph(number, weights, options=options)
                    run("quern-transform", container, "-q", "-f", "-o", "t.qrn", "--relabel=random", *words)
                    self.check(container, "t.qrn", steps)
                    if words:
                        run("quern-transform", container, "-q", "-f", "-o", "t.qrn", *words)
                        self.check(container, "t.qrn", steps)

    def test_degree_order(self):
        for seed, (options, words) in enumerate(itertools.product(
                ((), ("--undirected",)),
                ((), ("--symmetrize",), ("--symmetrize", "--remove-duplicates", "--remove-self-loops"),
                 ("--remove-duplicates",), ("--remove-self-loops", "--transpose")))):
            with self.subTest(options=options, words=words):
                container = self.import_graph(seed, options=options)
                run("quern-transform", container, "-q", "-f", "-o", "t.qrn", "--relabel=degree", *words)
                info = json.loads(run("quern-info", "--json", "t.qrn"))
                run("quern-transform", "t.qrn", "-q", "-f", "-o", "simple.qrn", "--remove-duplicates")
                degree = collections.Counter()
                for source, destination, _ in stored_edges("t.qrn"):
                    degree[source] += 1
                    degree[destination] += info["directedness"] == "directed"
                # Matrix Market numbers vertices in the container's order, which is that of ids in neither.
                order = []
                lines = run("quern-export", "simple.qrn", "-q", "-o", "-", "--format", "matrix-market",
                            "--both-directions").splitlines()
                named = stored_edges("simple.qrn")
                numbered = [line.split() for line in lines[3:]]
                self.assertEqual(len(named), len(numbered))
                names = {}
                for (source, destination, _), (row, column) in zip(named, numbered):
                    names[int(row)], names[int(column)] = source, destination
                order = [degree[names[number]] for number in sorted(names)]
                self.assertEqual(order, sorted(order, reverse=True))

    def numbered_edges(self, container):
        """(source, destination) as the container numbers vertices, from 0."""
        lines = run("quern-export", container, "-q", "-o", "-", "--format", "matrix-market", "--both-directions").splitlines()
        return [tuple(int(number) - 1 for number in line.split()[:2])
                for line in lines if not line.startswith("%")][1:]

    def test_cuthill_mckee_order(self):
        """The same graph; of a path and a ladder with shuffled names neighbours come back beside one another."""
        for seed, options in enumerate(((), ("--undirected",), ("--transpose=also",))):
            container = self.import_graph(seed, "u32", options=options)
            for words in ((), ("--transpose",), ("--symmetrize", "--remove-duplicates")):
                with self.subTest(options=options, words=words):
                    run("quern-transform", container, "-q", "-f", "-o", "t.qrn", "--relabel=rcm", *words)
                    self.check(container, "t.qrn", {word[2:].replace("-", "_"): True for word in words})
        names = list(range(600))
        random.Random(1).shuffle(names)
        path = [(i, i + 1) for i in range(299)]
        ladder = [(300 + i, 300 + i + 2) for i in range(298)] + [(300 + i, 301 + i) for i in range(0, 300, 2)]
        for edges, width in ((path, 1), (ladder, 3), (path + ladder, 3)):
            Path("p.txt").write_text("".join("%d %d\n" % (names[a], names[b]) for a, b in edges))
            run("quern-import", "p.txt", "-q", "-f", "-o", "p.qrn")
            run("quern-transform", "p.qrn", "-q", "-f", "-o", "t.qrn", "--relabel=rcm")
            self.assertLessEqual(max(abs(a - b) for a, b in self.numbered_edges("t.qrn")), width)
            self.assertGreater(max(abs(a - b) for a, b in self.numbered_edges("p.qrn")), 100)

    def test_layered_label_propagation(self):
        """The same graph, from any number of threads; cliques with few edges between them come back together."""
        for seed, options in enumerate(((), ("--undirected",), ("--transpose=also",))):
            container = self.import_graph(seed, "u32", options=options)
            for words in ((), ("--seed=7",), ("--symmetrize", "--remove-duplicates")):
                with self.subTest(options=options, words=words):
                    run("quern-transform", container, "-q", "-f", "-o", "t.qrn", "--relabel=llp", *words, "-T1")
                    self.check(container, "t.qrn", {word[2:].replace("-", "_"): True for word in words if "=" not in word})
                    run("quern-transform", container, "-q", "-f", "-o", "u.qrn", "--relabel=llp", *words, "-T5")
                    self.assertEqual(Path("t.qrn").read_bytes(), Path("u.qrn").read_bytes())
        chance, names = random.Random(2), list(range(480))
        chance.shuffle(names)
        edges = [(a, b) for a in range(480) for b in range(a + 1, 480) if a // 12 == b // 12]
        edges += [tuple(chance.sample(range(480), 2)) for _ in range(60)]
        Path("p.txt").write_text("".join("%d %d\n" % (names[a], names[b]) for a, b in sorted(set(edges))))
        run("quern-import", "p.txt", "-q", "-f", "-o", "p.qrn")
        run("quern-transform", "p.qrn", "-q", "-f", "-o", "t.qrn", "--relabel=llp")
        near = [abs(a - b) < 12 for a, b in self.numbered_edges("t.qrn")]
        self.assertGreater(sum(near), 40 * 66 - 1)

    def test_order_of_groups(self):
        """Vertices of one group beside one another, in the order in which a file names groups."""
        edges = [(v, (v * 7 + 1) % 60) for v in range(60)]
        Path("e.txt").write_text("".join("%d %d\n" % edge for edge in edges))
        Path("groups.tsv").write_text("".join("%d\tg%d\n" % (v, v % 5) for v in (4, 3, 2, 1, 0, *range(5, 50))))
        run("quern-import", "e.txt", "-q", "-f", "-o", "e.qrn")
        run("quern-transform", "e.qrn", "-q", "-f", "-o", "t.qrn", "--relabel", "groups.tsv")
        order = [v for group in (4, 3, 2, 1, 0) for v in range(50) if v % 5 == group] + list(range(50, 60))
        place = {v: number for number, v in enumerate(order)}
        self.assertEqual(sorted(self.numbered_edges("t.qrn")), sorted((place[a], place[b]) for a, b in edges))
        self.check("e.qrn", "t.qrn", {})
        self.assertEqual(json.loads(run("quern-info", "--json", "t.qrn"))["metadata"]["options"]["relabel"], "groups")

    def test_random_weights(self):
        for seed, options in enumerate(((), ("--undirected",))):
            container = self.import_graph(seed, options=options)
            for words in ((), ("--symmetrize",), ("--symmetrize", "--remove-duplicates"), ("--transpose",)):
                with self.subTest(options=options, words=words):
                    for threads in (1, 5):
                        run("quern-transform", container, "-q", "-f", "-o", "w%d.qrn" % threads, "-T", threads,
                            "--random-weights", "3,9,5", *words)
                    self.assertEqual(Path("w1.qrn").read_bytes(), Path("w5.qrn").read_bytes())
                    run("quern-verify", "-q", "w1.qrn")  # undirected: symmetric with weights
                    weights = {weight for _, _, weight in stored_edges("w1.qrn")}
                    self.assertEqual(weights, {str(weight) for weight in range(3, 10)})
        run("quern-transform", container, "-q", "-f", "-o", "w.qrn", "--random-weights", "-1.5,0.5,5")
        values = [float(weight) for _, _, weight in stored_edges("w.qrn")]
        self.assertTrue(all(-1.5 <= value < 0.5 for value in values))
        self.assertGreater(len(set(values)), len(values) // 4)

    def test_string_ids_survive(self):
        container = self.import_graph(1, "u32", ids="strings")
        run("quern-transform", container, "-q", "-o", "s.qrn", "--relabel=degree")
        self.assertEqual(sorted(stored_edges("s.qrn")), sorted(stored_edges(container)))
        run("quern-verify", "-q", "s.qrn")

    def test_in_edges(self):
        container = self.import_graph(2, "u32", options=("--transpose=also",))
        for word, expected in ((None, "stored"), ("no", "none"), ("also", "stored")):
            words = ["--in-edges", word] if word else ["--remove-self-loops"]
            run("quern-transform", container, "-q", "-f", "-o", "i.qrn", *words)
            figures = json.loads(run("quern-info", "--json", "i.qrn"))["layout_figures"]
            self.assertEqual(figures["transpose"], expected)
            run("quern-verify", "-q", "i.qrn")

    def test_ledger_and_source(self):
        container = self.import_graph(3)
        report = json.loads(run("quern-transform", container, "-o", "l.qrn", "--symmetrize", "--remove-self-loops",
                                "--remove-duplicates", "--json"))
        ledger = report["ledger"]
        self.assertEqual(ledger["edges_read"] + ledger["edges_added"],
                         ledger["self_loops_removed"] + ledger["duplicates_removed"] + ledger["edges_written"])
        self.assertEqual(ledger["edges_written"], len(stored_edges("l.qrn")))
        info = json.loads(run("quern-info", "--json", container))
        self.assertEqual(report["source"]["identity"], info["identity"])
        self.assertEqual(report["source"]["metadata"]["tool"], "quern-import")


class RoundTrip(unittest.TestCase):
    """What was imported comes out again."""

    def test_edges(self):
        for seed, (weights, ids) in enumerate(itertools.product(("none", "u32", "f32"), ("sparse", "strings"))):
            for undirected in (False, True):
                with self.subTest(weights=weights, ids=ids, undirected=undirected):
                    graph = RandomGraph(seed, 80, 600, weights=weights, ids=ids)
                    graph.write("in.txt")
                    words = (["--undirected"] if undirected else []) + (["--ids=strings"] if ids == "strings" else [])
                    run("quern-import", "in.txt", "-q", "-f", "-o", "a.qrn", *words)
                    run("quern-export", "a.qrn", "-q", "-f", "-o", "out.txt")
                    lines = [line.split("\t") for line in Path("out.txt").read_text().splitlines() if line[0] != "#"]
                    got = collections.Counter(
                        (*(sorted(line[:2]) if undirected else line[:2]), single(line[2]) if weights != "none" else 1)
                        for line in lines)
                    expected = collections.Counter()
                    for source, destination, weight in graph.edges:
                        ends = [graph.ids[source], graph.ids[destination]]
                        expected[(*(sorted(ends) if undirected else ends), single(weight))] += 1
                    self.assertEqual(got, expected)
                    run("quern-import", "out.txt", "-q", "-f", "-o", "b.qrn", *words)
                    self.assertEqual(sections("a.qrn"), sections("b.qrn"))

    def test_matrix_market(self):
        for weights in ("none", "u32", "f32"):
            for words in ((), ("--undirected",)):
                with self.subTest(weights=weights, words=words):
                    RandomGraph(5, 80, 600, weights=weights).write("in.txt")
                    run("quern-import", "in.txt", "-q", "-f", "-o", "a.qrn", "--duplicates=remove", *words)
                    run("quern-export", "a.qrn", "-q", "-f", "-o", "out.mtx", "--format=matrix-market")
                    run("quern-import", "out.mtx", "-q", "-f", "-o", "b.qrn")
                    a, b = sections("a.qrn"), sections("b.qrn")
                    a.pop("original_ids"), b.pop("original_ids")
                    self.assertEqual(a, b)


def sections(container):
    """The checksums of a container's sections, metadata apart."""
    described = json.loads(run("quern-info", "--json", container))["sections"]
    return {section["name"]: section["xxh3_64"] for section in described if section["name"] != "metadata"}
