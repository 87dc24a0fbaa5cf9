"""Random histories of changes against a naive model: after each step the set is the graph that it should be, and its earlier
generations still are theirs; compacting gives what importing the final edges at once gives, byte for byte."""

import json
import random
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import read
from harness import chance
from harness.tools import run

NUMBERS = [0, 1, 2, 3, 5, 8, 9, 2**32 - 1, 2**32, 2**40, 2**64 - 1]
NAMES = ["a", "b", "ab", "é", "漢字", "x" * 300, "a b", "zz", "0x", "-1", "a:b"]
WEIGHTS = {"none": None, "u32": lambda rng: rng.randrange(4), "i64": lambda rng: rng.choice((-5, 0, 7, -2**63, 2**62)),
           "f32": lambda rng: rng.choice((0.5, -1.25, 3.0)), "f64": lambda rng: rng.choice((0.1, 1e300, -2.5))}


RUNS = [("degree",), ("indegree",), ("pagerank",), ("bfs", "--source=ID"), ("bfs", "--source=ID", "--parents"), ("rwr", "--source=ID"),
        ("sssp", "--source=ID"), ("sssp", "--source=ID", "--parents")]
REAL = {"pagerank", "rwr"}


class Model:
    """`edges` [(source, destination, weight, value)] in the order of the input, as `options` of quern-import build them."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        kind = rng.choice(("dense", "numbers", "names", "keep"))
        self.pool = {"dense": list(range(12)), "keep": list(range(30)), "numbers": NUMBERS, "names": NAMES}[kind]
        self.weights = rng.choice(list(WEIGHTS))
        self.undirected = rng.random() < 0.5
        self.loops = rng.choice(("keep", "remove"))
        self.duplicates = rng.choice(("keep", "keep", "remove", "min", "sum"))
        if self.weights == "none" and self.duplicates in ("min", "sum") or self.duplicates == "sum" and self.weights != "u32":
            self.duplicates = "remove"
        self.properties = rng.random() < 0.4 and self.duplicates in ("keep", "remove")
        self.options = ["--weights", self.weights, "--self-loops", self.loops, "--duplicates", self.duplicates]
        self.options += ["--undirected"] * self.undirected + ["--properties", "all"] * self.properties
        self.options += ["--transpose", "also"] if not self.undirected and rng.random() < 0.3 else []
        self.options += ["--ids", kind] if kind == "keep" else ["--ids", "strings"] if kind == "names" else []
        self.kind, self.edges, self.vertices = kind, [], set()

    def some_edges(self, least):
        rng = self.rng
        pool = self.pool[:rng.randint(2, len(self.pool))]
        weigh = WEIGHTS[self.weights]
        return [(rng.choice(pool), rng.choice(pool), weigh(rng) if weigh else None, rng.randrange(9) if self.properties else None)
                for _ in range(rng.randint(least, 12))]

    def ends(self, edge):
        return tuple(sorted(edge[:2], key=str)) if self.undirected else edge[:2]

    def add(self, edges):
        for edge in edges:
            self.vertices.update(edge[:2])
            if self.loops == "remove" and edge[0] == edge[1]:
                continue
            at = next((i for i, other in enumerate(self.edges) if self.ends(other) == self.ends(edge)), None)
            if at is None or self.duplicates == "keep":
                self.edges.append(edge)
            elif self.duplicates in ("min", "sum"):
                u, v, w, value = self.edges[at]
                self.edges[at] = u, v, min(w, edge[2]) if self.duplicates == "min" else w + edge[2], value

    def remove(self, edges):
        """How many different ones are not there."""
        gone = {self.ends(edge) for edge in edges}
        missing = gone - {self.ends(edge) for edge in self.edges}
        self.edges = [edge for edge in self.edges if self.ends(edge) not in gone]
        return len(missing)

    def write(self, path, edges):
        header = ["source", "target"] + ["weight"] * (self.weights != "none") + ["note"] * self.properties
        rows = [[part for part in edge if part is not None] for edge in edges]
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in [header, *rows]))
        return path


def sections(path):
    """All but where the graph came from."""
    container = read(path)
    return {name: (section.element_type, bytes(container.bytes_of(name))) for name, section in container.sections.items()
            if name not in ("metadata", "chunk_hashes")}


class Changes(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)

    def fresh(self, model, name):
        """An import of the edges that there are, and of all vertices."""
        table = self.at / "vertices.csv"
        table.write_text("id\n" + "".join("%s\n" % vertex for vertex in sorted(model.vertices, key=str)))
        edges, options = model.write(self.at / "final.csv", model.edges), list(model.options)
        more = ["--vertices", max(model.vertices) + 1] if model.kind == "keep" else ["--vertices", table]
        if model.kind == "keep":
            at = options.index("--ids")
            del options[at:at + 2]
        if not model.edges:  # which would not say what they have
            return None
        run("quern-import", edges, *options, *more, "-qo", self.at / name, "--force")
        return sections(self.at / name)

    def step(self, model, number, base, output):
        """One generation; what it was made of."""
        rng, words, appended = model.rng, [], []
        if rng.random() < 0.4:
            gone = model.some_edges(1) + rng.sample(model.edges, min(len(model.edges), 2))
            missing = model.remove(gone)
            words += ["--remove", model.write(self.at / ("gone-%d.csv" % number), gone)]
        else:
            missing = 0
        if not words or rng.random() < 0.5:
            more = model.some_edges(1)
            model.add(more)
            appended = [model.write(self.at / ("more-%d.csv" % number), more)]
            words += ["--append", appended[0]]
        report = json.loads(run("quern-transform", base, *words, "-o", output, "--json").stdout)
        self.assertEqual(report["missing"], missing)
        return appended, len(words) == 2 and bool(appended)

    def history(self, seed):
        model = Model(seed)
        base, v2 = self.at / ("base-%d.qrn" % seed), self.at / ("v-%d" % seed)
        first = model.some_edges(3)
        model.add(first)
        files, only_added = [model.write(self.at / "first.csv", first)], True
        run("quern-import", *files, *model.options, "-qo", base)
        before, source = base.read_bytes(), base
        if model.rng.random() < 0.3:
            source = self.at / ("set-%d" % seed)
            run("quern-transform", base, "--parts", 2, "-qo", source)
        known = []
        for number in range(model.rng.choice((1, 3, 20))):
            appended, adds = self.step(model, number, source if number == 0 else v2, v2)
            files, only_added = files + appended, only_added and adds
            known.append(self.fresh(model, "fresh.qrn"))
        run("quern-verify", "-q", v2)
        self.assertEqual(base.read_bytes(), before)
        for generation in {1, len(known), model.rng.randint(1, len(known))}:
            run("quern-transform", "%s@%d" % (v2, generation), "--compact", "-qo", self.at / "then.qrn", "--force")
            run("quern-verify", "-q", self.at / "then.qrn")
            if known[generation - 1]:
                self.assertEqual(sections(self.at / "then.qrn"), known[generation - 1])
        run("quern-transform", v2, "-qo", self.at / "now.qrn", "--force")
        if only_added and source == base:
            run("quern-import", *files, *model.options, "-qo", self.at / "once.qrn", "--force")
            self.assertEqual((self.at / "now.qrn").read_bytes(), (self.at / "once.qrn").read_bytes())
        self.runs(model, v2, self.at / "now.qrn")
        self.updates(model, v2, base, first[0][0])

    def found(self, words, graph, *more):
        """What a run writes, and what it says of itself."""
        parents = self.at / "parents.tsv"
        report = json.loads(run("quern-run", words[0], graph, *words[1:], *([parents] if words[-1] == "--parents" else []), *more, "--device",
                                "cpu", "--json", "-qo", self.at / "r.tsv", "--force").stdout)
        return (self.at / "r.tsv").read_text() + (parents.read_text() if words[-1] == "--parents" else ""), report

    def compare(self, words, one, other, within=1e-5):
        if words[0] not in REAL:
            self.assertEqual(one, other, words)
            return
        for line, same in zip(one.splitlines(), other.splitlines(), strict=True):
            (name, value), (same_name, same_value) = line.rsplit("\t", 1), same.rsplit("\t", 1)
            self.assertEqual(name, same_name)
            if not name.startswith("#"):
                self.assertAlmostEqual(float(value), float(same_value), delta=within * max(1, abs(float(same_value))))

    def runs(self, model, v2, now):
        """What walks base and additions in place finds what it finds in one container."""
        source = model.rng.choice(sorted(model.vertices, key=str))
        for words in [("cc",), *model.rng.sample(RUNS, 3)]:
            if words[0] == "sssp" and model.weights not in ("none", "u32"):
                continue
            words = [part.replace("ID", str(source)) for part in words]
            (walked, report), (whole, _) = self.found(words, v2), self.found(words, now)
            self.assertEqual(report["layout"], "set", words)
            self.compare(words, walked, whole)

    def updates(self, model, v2, base, source):
        """Runs that go on from the result of an earlier generation find what whole runs find."""
        generations = json.loads((v2 / "set.json").read_text())["generations"]
        last = max((i + 1 for i, generation in enumerate(generations) if generation["removed"]), default=0)
        earlier = model.rng.randint(last, len(generations))
        old, refused = self.at / ("old" + model.rng.choice((".tsv", ".npy"))), model.rng.randrange(last) if last else None
        for words in ("cc",), ("bfs", "--source=%s" % source), ("sssp", "--source=%s" % source), ("pagerank",):
            if words[0] == "sssp" and model.weights not in ("none", "u32", "f64"):
                continue
            if words[0] == "sssp" and model.weights == "f64" and any(edge[2] < 0 for edge in model.edges):
                continue
            run("quern-run", *words[:1], "%s@%d" % (v2, earlier) if earlier else base, *words[1:], "--device", "cpu", "-qo", old, "--force")
            (gone_on, report), (whole, _) = self.found(words, v2, "--from", old, "--from-generation", earlier), self.found(words, v2)
            self.assertEqual(report["update"]["generation"], earlier)
            self.compare(words, gone_on, whole, 1e-4)
            if refused is not None:
                run("quern-run", *words[:1], v2, *words[1:], "--from", old, "--from-generation", refused, exit=4)

    def test_histories(self):
        first = chance.seed()
        for seed in range(first, first + 12):
            with self.subTest(seed=seed):
                self.history(seed)


if __name__ == "__main__":
    unittest.main()
