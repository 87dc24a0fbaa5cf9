"""Imports of properties into sets, by one process and by several that share them: the files that import and a split make in two
steps; the same messages where something is wrong."""

import csv
import gzip
import random
import unittest

from harness.tools import run
from oracle.test_ranks_import import HAVE_RANKS, InFolder
from oracle.test_ranks_import import RanksThatFail

TEXTS = ["", "a,b", 'say "x"', "two\nlines", "\t", "é", "\U0001f600", "null", "x" * 3000]


class Tables:
    """Edges and vertices with columns whose types only the last lines settle."""

    def __init__(self, at, seed, names=False, breaks=True, lines=3000):
        draw = random.Random(seed)
        ids = [("v %d" if names else "%d") % (i * 7 if i % 3 else 10**12 + i) for i in range(300)]
        texts = TEXTS if breaks else [t for t in TEXTS if "\n" not in t]
        self.edges, self.vertices = at / "edges.csv", at / "vertices.csv"
        with open(self.edges, "w", newline="") as file:
            write = csv.writer(file, lineterminator="\n").writerow
            write(["src", "dst", "weight", "since", "label", "ok", "late", "none", "always", "place:float[]",
                   "day:date", "empty:byte[]"])
            for i in range(lines):
                write([draw.choice(ids[:250]), draw.choice(ids[:250]), draw.randrange(9), draw.choice(["", i, -2**63]),
                       draw.choice(texts), draw.choice(["true", "false", ""]), i if i < lines - 3 else "0.5", "", i,
                       draw.choice(["%d;0.5" % i, "1.5;-2"]) if i > lines // 2 else "", draw.choice(["", "2024-02-29"]), ""])
        with open(self.vertices, "w", newline="") as file:
            write = csv.writer(file, lineterminator="\n").writerow
            write(["id", "name", "size:long"])
            for v in draw.sample(ids, 200):
                write([v, draw.choice(texts), draw.choice(["", 5])])


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class RanksProperties(InFolder):
    def test_tables(self):
        """Far numbers; values that break lines; parts whose borders are not those of ranks."""
        tables = Tables(self.at, 1)
        both = ["--properties", "all", "--vertices", tables.vertices]
        self.same(3, [tables.edges], [*both, "--quotes", "yes"], ["--parts", "5"])
        self.same(2, [tables.edges], [*both, "--quotes", "yes", "--undirected", "--duplicates", "remove", "--memory", "16M"])
        run("quern-verify", self.at / "found", "-q")

    def test_names(self):
        tables = Tables(self.at, 2, names=True)
        self.same(3, [tables.edges], ["--properties", "all", "--vertices", tables.vertices, "--ids", "strings"],
                  ["--parts", "2", "--rows", "out"])

    def test_several_inputs(self):
        """Some packed: a rank may have read none of their lines, and knows the columns all the same."""
        tables = Tables(self.at, 3, breaks=False)
        header, *lines = tables.edges.read_text().split("\n")[:-1]
        for part in range(3):
            data = "\n".join([header, *lines[part * 1000:(part + 1) * 1000]]).encode() + b"\n"
            (self.at / ("in%d.csv" % part)).write_bytes(gzip.compress(data) if part == 1 else data)
        (self.at / "none.csv").write_text(header + "\n")
        inputs = [self.at / ("in%d.csv" % part) for part in range(3)] + [self.at / "none.csv"]
        self.same(4, inputs, ["--properties", "since,label,always:f64,late:string", "--vertices", tables.vertices])
        self.same(2, [self.at / "none.csv"], ["--properties", "all"])
        self.same(2, [tables.edges], ["--vertices", tables.vertices, "--duplicates", "sum"])

    def test_elements(self):
        """Which are read by one rank, the first."""
        tables = Tables(self.at, 4, lines=200)
        run("quern-import", tables.edges, "--properties", "all", "--vertices", tables.vertices, "-qo", self.at / "in.qrn")
        for name, ranks in (("graphml", 3), ("json", 2)):
            run("quern-export", self.at / "in.qrn", "--format", name, "-qfo", self.at / name)
            self.same(ranks, [self.at / name], ["--properties", "all"])
        (self.at / "in.metis").write_text("4 3 011\n3 2 5\n1 1 5 3 2\n9 2 2 4 1\n0 3 1\n")
        self.same(3, [self.at / "in.metis"], ["--properties", "all"])


class OneRankProperties(InFolder):
    def test_same(self):
        tables = Tables(self.at, 5)
        both = ["--properties", "all", "--vertices", tables.vertices]
        self.same(1, [tables.edges], both)
        self.same(1, [tables.edges], [*both, "--undirected", "--duplicates", "remove", "--memory", "16M"], ["--parts", "4"])
        run("quern-export", self.at / "one.qrn", "--format", "gml", "-qo", self.at / "in.gml")
        self.same(1, [self.at / "in.gml"], ["--properties", "all"])
        (self.at / "none.csv").write_text("src,dst,p\n")
        self.same(1, [self.at / "none.csv"], ["--properties", "all"])


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
class RanksThatFailWithProperties(InFolder):
    refused = RanksThatFail.refused

    def test_a_bad_value_is_named(self):
        """By its line in the file, whoever has read it."""
        lines = ["1,2,%d" % i for i in range(9000)]
        for bad in (1, 8000):
            edges = self.at / "in.csv"
            edges.write_text("\n".join(["src,dst,since", *lines[:bad], '1,2,"x"', *lines[bad:]]) + "\n")
            self.refused(3, "in.csv:%d:1: expected a value of the property 'since'" % (bad + 2), "quern-import", edges,
                         "--properties", "since:i64")
        self.refused(2, "no column 'nothing'", "quern-import", edges, "--properties", "nothing", ranks=2)

    def test_vertices(self):
        (self.at / "in.csv").write_text("src,dst\n1,2\n")
        (self.at / "v.csv").write_text("id,n\n1,2\n2,3\n1,4\n")
        self.refused(3, "v.csv:4:1: this vertex was listed before", "quern-import", self.at / "in.csv", "--vertices",
                     self.at / "v.csv")

    def test_formats_without(self):
        (self.at / "in.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
        self.refused(4, "not with matrix-market", "quern-import", self.at / "in.mtx", "--properties", "all", ranks=2)
