"""docs/json.md names every key that --json prints, and no other, and every code of a note, of which `test_json.py --write`
writes the table."""

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

if "QUERN_SOURCE" in os.environ:
    from harness.tools import run

SOURCE = Path(os.environ.get("QUERN_SOURCE", Path(__file__).resolve().parents[2]))
PAGE = (SOURCE / "docs/json.md").read_text()
NOTES = re.compile(r"(?<=<!-- notes: made by tests/docs/test_json.py -->\n).*?(?=<!-- end -->)", re.S)
WITHIN = {"options", "metadata", "log[].metadata", "source", "layout_figures", "members[].provenance"}  # described elsewhere


def documented(*headings):
    """The keys that tables below these headings name."""
    keys = set()
    for section in PAGE.split("\n## "):
        if section.split("\n")[0].split(", ")[0] in headings:
            for row in re.findall(r"(?m)^\| (`.*?) \|", section):
                keys |= set(re.findall(r"`([^`]+)`", row))
    return keys


def paths(value, path=""):
    """Of all keys in it; of lists, with []."""
    if isinstance(value, dict) and path not in WITHIN:
        for key, inner in value.items():
            yield from paths(inner, path + "." + key if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, path + "[]")
    else:
        yield path


def table_of_notes():
    """A line for each kind of note that support/progress.h declares."""
    source = re.sub(r"\\\n", " ", (SOURCE / "support/progress.h").read_text())
    kinds = re.findall(r'\bX\((\w+),\s*"([\w-]+)",\s*(\w+),\s*((?:"[^"]*"\s*)+)\)', source)
    of = {"WARNING": "the graph: a warning", "OF_GRAPH": "the graph", "OF_RUN": "the run"}
    lines = ["| code | of | meaning |", "|---|---|---|"]
    for _, code, kind, meaning in kinds:
        lines.append("| `%s` | %s | %s |" % (code, of[kind], "".join(re.findall('"([^"]*)"', meaning))))
    return "\n".join(lines) + "\n"


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = Path(cls.folder.name)
        (cls.at / "g.txt").write_text("0 1 5\n1 2 6\n2 2 1\n7 0 2\n")
        run("quern-import", cls.at / "g.txt", "-q", "--undirected", "-o", cls.at / "g.qrn")

    def printed(self, *words, exit=0):
        return set(paths(json.loads(run(*words, "--json", exit=exit).stdout)))

    def compare(self, printed, headings, elsewhere=()):
        """`elsewhere`: what only other builds print."""
        keys = {key for key in documented(*headings) if not key.startswith(elsewhere)}
        printed -= {"notes[]", "notes[].code", "notes[].warning", "notes[].message"}  # of every run
        self.assertEqual(printed - keys, set(), "printed, but not in docs/json.md")
        self.assertEqual(keys - printed, set(), "in docs/json.md, but never printed")

    def test_notes(self):
        self.assertEqual(NOTES.search(PAGE).group(), table_of_notes(), "docs/json.md: run tests/docs/test_json.py --write")

    def test_graphs(self):
        (self.at / "both.txt").write_text("0 1\n1 0\n")
        printed = self.printed("quern-import", self.at / "both.txt", "-o", self.at / "a.qrn", "--undirected", "--layout", "packed")
        printed |= self.printed("quern-generate", "rmat", "--scale", "12", "--memory", "16M", "-o", self.at / "b.qrn")
        printed |= self.printed("quern-transform", self.at / "g.qrn", "--egonet", "0", "-o", self.at / "c.qrn")
        printed |= self.printed("quern-transform", self.at / "b.qrn", "--symmetrize", "-o", self.at / "d.qrn")
        printed |= {"estimate", "estimate.memory"}
        printed |= self.printed("quern-transform", self.at / "g.qrn", "--parts", "2", "-o", self.at / "in-parts")
        printed |= self.printed("quern-transform", self.at / "in-parts", "-o", self.at / "e.qrn")
        printed |= self.printed("quern-transform", self.at / "g.qrn", "--partition", "2", "-o", self.at / "parted.qrn")
        printed |= self.printed("quern-transform", self.at / "g.qrn", "--partition", "2", "--by", "hdrf", "-fo", self.at / "parted.qrn")
        printed |= self.printed("quern-transform", self.at / "g.qrn", "--append", self.at / "g.txt", "--remove", self.at / "both.txt",
                                "-o", self.at / "changed")
        self.compare(printed, ("quern-import", "The estimate"), ("ranks.", "layout_figures."))

    def test_builders(self):
        for tool in ("block", "partition", "page", "shard", "hybrid", "pack"):
            with self.subTest(tool):
                printed = self.printed("quern-" + tool, self.at / "g.qrn", "-o", self.at / (tool + ".qrn"))
                self.compare(printed | {"estimate", "estimate.memory"}, ("quern-block", "The estimate"),
                             () if tool == "partition" else ("seconds_of_steps.",))

    def test_info(self):
        run("quern-import", self.at / "g.txt", "-q", "-o", self.at / "directed.qrn")
        printed = self.printed("quern-info", self.at / "g.qrn", "--stats")
        directed = self.printed("quern-info", self.at / "directed.qrn", "--stats")
        run("quern-transform", self.at / "g.qrn", "--parts", "2", "-qo", self.at / "parts")
        printed |= self.printed("quern-info", self.at / "parts") | self.printed("quern-info", self.at / "parts/part-00001.qrn")
        run("quern-transform", self.at / "g.qrn", "--stripe", self.at, "-qo", self.at / "striped.qrn")
        printed |= self.printed("quern-info", self.at / "striped.qrn")
        either = {key for key in directed if key.startswith(("statistics.out_degree.", "statistics.in_degree."))}
        self.assertEqual({key.replace("out_degree", "degree").replace("in_degree", "degree") for key in either},
                         {key for key in printed if key.startswith("statistics.degree.")})
        vector = Path(os.environ["QUERN_SOURCE"]) / "specs/vectors/properties-sample.qrn"
        printed |= {key for key in self.printed("quern-info", vector) if key.startswith("properties")}
        printed |= self.printed("quern-info", vector.with_name("set-types"))
        printed |= self.printed("quern-info", vector.with_name("set-changes") / "changed")
        printed |= self.printed("quern-info", vector.with_name("set-changes") / "changed", "--log")
        printed |= self.printed("quern-info", self.at / "g.qrn", "--neighbors", "1")
        self.compare(printed | directed - either | {"statistics.out_degree", "statistics.in_degree"}, ("quern-info",))

    def test_verify(self):
        (self.at / "r.tsv").write_text("0 1\n1 2\n")
        (self.at / "s.tsv").write_text("0 1\n1 3\n")
        printed = self.printed("quern-verify", self.at / "g.qrn", self.at / "none.qrn", exit=5)
        printed |= self.printed("quern-verify", "--against", self.at / "r.tsv", self.at / "s.tsv", exit=1)
        (self.at / "p.tsv").write_text("0 0\n1 1\n")
        printed |= self.printed("quern-verify", "--tree", self.at / "g.qrn", self.at / "p.tsv", exit=1)
        self.compare(printed, ("quern-verify",))

    def test_fetch(self):
        (self.at / "r.json").write_text(json.dumps({"quern_recipe": 1, "name": "r", "files": [{"name": "g.txt"}],
                                                    "steps": [{"tool": "quern-import", "inputs": ["g.txt"]}]}))
        printed = self.printed("quern-fetch", self.at / "r.json", "--offline", "--from", self.at, "-o", self.at / "fetched.qrn")
        self.compare(printed | self.printed("quern-fetch", "--list"), ("quern-fetch",))

    def test_export(self):
        self.compare(self.printed("quern-export", self.at / "g.qrn", "-o", self.at / "x.txt"), ("quern-export",))

    def test_archive(self):
        printed = self.printed("quern-archive", "create", self.at / "g.qrn", "-o", self.at / "g.arc")
        printed |= self.printed("quern-archive", "create", "--bundle", self.at / "g.qrn", "-o", self.at / "g.tar")
        printed |= self.printed("quern-archive", "extract", self.at / "g.tar", "-C", self.at, "-f")
        for file in ("g.arc", "g.tar"):
            printed |= self.printed("quern-archive", "list", self.at / file)
            printed |= self.printed("quern-archive", "verify", self.at / file)
        self.compare(printed, ("quern-archive",))

    def test_run(self):
        printed = self.printed("quern-run", "pagerank", self.at / "g.qrn", "--device=cpu", "--checkpoint",
                               self.at / "work")
        for algorithm in ("bfs", "cc", "closeness", "hits", "leiden", "tc"):
            printed |= self.printed("quern-run", algorithm, self.at / "g.qrn", "--device=cpu")
        printed |= self.printed("quern-run", "sssp", self.at / "g.qrn", "--device=cpu", "--parents", self.at / "p.npy")
        printed |= self.printed("quern-run", "path", self.at / "g.qrn", "--source=0", "--target=0")
        printed |= self.printed("quern-run", "bfs", self.at / "g.qrn", "--device=cpu", "--sources=0,1")
        for words in (("similarity",), ("walk",), ("sample", "--sources=0,1"), ("katz", "--alpha=0.01"), ("neighborhood",)):
            printed |= self.printed("quern-run", words[0], self.at / "g.qrn", *words[1:])
        run("quern-run", "cc", self.at / "g.qrn", "-qo", self.at / "old.npy")
        run("quern-transform", self.at / "g.qrn", "--append", self.at / "g.txt", "-qo", self.at / "more")
        printed |= self.printed("quern-run", "cc", self.at / "more", "--from", self.at / "old.npy")
        self.compare(printed, ("quern-run",),
                     ("accelerator", "streaming", "strategy", "peer_to_peer", "devices", "sharing", "joint", "ranks", "storage"))


    def test_graphalytics(self):
        run("quern-export", self.at / "g.qrn", "--format", "graphalytics", "-o", self.at / "set")
        with open(self.at / "set/set.properties", "a") as properties:
            properties.write("graph.set.algorithms = bfs, wcc\ngraph.set.bfs.source-vertex = 0\n")
        self.compare(self.printed("quern-run", "graphalytics", self.at / "set"), ("quern-run graphalytics",))

    def test_graph500(self):
        self.compare(self.printed("quern-run", "graph500", self.at / "g.qrn", "--device=cpu"), ("quern-run graph500",))


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    (SOURCE / "docs/json.md").write_text(NOTES.sub(lambda found: table_of_notes(), PAGE))
elif __name__ == "__main__":
    unittest.main()
