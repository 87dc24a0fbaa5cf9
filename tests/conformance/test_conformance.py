"""Containers against a second reader that was written from the specification: what the tools write it reads, and what
it refuses quern-verify refuses too."""

import os
import random
import re
import signal
import struct
import subprocess
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

from conformance import archive_pages_reader
from conformance.checkpoint_reader import Checkpoint
from conformance.container_reader import Broken, Container, read
from conformance.graph_reader import Graph
from conformance.layout_readers import READERS, read_layout
from conformance.references_reader import REFERENCES
from conformance.sealing import resealed
from harness.tools import run
from oracle.graphs import RandomGraph

SPECS = Path(os.environ["QUERN_SOURCE"]) / "specs"
VECTORS = sorted((SPECS / "vectors").glob("*.qrn"))


class Vectors(unittest.TestCase):
    def test_there_is_one_of_each_layout(self):
        self.assertEqual({read(path).layout for path in VECTORS}, set(READERS))

    def test_they_are_read(self):
        for path in VECTORS:
            with self.subTest(vector=path.name):
                read_layout(read(path))
                run("quern-verify", path)

    def test_worked_example(self):
        """What specs/graph.md says is in its example."""
        graph = Graph(read(SPECS / "vectors/graph-sample.qrn"))
        far = 4000000000000
        self.assertEqual(graph.named_edges(), [(10, 20, 7), (10, far, 1), (20, far, 4), (far, 10, 2), (far, far, 9)])
        self.assertEqual(graph.ids, [10, 20, 21, far])


class Verdicts(unittest.TestCase):
    """On damaged and forged files the two readers agree, and name rules of the same page."""

    def setUp(self):
        self.sample = (SPECS / "vectors/graph-sample.qrn").read_bytes()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "forged.qrn"

    def verdicts(self, data):
        """(rule or None by this reader, rule or None by quern-verify)."""
        self.path.write_bytes(data)
        finished = run("quern-verify", self.path, exit=(0, 3, 4))
        said = finished.stdout + finished.stderr
        named = re.search(r"\b[A-Z]{1,2}-\d+\b|cannot work with the layout", said)
        theirs = named.group(0) if named else None
        self.assertEqual(finished.returncode != 0, named is not None, said)
        try:
            read_layout(Container(data))
            return None, theirs
        except Broken as broken:
            return broken.rule, theirs

    def test_sample_is_accepted(self):
        self.assertEqual(self.verdicts(self.sample), (None, None))
        self.assertEqual(self.verdicts(resealed(self.sample)), (None, None))

    def test_damage(self):
        chance = random.Random(1)
        for _ in range(150):
            data = bytearray(self.sample)
            at = chance.choice((chance.randrange(len(data)), chance.randrange(512), -1 - chance.randrange(1100)))
            data[at] ^= 1 << chance.randrange(8)
            with self.subTest(at=at):
                self.assertTrue(all(self.verdicts(bytes(data))))

    def test_cuts(self):
        chance = random.Random(2)
        for length in [0, 1, 7, 8, 4095, 4096, len(self.sample) - 1] + chance.sample(range(len(self.sample)), 30):
            with self.subTest(length=length):
                self.assertTrue(all(self.verdicts(self.sample[:length])))

    def test_forged_contents(self):
        """A number of a section is changed and every checksum made to fit."""
        for path in VECTORS:
            self.forge(path, random.Random(3), 100 if read(path).layout == "graph" else 30)

    def forge(self, path, chance, times):
        sound, sections = path.read_bytes(), read(path).sections
        for _ in range(times):
            section = chance.choice([entry for entry in sections.values() if entry.name != "metadata" and entry.count])
            data = bytearray(sound)
            at = section.offset + section.element_bytes * chance.randrange(section.count)
            value = chance.choice((0, 1, 2, 3, 4, 5, 6, 255, 2**(8 * section.element_bytes) - 1))
            value %= 2**(8 * section.element_bytes)
            data[at:at + section.element_bytes] = value.to_bytes(section.element_bytes, "little")
            with self.subTest(vector=path.name, section=section.name, at=at, value=value):
                ours, theirs = self.verdicts(resealed(data))
                self.assertEqual(ours is None, theirs is None, (ours, theirs))
                if "graph" in path.name:
                    self.assertEqual((ours or "").split("-")[0], (theirs or "").split("-")[0])

    def test_forged_header(self):
        """Every field set to values at its edges."""
        fields = {"version_major": (8, 2), "version_minor": (10, 2), "header_bytes": (12, 4), "compatible": (16, 8),
                  "incompatible": (24, 8), "layout": (32, 4), "weight_type": (36, 4), "directedness": (40, 4),
                  "num_vertices": (48, 8), "num_edges": (56, 8), "file_bytes": (64, 8), "reserved": (88, 8),
                  "parameter": (128, 8), "late reserved": (4000, 8)}
        for name, (at, width) in fields.items():
            for value in (0, 1, 2, 3, 7, 2**(8 * width - 1), 2**(8 * width) - 1):
                data = bytearray(self.sample)
                data[at:at + width] = value.to_bytes(width, "little")
                with self.subTest(field=name, value=value):
                    ours, theirs = self.verdicts(resealed(data))
                    self.assertEqual(ours is None, theirs is None, (ours, theirs))


class Written(unittest.TestCase):
    """What quern-import writes, the second reader reads back, for every kind of id and weight."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.text, self.path = Path(self.folder.name) / "in.txt", Path(self.folder.name) / "out.qrn"

    def imported(self, graph, *options):
        graph.write(self.text)
        run("quern-import", self.text, "-o", self.path, "--force", *options)
        run("quern-verify", self.path)
        return Graph(read(self.path))

    def named(self, graph, edges):
        """Edges by id as the second reader gives them."""
        name = (lambda vertex: graph.ids[vertex].encode()) if graph.ids[0].startswith("n") \
            else (lambda vertex: int(graph.ids[vertex]))
        weighted = graph.weights != "none"
        return sorted((name(source), name(destination), weight if weighted else None)
                      for source, destination, weight in edges)

    def test_as_given(self):
        for seed, (ids, weights) in enumerate([("sparse", "none"), ("sparse", "u32"), ("sparse", "f32"),
                                               ("strings", "none"), ("strings", "u32")]):
            with self.subTest(ids=ids, weights=weights):
                graph = RandomGraph(seed, 40, 200, weights, ids)
                options = ("--weights", weights, "--transpose", "also") + (("--ids", "strings") if ids == "strings" else ())
                got = self.imported(graph, *options)
                self.assertEqual(got.named_edges(), self.named(graph, graph.edges))
                self.assertTrue(got.has_transpose)
                self.assertFalse(got.undirected)

    def test_undirected(self):
        for weights in ("none", "u32"):
            with self.subTest(weights=weights):
                graph = RandomGraph(11, 40, 200, weights)
                got = self.imported(graph, "--undirected", "--weights", weights)
                both = graph.edges + [(to, at, weight) for at, to, weight in graph.edges if at != to]
                self.assertEqual(got.named_edges(), self.named(graph, both))
                self.assertTrue(got.undirected)

    def test_clean(self):
        graph = RandomGraph(12, 40, 300)
        got = self.imported(graph, "--self-loops", "remove", "--duplicates", "remove")
        kept = {(at, to, 1) for at, to, _ in graph.edges if at != to}
        self.assertEqual(got.named_edges(), self.named(graph, kept))
        self.assertEqual(got.num_vertices, 40)

    def test_combined_weights(self):
        for rule, combine in (("min", min), ("sum", sum)):
            with self.subTest(duplicates=rule):
                graph = RandomGraph(13, 30, 300, "u32")
                got = self.imported(graph, "--duplicates", rule, "--weights", "u32")
                weights = {}
                for at, to, weight in graph.edges:
                    weights.setdefault((at, to), []).append(weight)
                kept = [(at, to, combine(all_of)) for (at, to), all_of in weights.items()]
                self.assertEqual(got.named_edges(), self.named(graph, kept))


class Built(unittest.TestCase):
    """What the builders and quern-archive write, the second reader reads back: the edges of the graph."""

    BUILDERS = {
        "blocked-csr": [("quern-block", "--block-vertices", "13", "--direction", "both", "--out-edges"), ("quern-block",)],
        "edge-partitions": [("quern-partition",), ("quern-partition", "--partition-bytes", "100")],
        "slotted-pages": [("quern-page", "--page-size", "64"), ("quern-page", "--address", "4,2", "--page-size", "512")],
        "shards": [("quern-shard",), ("quern-shard", "--shard-vertices", "7", "--page-bytes", "4K")],
        "hybrid": [("quern-hybrid", "--direction", "both"), ("quern-hybrid", "--width", "1")],
        "packed": [("quern-pack",), ("quern-pack", "--direction", "in"), ("quern-pack", "--direction", "out")],
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def graphs(self):
        """Containers of random graphs with every kind of weight, id and direction."""
        for seed, (weights, ids, more) in enumerate([("none", "strings", ()), ("u32", "sparse", ("--undirected",)),
                                                     ("f32", "sparse", ("--transpose", "also")), ("u32", "sparse", ())]):
            RandomGraph(seed, 60, 300, weights, ids).write(self.folder / "in.txt")
            words = ("--ids", "strings") if ids == "strings" else ()
            run("quern-import", self.folder / "in.txt", "-o", self.folder / "graph.qrn", "-fq", "--weights", weights,
                *words, *more)
            yield "%s %s %s" % (weights, ids, " ".join(more)), self.folder / "graph.qrn"

    def test_layouts(self):
        built = self.folder / "built.qrn"
        for what, path in self.graphs():
            graph = read_layout(read(path))
            for layout, commands in self.BUILDERS.items():
                for tool, *options in commands:
                    with self.subTest(graph=what, tool=tool, options=options):
                        run(tool, path, "-o", built, "-fq", *options)
                        container = read(built)
                        self.assertEqual(container.layout, layout)
                        found = read_layout(container)
                        self.assertEqual(found.edges, graph.edges)
                        self.assertEqual(found.ids, graph.ids)

    def paged(self, graph):
        """On pages that hold much or little, of every address."""
        for address, page_bytes in (("2,2", "64"), ("3,3", "60K"), ("2,4", "1028K"), ("4,2", "1000")):
            path = self.folder / ("%s-%s-%s.qrn" % (graph.stem, address, page_bytes))
            run("quern-page", graph, "--address", address, "--page-size", page_bytes, "-qo", path)
            yield path

    def test_archives(self):
        """Every layout, and sections of every filter; a triangle too."""
        filters, triangles, cut, larger, regular = set(), 0, 0, self.folder / "larger.qrn", self.folder / "regular.qrn"
        run("quern-generate", "rmat", "--scale", "9", "--undirected", "--weights", "1,90", "-qo", larger)
        run("quern-generate", "grid", "--scale", "9", "-qo", regular)
        for path in [*VECTORS, larger, *self.paged(larger), *self.paged(regular)]:
            packed = self.folder / "packed.qrn"
            run("quern-archive", "create", path, "-o", packed, "-fq")
            plain, archive = read(path), read(packed)
            for name, section in archive.sections.items():
                with self.subTest(container=path.name, section=name):
                    self.assertEqual(bytes(archive.bytes_of(name)), bytes(plain.bytes_of(name)))
                filters.add(section.filter if section.codec else None)
                triangles += section.upper
                cut += section.strips
            read_layout(archive)
        self.assertGreater(triangles, 0)
        self.assertGreater(cut, 0)
        self.assertGreaterEqual(len(filters), 6, filters)
        self.assertLessEqual({archive_pages_reader.PAGE_GAPS, archive_pages_reader.PAGE_ROWS}, filters)


class References(unittest.TestCase):
    def setUp(self):
        """A graph like the Web's: pages link to what others of their site link to, and to some near ones."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        chance, self.graph = random.Random(3), self.folder / "web.qrn"
        lines = []
        for site in range(0, 600, 60):
            shared = sorted(chance.sample(range(600), 14))
            for page in range(site, site + 60):
                near = {min(599, page + chance.randrange(9)) for _ in range(4)}
                lines += ["%d %d" % (page, to) for to in sorted({*shared, *near}) if chance.random() < 0.95]
        lines += [lines[-1]] * 3
        run("quern-import", "-", "--transpose", "also", "-qo", self.graph, input="\n".join(lines))

    def filters_of(self, level):
        archive = self.folder / "web.qra"
        run("quern-archive", "create", self.graph, level, "-qfo", archive)
        run("quern-archive", "extract", archive, "-qfo", self.folder / "back.qrn")
        self.assertEqual((self.folder / "back.qrn").read_bytes(), self.graph.read_bytes())
        plain, archived = read(self.graph), read(archive)
        for name in archived.sections:
            self.assertEqual(bytes(archived.bytes_of(name)), bytes(plain.bytes_of(name)))
        read_layout(archived)
        return {name for name, section in archived.sections.items() if section.filter == REFERENCES}

    def test_both_directions(self):
        for level in ("-4", "-6", "-9", "-19"):
            self.assertEqual(self.filters_of(level), {"column_indices", "in_column_indices"})
        self.assertEqual(self.filters_of("-3"), set())

    def test_parts_of_a_set(self):
        run("quern-transform", self.graph, "--parts", "2", "-qo", self.folder / "set")
        run("quern-archive", "create", self.folder / "set", "-qo", self.folder / "set.tar")
        run("quern-archive", "extract", self.folder / "set.tar", "-qo", self.folder / "again")
        for path in (self.folder / "set").iterdir():
            self.assertEqual((self.folder / "again" / path.name).read_bytes(), path.read_bytes())
        with tarfile.open(self.folder / "set.tar") as members:
            parts = [Container(members.extractfile(member).read()) for member in members if member.name.startswith("part-")]
        self.assertEqual([part.first_row for part in parts], [0, parts[0].num_rows])
        for part in parts:
            self.assertEqual(part.sections["column_indices"].filter, REFERENCES)
            read_layout(part)


class Checkpoints(unittest.TestCase):
    def test_one_that_an_interrupted_run_leaves(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            run("quern-generate", "rmat", "--scale", "8", "--weights", "1,9", "-qo", folder / "graph.qrn")
            process = subprocess.Popen(["quern-run", "pagerank", folder / "graph.qrn", "--device", "cpu", "--tolerance", "0",
                                        "--iterations", "100000000", "--checkpoint", folder / "kept", "--every", "1", "-q"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            for _ in range(3000):
                if list(folder.glob("kept/*.qrn")) or process.poll() is not None:
                    break
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            _, message = process.communicate()
            self.assertEqual(process.returncode, 130, message)
            graph, found = read(folder / "graph.qrn"), list(folder.glob("kept/*"))
            self.assertEqual(len(found), 1)
            checkpoint = Checkpoint(read(found[0]))
            self.assertEqual((checkpoint.identity, checkpoint.layout), (graph.checksum, 1))
            self.assertEqual(checkpoint.run["algorithm"], "pagerank")
            self.assertEqual(checkpoint.run["container"], "graph.qrn")
            self.assertGreaterEqual(checkpoint.registers[0], 1)
            run("quern-verify", found[0])
