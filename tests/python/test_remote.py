"""Graphs on servers: opened, looked up and computed with as files are; a look-up fetches little."""

import os
import tempfile
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run
from remote.scene import HAS_LIBCURL
from remote.server import Server

try:
    import numpy
except ImportError:
    numpy = None

MIB = 1 << 20


@needs("numpy")
@unittest.skipUnless(HAS_LIBCURL, "this build has no libcurl")
class Remote(unittest.TestCase):
    tier, sanitized_tier, timeout = "medium", "long", 300

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = Path(cls.folder.name)
        os.environ["XDG_CACHE_HOME"] = str(cls.at)
        os.environ["QUERN_CACHE_SIZE"] = "0"
        run("quern-generate", "uniform", "--scale", 20, "--degree", 4, "--weights", "1,9", "--transpose", "also", "-q", "-o", cls.at / "dense.qrn")
        chance = numpy.random.default_rng(5)
        ids = numpy.unique(chance.integers(0, 1 << 50, 600000, dtype="u8"))
        ends = chance.integers(0, len(ids), (2, 1000000))
        with quern.from_arrays(ids[ends[0]], ids[ends[1]]) as graph:
            graph.save(cls.at / "numbers.qrn")
        (cls.at / "e.csv").write_text("Ann,Bob\nBob,Cid\n")
        run("quern-import", cls.at / "e.csv", "-q", "-o", cls.at / "texts.qrn")
        run("quern-archive", "create", cls.at / "dense.qrn", "-q", "-o", cls.at / "dense.qra")
        cls.server = Server({"/" + name: (cls.at / name).read_bytes() for name in ("dense.qrn", "dense.qra", "numbers.qrn", "texts.qrn", "e.csv")})

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.folder.cleanup()

    def both(self, name):
        self.server.log.clear()
        return quern.open(self.at / name), quern.open(self.server.url("/" + name))

    def traffic(self):
        """Requests and bytes."""
        ranges = [entry[1] for entry in self.server.log]
        self.assertNotIn(None, ranges)
        ends = [tuple(map(int, one.split("-"))) for several in ranges for one in several.split("=")[1].split(",")]
        return len(ranges), sum(last - first + 1 for first, last in ends)

    def test_neighbours_of_one_vertex(self):
        near, far = self.both("dense.qrn")
        self.assertEqual(far.neighbors(654321).tolist(), near.neighbors(654321).tolist())
        requests, count = self.traffic()
        self.assertLessEqual(requests, 5)
        self.assertLess(count, 4 * MIB)
        self.assertEqual(far.in_neighbors(7).tolist(), near.in_neighbors(7).tolist())
        target = int(near.neighbors(99)[0])
        self.assertTrue(far.has_edge(99, target))
        self.assertFalse(far.has_edge(99, 100) and not near.has_edge(99, 100))
        with self.assertRaises(quern.UsageError):
            far.neighbors(1 << 20)

    def test_ids_that_are_numbers(self):
        near, far = self.both("numbers.qrn")
        for vertex in (0, 5, 123456, len(near) - 1):
            id = int(near.id_column()[vertex])
            self.assertEqual(far.neighbors(id).tolist(), near.neighbors(id).tolist())
            self.assertNotIn(id + 1 if id + 1 not in near else -1, far)
        self.assertLess(self.traffic()[0], 24)
        whole = quern.open(self.server.url("/numbers.qrn"))
        self.assertEqual(whole.find(near.id_column()[:1000]).tolist(), list(range(1000)))

    def test_many_neighbours_that_lie_anywhere(self):
        ids = numpy.arange(3000000, dtype="u8") * 7 + 5
        with quern.from_arrays(numpy.concatenate([ids[:-1], ids[:1].repeat(13)]), numpy.concatenate([ids[1:], ids[180000::220000]])) as graph:
            graph.save(self.at / "hub.qrn")
        self.server.objects["/hub.qrn"] = (self.at / "hub.qrn").read_bytes()
        for does in ({}, {"several": False}, {"wrong_part": (2, -1)}, {"cuts": [None] * 7 + [MIB] + [None] * 9}):
            vars(self.server.does).update(does)
            near, far = self.both("hub.qrn")
            self.assertEqual(far.neighbors(5).tolist(), near.neighbors(5).tolist())
            requests, count = self.traffic()
            self.assertTrue(does or (requests <= 10 and count <= 20 * 10 ** 6), (requests, count))
            self.server.does = type(self.server.does)()

    def test_ids_that_are_texts(self):
        """A few of many are looked up by looking at others, which is believed only once it is verified."""
        chance = numpy.random.default_rng(6)
        names = sorted({"%s-%s" % ("abcxyz"[i % 6], "n" * (i % 13 * (i % 5)) + str(i * 7919 % 500009)) for i in range(400000)})
        names[200000:200003] = [names[200000] + "u" * 130 + end for end in ("", "v", "w")]
        ends = chance.integers(0, len(names), (2, len(names)))
        ends[0, :13], ends[1, :13] = 77777, numpy.arange(13) * 30000
        (self.at / "names.csv").write_text("".join("%s,%s\n" % (names[a], names[b]) for a, b in ends.T.tolist()))
        run("quern-import", self.at / "names.csv", "--ids", "strings", "-q", "-o", self.at / "names.qrn")
        self.server.objects["/names.qrn"] = (self.at / "names.qrn").read_bytes()
        ids = quern.open(self.at / "names.qrn").ids.tolist()
        for does in ({}, {"several": False}, {"lies": 300}, {"lies": 100}):
            near, far = self.both("names.qrn")
            vars(self.server.does).update(does)
            self.assertEqual(far.neighbors(names[77777]).tolist(), near.neighbors(names[77777]).tolist())
            requests, count = self.traffic()
            self.assertTrue(does or (requests <= 10 and count <= 20 * 10 ** 6), (requests, count))
            for vertex in (0, 131071, 131072, len(ids) - 1):
                self.assertEqual(far.find(ids[vertex]), vertex)
            self.assertEqual(names[200001] in far, names[200001] in ids)
            self.assertFalse(any(name in far for name in ("", "zz", "x-" + "n" * 300, names[200000] + "t")))
            self.server.does = type(self.server.does)()
        self.assertEqual(quern.open(self.server.url("/names.qrn")).ids.tolist(), ids)

    def test_archives_by_frames(self):
        near, archive = quern.open(self.at / "dense.qrn"), self.server.objects["/dense.qra"]
        self.server.log.clear()
        far = quern.open(self.server.url("/dense.qra"))
        self.assertEqual(far.neighbors(654321).tolist(), near.neighbors(654321).tolist())
        requests, count = self.traffic()
        self.assertLessEqual(requests, 10)
        self.assertLess(count, len(archive) // 4)
        for vertex in (0, 1, 7, 500000, (1 << 20) - 1):
            self.assertEqual(far.neighbors(vertex).tolist(), near.neighbors(vertex).tolist())
            self.assertEqual(far.in_neighbors(vertex).tolist(), near.in_neighbors(vertex).tolist())
        self.assertTrue(all((far.arrays[name] == near.arrays[name]).all() for name in near.arrays))
        self.assertTrue((far.cc().values == near.cc().values).all())
        far.save(self.at / "again.qrn", force=True)
        self.assertEqual((self.at / "again.qrn").read_bytes(), (self.at / "dense.qrn").read_bytes())
        chance = numpy.random.default_rng(34)
        for at in [5, 5000, *chance.integers(0, len(archive), 40)]:
            self.server.objects["/bad.qra"] = archive[:at] + bytes([archive[at] ^ 1 << chance.integers(8)]) + archive[at + 1:]
            for vertex in (3, 654321):
                try:
                    self.assertEqual(quern.open(self.server.url("/bad.qra")).neighbors(vertex).tolist(), near.neighbors(vertex).tolist())
                except (quern.InvalidError, quern.UnsupportedError):
                    pass

    def test_everything_else(self):
        for name in ("dense.qrn", "numbers.qrn"):
            near, far = self.both(name)
            self.assertTrue((far.row_offsets == near.row_offsets).all() and (far.column_indices == near.column_indices).all())
            self.assertTrue((far.out_degree() == near.out_degree()).all() and (far.in_degree() == near.in_degree()).all())
            self.assertTrue((far.cc().values == near.cc().values).all())
            self.assertEqual(set(far.arrays), set(near.arrays))
            self.assertTrue(all((far.arrays[name] == near.arrays[name]).all() for name in near.arrays))
        near, far = self.both("texts.qrn")
        self.assertEqual(list(far.neighbors("Ann")), ["Bob"])
        self.assertEqual(far.path, self.server.url("/texts.qrn"))
        self.assertEqual(list(quern.read(self.server.url("/e.csv"))), list(near))
        self.assertEqual(len(quern.read(self.server.url("/dense.qrn"))), 1 << 20)
        trusted = quern.open(self.server.url("/dense.qrn"), trust=True)
        self.assertTrue((trusted.weights == quern.open(self.at / "dense.qrn").weights).all())

    @needs("fsspec")
    def test_fsspec(self):
        import fsspec
        with fsspec.open("memory://a/texts.qrn", "wb") as file:
            file.write((self.at / "texts.qrn").read_bytes())
        self.assertEqual(len(quern.open("memory://a/texts.qrn")), 3)

    def test_changed_and_gone(self):
        self.server.objects["/gone.qrn"] = self.server.objects["/dense.qrn"]
        far = quern.open(self.server.url("/gone.qrn"))
        self.server.objects["/gone.qrn"] = self.server.objects["/numbers.qrn"]
        with self.assertRaises(quern.SystemFailure):
            far.neighbors(3)
        with self.assertRaises(quern.SystemFailure):
            quern.open(self.server.url("/none.qrn"))
