"""Containers that are made again from their sources, by what their metadata says alone: the same bytes, whatever tool and options."""

import os
import shutil
import tempfile
import unittest
import zipfile
from pathlib import Path

from harness.tools import run

SOURCE = Path(os.environ["QUERN_SOURCE"])
EDGES = "".join("%d %d\n" % (i % 40, i * i % 37) for i in range(300))
TABLE = "from,to,weight,since,label\n" + "".join("%d,%d,%g,2024-01-%02d,l%d\n" % (i % 20, i * i % 23, i / 4, 1 + i % 28, i) for i in range(100))
FILES = {
    "e.txt": EDGES, "t.csv": TABLE, "v.csv": "id,name\n" + "".join("%d,n%d\n" % (i, i) for i in range(30)),
    "semi.csv": "a;b;c\n1;2;0,5\n2;3;1,5\n", "bad.txt": "0 1\nx\n1 2\n", "names.txt": "".join("w%d\n" % i for i in range(40)),
    "ids.txt": "1\n2\n3\n", "groups.txt": "".join("%d %d\n" % (i, i % 3) for i in range(37)),
    "s.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 3\n", "m.graph": "3 2\n2 3\n1\n1\n",
    "out.k": "% bip unweighted\n1 1\n2 1\n2 2\n", "g.gml": 'graph [ directed 0 node [ id 1 label "a" ] node [ id 2 label "b" ] edge [ source 1 target 2 ] ]\n',
    "strings.csv": "source,target\nann,bob\nbob,cid\n",
}
IMPORTS = [
    ["e.txt"], ["e.txt", "--undirected", "--self-loops=remove", "--duplicates=remove"], ["e.txt", "--transpose=also", "--vertices=100", "--format=edges"],
    ["t.csv", "--properties=all", "--vertices=v.csv"], ["t.csv", "--columns=from,to", "--properties=since,label", "--weights=none"],
    ["t.csv", "--duplicates=sum", "--weights=f64"], ["semi.csv", "--delimiter=semicolon", "--decimal=comma", "--header=yes", "--columns=a,b,c"],
    ["bad.txt", "--max-bad=3"], ["strings.csv", "--ids=strings"], ["e.txt", "e.zip:inner/e.txt"], ["e.txt", "--ids=compact"],
    ["s.mtx"], ["s.mtx", "--undirected"], ["m.graph"], ["out.k"], ["g.gml"], ["web.graph", "--names=names.txt"], ["web.graph"], ["semi.csv", "--delimiter=semicolon", "--columns=1,2", "--quotes=no"],
    ["w.bin", "--format=pairs", "--record=u32,u32"], ["graph.npz"], ["x.qrn"],
]
STEPS = [
    ["--symmetrize", "--remove-self-loops", "--remove-duplicates", "--random-weights=1,255,7", "--relabel=degree"], ["--transpose", "--in-edges=also"],
    ["--egonet=1", "--hops=2", "--along=both"], ["--kcore=2"], ["--induced=ids.txt"], ["--contract=groups.txt"], ["--cross-edges=groups.txt"],
    ["--relabel=random", "--seed=9"], ["--random-weights=0.5,2,3"], ["--relabel=rcm"],
]
LAYOUTS = [["block"], ["block", "-d", "both", "--out-edges", "--block-vertices=8"], ["hybrid"], ["hybrid", "--direction=both", "--width=3"], ["pack", "--direction=in"],
           ["page", "--address=3,3", "--page-size=512"], ["partition", "--partitions=4"], ["partition", "--partition-bytes=512"], ["shard", "--shard-vertices=8"],
           ["shard", "--shared-memory=4K", "--page-bytes=4K"]]
MODELS = [["rmat", "--scale=6", "--weights=1,9", "--seed=3"], ["uniform", "--scale=5", "--degree=3", "--permute=no", "--undirected"],
          ["grid", "--scale=6", "--weights=0.5,2"], ["rmat", "--scale=5", "--edges=77", "--probabilities=0.5,0.2,0.2", "--transpose=also"],
          ["powerlaw", "--vertices=300", "--degree=4", "--exponent=2.2", "--max-degree=40"]]


class Remake(unittest.TestCase):
    tier = "medium"
    timeout = 300

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in FILES.items():
            (self.folder / name).write_text(text)
        with zipfile.ZipFile(self.folder / "e.zip", "w") as archive:
            archive.writestr("inner/e.txt", EDGES)
            archive.writestr("other", "x")
        run("quern-import", "e.txt", "-qo", "x.qrn", cwd=self.folder)
        run("quern-export", "x.qrn", "--format", "webgraph", "-qo", "web", cwd=self.folder)
        for file in (self.folder / "web").glob("web.*"):
            shutil.move(file, self.folder)
        run("quern-export", "x.qrn", "--format", "pairs", "-qo", "w.bin", cwd=self.folder)
        run("quern-export", "x.qrn", "--format", "npz", "-qo", "graph.npz", cwd=self.folder)

    def remade(self, *command):
        """What the command makes, and then quern-remake."""
        with self.subTest(command=command):
            run(*command, "-qfo", "made.qrn", cwd=self.folder)
            run("quern-remake", "made.qrn", "-qfo", "again.qrn", cwd=self.folder)
            self.assertEqual((self.folder / "again.qrn").read_bytes(), (self.folder / "made.qrn").read_bytes())

    def test_imports(self):
        for words in IMPORTS:
            self.remade("quern-import", *words)

    def test_folders(self):
        """Files that an input names, and what was added to a graph."""
        run("quern-export", "x.qrn", "--format", "edges", "--parts", "3", "-qo", "parts", cwd=self.folder)
        for name in (self.folder / "parts").iterdir():
            shutil.copy(name, self.folder)
        for name, text in (("g.v", "1\n2\n3\n9\n"), ("g.e", "1 2\n2 3\n"), ("g.properties", "graph.g.vertex-file = g.v\ngraph.g.edge-file = g.e\n"
                           "graph.g.meta.vertices = 4\ngraph.g.meta.edges = 2\ngraph.g.directed = false\n")):
            (self.folder / name).write_text(text)
        self.remade("quern-import", "g.properties")
        self.remade("quern-import", "parts")
        (self.folder / "e2.txt").write_text("1 2\n90 91\n")
        run("quern-transform", "x.qrn", "--append", "e2.txt", "-qo", "changed", cwd=self.folder)
        self.remade("quern-transform", "changed", "--compact")

    def test_models(self):
        for words in MODELS:
            self.remade("quern-generate", *words)

    def test_steps(self):
        for words in STEPS:
            self.remade("quern-transform", "x.qrn", *words)
        run("quern-import", "t.csv", "--properties=since:date", "-qo", "dated.qrn", cwd=self.folder)
        self.remade("quern-transform", "dated.qrn", "--between=2024-01-03,2024-01-20", "--time=since", "--symmetrize")

    def test_layouts(self):
        run("quern-transform", "x.qrn", "--symmetrize", "-qo", "u.qrn", cwd=self.folder)
        for tool, *words in LAYOUTS:
            self.remade("quern-" + tool, "u.qrn", *words)

    def test_partitions(self):
        for words in (["3", "--by=ldg", "--passes=2"], ["4"], ["2", "--by=hdrf", "--column=home", "--imbalance=0.3"], ["2", "--by=2psl"]):
            self.remade("quern-transform", "x.qrn", "--partition", *words)
        run("quern-transform", "x.qrn", "--partition", "3", "-qfo", "parted.qrn", cwd=self.folder)
        self.remade("quern-transform", "parted.qrn", "--symmetrize")
        self.remade("quern-transform", "parted.qrn", "--partition", "2", "--column=other")
        self.remade("quern-transform", "parted.qrn", "--partition", "2", "--column=a")

    def same_set(self, name, base=None):
        """Remade: the same files; where it has a base, that too."""
        with self.subTest(name=name):
            run("quern-remake", name, "-qo", "again/set", cwd=self.folder)
            made, again = self.folder / name.split("@")[0], self.folder / "again/set"
            files = {file.name: file.read_bytes() for file in made.iterdir()}
            if "@" not in name:
                self.assertEqual({file.name: file.read_bytes() for file in again.iterdir()}, files)
            if base:
                self.assertEqual((self.folder / "again" / base).read_bytes(), (self.folder / base).read_bytes())
            run("quern-verify", "again/set", cwd=self.folder)
            run("quern-remake", name, "-qfo", "again/set", cwd=self.folder)
            self.assertEqual({file.name for file in (self.folder / "again").iterdir()}, {"set", *([base] if base else [])})
            shutil.rmtree(self.folder / "again")
            (self.folder / "again").mkdir()

    def test_sets(self):
        (self.folder / "again").mkdir()
        cuts = ["--parts=3"], ["--parts=3", "--rows=out"], ["--parts=4", "--balance=vertices"], ["--parts=5", "--balance=edges"], ["--block-vertices=16"], ["--parts=1"]
        for i, words in enumerate(cuts):
            run("quern-transform", "x.qrn", *words, "-qo", "set%d" % i, cwd=self.folder)
            self.same_set("set%d" % i)
        run("quern-pack", "set0", "-qo", "packed", cwd=self.folder)
        run("quern-import", "e.txt", "--undirected", "--parts=2", "-qo", "imported", cwd=self.folder)
        run("quern-generate", "uniform", "--scale=5", "--block-vertices=16", "--layout=packed", "-qo", "generated", cwd=self.folder)
        (self.folder / "t.csv").write_text("s,d,t\n1,2,5\n2,3,15\n3,4,12\n4,5,30\n5,1,11\n")
        run("quern-import", "t.csv", "--columns=s,d", "--properties=t:i64", "-qo", "t.qrn", cwd=self.folder)
        run("quern-transform", "t.qrn", "--between=10,20", "--time=t", "--parts=2", "-qo", "picked", cwd=self.folder)
        run("quern-shard", "x.qrn", "-qo", "shards.qrn", cwd=self.folder)
        run("quern-transform", "shards.qrn", "--block-vertices=20", "--rows=out", "-qo", "of-shards", cwd=self.folder)
        for name in ("packed", "imported", "generated", "picked", "of-shards"):
            self.same_set(name)
        (self.folder / "r.json").write_text(run("quern-info", "--recipe", "set0", cwd=self.folder).stdout)
        run("quern-verify", "set0", "--recipe", "r.json", cwd=self.folder)
        run("quern-verify", "set1", "--recipe", "r.json", cwd=self.folder, exit=1)
        run("quern-transform", "x.qrn", "--partition=3", "-qo", "divided.qrn", cwd=self.folder)
        run("quern-transform", "divided.qrn", "--parts-by=part", "-qo", "by-column", cwd=self.folder)
        self.assertIn("no recipe tells", run("quern-remake", "by-column", exit=4, cwd=self.folder).stderr)

    def test_generations(self):
        (self.folder / "again").mkdir()
        (self.folder / "e2.txt").write_text("1 2\n90 91\n")
        (self.folder / "e3.txt").write_text("5 6\n")
        run("quern-import", "e.txt", "--vertices=v.csv", "-qo", "named.qrn", cwd=self.folder)
        (self.folder / "new.csv").write_text("id,name\n200,Zed\n")
        run("quern-transform", "named.qrn", "--append", "e2.txt", "--append", "e3.txt", "--append-vertices", "new.csv", "-qo", "changed", cwd=self.folder)
        run("quern-transform", "changed", "--remove", "e2.txt", "--append", "e3.txt", "-qo", "changed", cwd=self.folder)
        self.same_set("changed", "named.qrn")
        self.same_set("changed@1", "named.qrn")
        self.assertIn("name another output", run("quern-remake", "changed", "-qo", "again/named.qrn", exit=2, cwd=self.folder).stderr)
        shutil.copy(self.folder / "x.qrn", self.folder / "again/named.qrn")
        self.assertIn("in the way", run("quern-remake", "changed", "-qo", "again/set", exit=2, cwd=self.folder).stderr)
        self.assertEqual([file.name for file in (self.folder / "again").iterdir()], ["named.qrn"])
        self.remade("quern-transform", "changed", "--compact")
        run("quern-transform", "x.qrn", "--parts", "2", "-qo", "parts", cwd=self.folder)
        run("quern-transform", "parts", "--append", "e2.txt", "-qo", "later", cwd=self.folder)
        run("quern-remake", "later", "-q", cwd=self.folder)

    def test_types(self):
        (self.folder / "again").mkdir()
        tables = {"people.csv": "id,name\n1,Ann\n2,Bob\n", "more.csv": "3,Cid\n", "knows.csv": "src,dst,weight,since\n1,2,5,1999\n2,3,6,\n", "likes.csv": "src,dst\n1,1\n3,1\n"}
        for name, text in tables.items():
            (self.folder / name).write_text(text)
        run("quern-import", "--vertex-table", "P=people.csv,more.csv", "--edge-table", "k:P:P=knows.csv", "--edge-table", "l:P:Q=likes.csv", "--duplicates=remove",
            "-qo", "typed", cwd=self.folder)
        self.same_set("typed")
        self.remade("quern-transform", "typed", "--edge-types=k,l")
        self.remade("quern-transform", "typed", "--project=k")
        (self.folder / "n.csv").write_text(":ID,:LABEL\na,X\nb,Y\n")
        (self.folder / "r.csv").write_text(":START_ID,:END_ID,:TYPE\na,b,R\nb,a,S\n")
        run("quern-import", "--types", "n.csv", "r.csv", "-qo", "neo4j", cwd=self.folder)
        self.same_set("neo4j")

    def test_several_lists_of_names(self):
        for name, lines in (("n1.txt", range(30)), ("n2.txt", range(30, 40))):
            (self.folder / name).write_text("".join("w%d\n" % i for i in lines))
        self.remade("quern-import", "web.graph", "--names=n1.txt,n2.txt")
        run("quern-import", "web.graph", "--names=names.txt", "-qo", "one.qrn", cwd=self.folder)
        self.assertEqual(*(run("quern-export", name, "--format=edges", "-o", "-", cwd=self.folder).stdout for name in ("one.qrn", "made.qrn")))

    def test_what_cannot_be(self):
        """It is said, and nothing else is made in its place."""
        run("quern-transform", "x.qrn", "--relabel", "groups.txt", "-qo", "relabelled.qrn", cwd=self.folder)
        for name in ("relabelled.qrn", SOURCE / "specs/vectors/graph-sample.qrn"):
            self.assertIn("no recipe tells", run("quern-remake", name, "-o", "none.qrn", exit=4, cwd=self.folder).stderr)
        self.assertFalse((self.folder / "none.qrn").exists())
        (self.folder / "e.txt").write_text(EDGES + "1 1\n")
        self.assertIn("expects", run("quern-remake", "x.qrn", exit=3, cwd=self.folder).stderr)
