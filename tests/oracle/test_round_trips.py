"""Every format that is written: a graph comes back equal, or the export refuses and says why, or it says what is lost and,
where quern-import has an option for that, the graph comes back equal with it.

Graphs are random (harness/chance.py)."""

import csv
import json
import os
import random
import re
import struct
import subprocess
import unittest
from pathlib import Path

from harness import chance
from harness.tools import run

REFUSED = 4  # the exit code for graphs that a format cannot hold
HOSTILE = [b"#tag", b"%x", b"a,b", b'quo"te', b'"quoted"', b'"', b"'", b"two words", b" blanks ", b";", b"|", b"a;b", b"{}", b"{'weight': 3}",
           b"source", b"target", b"src", b"dst", b"weight", b":START_ID", b"NULL", b"nan", b"None", b"0", b"007", b"7", b"-1", b"1e5", b"1,5",
           b"\xff\xfe", b"caf\xe9", "ÅΩ漢".encode(), b"\xef\xbb\xbfmark", b"\x01\x7f", b"<a href=''>", b"[1]", b"\\", b"a\\tb", b"//", b"=1+1",
           b"x" * 65535, b"p" * 300, b"%%MatrixMarket", b"AdjacencyGraph", b"Directed", b"A b c d", b"#", b"%", b"\xc2\xa0"]


def written_formats():
    """Without those of the Python package, which tests/python sends there and back."""
    return [one["name"] for one in json.loads(run("quern-export", "--formats", "--json").stdout)["formats"]
            if one["export"]["supported"] and "through the Python package" not in one["description"]]


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Graph:
    """A random graph as a container. `text` says what it is, for messages."""

    def __init__(self, rng, number):
        self.rng = rng
        self.path = "g%d.qrn" % number
        self.ids = rng.choice(("dense", "numbers", "names"))
        self.weights = rng.choice(("none", "u32", "f32", "i64", "f64"))
        self.undirected = rng.random() < 0.5
        self.simple = rng.random() < 0.6
        self.num_vertices = rng.choice((0, 1, 2, 5, 40, 300)) if self.ids == "dense" else rng.choice((1, 2, 30, 200))
        self.num_edges = rng.choice((0, 1, 10, 500)) if self.num_vertices and self.ids == "dense" else 0
        self.num_edges = self.num_edges or (rng.choice((1, 3, 60, 400)) if self.ids != "dense" else 0)
        self.text = "%s: ids %s, weights %s, %s, %d vertices, %d edges%s" % (
            self.path, self.ids, self.weights, "undirected" if self.undirected else "directed", self.num_vertices, self.num_edges,
            ", simple" if self.simple else "")
        self.make()

    def names(self):
        if self.ids == "dense":
            return [b"%d" % vertex for vertex in range(self.num_vertices)]
        if self.ids == "numbers":
            extremes = [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 63, 2 ** 64 - 1]
            numbers = set(self.rng.sample(extremes, self.rng.randrange(4)))
            while len(numbers) < self.num_vertices:
                numbers.add(self.rng.randrange(10 ** self.rng.randrange(1, 19)))
            return [b"%d" % number for number in sorted(numbers)]
        names = set(self.rng.sample(HOSTILE, min(len(HOSTILE), self.num_vertices)))
        while len(names) < self.num_vertices:
            names.add(b"n%x" % self.rng.getrandbits(40))
        return sorted(names)

    def weight(self):
        if self.weights == "u32":
            return str(self.rng.choice((0, 1, 7, 2 ** 24 + 1, 2 ** 31, 2 ** 32 - 1, self.rng.randrange(1000))))
        if self.weights == "i64":
            return str(self.rng.choice((0, -1, 2 ** 32, -2 ** 63, 2 ** 63 - 1, 2 ** 53 + 1, self.rng.getrandbits(40))))
        if self.weights == "f64":
            return repr(self.rng.choice((0.1, 2.0, -0.0, 1.7976931348623157e308, 5e-324, 2.0 ** 53 + 2, self.rng.gauss(0, 1e6))))
        return repr(self.rng.choice((0.5, -0.25, f32(0.1), f32(1e-30), f32(3.4e38), f32(self.rng.uniform(0, 1e6)), -0.0)))

    def make(self):
        """Vertices without edges have a loop to begin with."""
        names = self.names()
        rows = [(self.rng.choice(names), self.rng.choice(names)) for _ in range(self.num_edges)]
        if not self.simple:
            rows += self.rng.choices(rows, k=len(rows) // 5) if rows else []
        alone = names and self.rng.random() < 0.5
        if alone or not rows:
            rows += [(name, name) for name in names]
        quote = self.ids == "names"
        with open("g.csv", "wb") as out:
            out.write(b"" if rows else b"\n")
            for row in rows:
                fields = [b'"%s"' % name.replace(b'"', b'""') if quote else name for name in row]
                fields += [self.weight().encode()] if self.weights != "none" else []
                out.write(b",".join(fields) + b"\n")
        words = {"dense": ["--vertices", str(self.num_vertices)] if names else ["--format", "edges"],
                 "numbers": ["--ids", "compact"], "names": ["--ids", "strings", "--quotes", "yes", "--header", "no"]}[self.ids]
        words += ["--undirected"] if self.undirected else []
        words += ["--duplicates", "remove"] if self.simple else []
        words += ["--weights", self.weights] if rows and self.weights != "none" else []
        run("quern-import", "g.csv", "-q", "-f", "-o", "loops.qrn", "--delimiter", "comma", *words)
        if alone or self.simple:
            run("quern-transform", "loops.qrn", "-q", "-f", "-o", self.path, "--remove-self-loops")
        else:
            os.replace("loops.qrn", self.path)


def content(path):
    """All that a container says of its graph."""
    info = json.loads(run("quern-info", "--json", path).stdout)
    aside = ["metadata"] + ([] if info["edges"] else ["weights"]) + ([] if info["vertices"] else ["original_ids"])
    sections = sorted((one["name"], one["count"], one["xxh3_64"]) for one in info["sections"] if one["name"] not in aside)
    keys = ["vertices", "edges", "directedness"] + (["ids"] if info["vertices"] else []) + (["weights"] if info["edges"] else [])
    return [info[key] for key in keys] + sections


class RoundTrips(unittest.TestCase):
    tier = "medium"
    sanitized_tier = "long"
    timeout = 300
    GRAPHS = 12

    def exported(self, graph, name, *options):
        """Where it was written and the notes; None if that was refused, with a reason."""
        out = Path("out")
        subprocess.run(["rm", "-rf", out], check=True)
        done = run("quern-export", graph.path, "--json", "--format", name, "-o", out, *options, exit=(0, REFUSED))
        if done.returncode == REFUSED:
            self.assertRegex(done.stderr, r"quern-export: g\d+\.qrn: .{20}")
            self.assertFalse(out.exists(), "what was refused was written")
            return None, []
        return out, [note["message"] for note in json.loads(done.stdout)["notes"]]

    def check(self, graph, name, *options):
        out, notes = self.exported(graph, name, *options)
        if not out:
            return "refused"
        advised = [set(re.findall(r"--[a-z]+(?:=\w+)?", note)) if "quern-import" in note else None for note in notes]
        if None in advised:
            return "lost"
        words = sorted(set().union(*advised))
        if graph.ids == "names" and not any(word.startswith("--ids") for word in words):
            words.append("--ids=strings")
        if name == "pairs":
            record = json.loads(run("quern-info", "--json", graph.path).stdout)["weights"]
            words += ["--format=pairs", "--record=u64" + ("" if record == "none" else "," + record)]
        if graph.weights in ("i64", "f64") and json.loads(run("quern-info", "--json", graph.path).stdout)["edges"]:
            words.append("--weights=" + graph.weights)  # it may hold what a narrower type could
        if name == "edges":
            words += ["--delimiter=tab", "--quotes=yes"] if "--header" not in options else []
            words += ["--format=named-edges"] if graph.ids == "names" and out.is_file() else []
        if graph.ids != "dense" and name in ("neo4j", "graphframes"):
            done = run("quern-import", out, "-q", "-f", "-o", "back.qrn", *words, exit=(0, 3))
            if done.returncode:
                self.assertIn("have no edges, so that only the table of vertices has them", done.stderr)
                return "refused by the import"
        if out.is_file() and out.stat().st_size == 0:
            self.assertIn("the input is empty", run("quern-import", out, "-f", "-o", "back.qrn", *words, exit=3).stderr)
            return "empty"
        if name == "metis" and graph.num_vertices <= 1:  # "0 0" is an edge, too, and "1 0" an edge before an empty line
            words.append("--format=metis")
        run("quern-import", out, "-q", "-f", "-o", "back.qrn", *words)
        self.assertEqual(content("back.qrn"), content(graph.path), "%s as %s %s came back as another graph" % (graph.text, name, options))
        return "equal"

    def test_all(self):
        seed = chance.seed()
        rng = random.Random(seed)
        outcomes = {}
        for number in range(self.GRAPHS):
            graph = Graph(rng, number)
            for name in written_formats():
                more = [("--record", "u64" + ("" if graph.weights == "none" else "," + graph.weights))] if name == "pairs" else [()]
                more += [("--header",)] if name == "edges" else []
                more += [("--parts", "3")] if name in ("edges", "csv", "npy") else []
                for options in more:
                    with self.subTest(seed=seed, graph=graph.text, format=name, options=options):
                        outcomes.setdefault((name, *options), set()).add(self.check(graph, name, *options))
        never = [name for name, found in outcomes.items() if "equal" not in found and name[0] in ("edges", "csv", "npz", "neo4j")]
        self.assertEqual(never, [], "never came back equal; seed %d" % seed)
