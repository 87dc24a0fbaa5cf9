"""One flipped bit anywhere in what a container holds, its checksums left alone: no tool uses it."""

import os
import random
import tempfile
import unittest
from pathlib import Path

from conformance.container_reader import Broken, Container, read
from harness.tools import run

BUILDERS = ("quern-block", "quern-partition", "quern-page", "quern-shard", "quern-hybrid", "quern-pack")
LAYOUTS = {
    "graph": (),
    "blocked-csr": ("quern-block", "--direction=both", "--out-edges"),
    "edge-partitions": ("quern-partition",),
    "slotted-pages": ("quern-page",),
    "shards": ("quern-shard", "--shard-vertices", "30"),
    "hybrid": ("quern-hybrid", "--direction=both"),
    "packed": ("quern-pack",),
}
LONG = os.environ.get("QUERN_TEST_TIER") == "long"


class Damage(unittest.TestCase):
    scale = 8

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.graph, self.damaged, self.out = (self.folder / name for name in ("graph.qrn", "damaged.qrn", "out"))
        run("quern-generate", "rmat", "--scale", self.scale, "--weights", "1,9", "--transpose=also", "-qo", self.graph)

    def laid_out(self, layout):
        if layout == "graph":
            return self.graph
        tool, *options = LAYOUTS[layout]
        built = self.folder / (layout + ".qrn")
        run(tool, self.graph, "-qo", built, *options)
        return built

    def users(self, layout):
        """The commands that use all of a container."""
        commands = [("quern-run", "sssp", self.damaged, "--device=cpu", "-o", self.out),
                    ("quern-export", self.damaged, "-o", self.out), ("quern-transform", self.damaged, "--remove-self-loops", "-o", self.out),
                    ("quern-import", self.damaged, "-o", self.out),
                    ("quern-archive", "create", self.damaged, "-o", self.out)]
        if layout == "graph":
            commands += [(builder, self.damaged, "-o", self.out) for builder in BUILDERS]
        return commands

    def flip(self, sound, chance, section):
        at = section.offset + chance.randrange(section.stored_bytes)
        data = bytearray(sound)
        data[at] ^= 1 << chance.randrange(8)
        self.damaged.write_bytes(data)
        with self.assertRaises(Broken):
            Container(bytes(data))
        return at

    def expect_refused(self, command):
        finished = run(*command, exit=3)
        self.assertRegex(finished.stderr, r"\b[A-Z]{1,2}-\d+:")
        self.assertFalse(self.out.exists())

    def expect_no_use(self, layout):
        path = self.laid_out(layout)
        sound, sections, chance = path.read_bytes(), read(path).sections, random.Random(layout)
        for section in sections.values():
            for _ in range(40 if LONG else 1):
                at = self.flip(sound, chance, section)
                with self.subTest(layout=layout, section=section.name, at=at):
                    run("quern-verify", "-q", self.damaged, exit=3)
                    commands = self.users(layout)
                    for command in commands if LONG else [commands[0], chance.choice(commands[1:])]:
                        self.expect_refused(command)


def layout_test(layout):
    def test(self):
        self.expect_no_use(layout)
    return test


for name in LAYOUTS:
    setattr(Damage, "test_" + name.replace("-", "_"), layout_test(name))


class DamageInOneOfSeveralChunks(Damage):
    """Sections of more than a chunk, whose hashes are in the file and may be damaged too."""

    scale = 15
    tier = "medium"

    def test_hashes_are_there(self):
        sections = read(self.graph).sections
        self.assertEqual(list(sections)[-1], "chunk_hashes")

    def test_the_chunk_is_named(self):
        section = read(self.graph).sections["column_indices"]
        data = bytearray(self.graph.read_bytes())
        data[section.offset + (1 << 20) + 12345] ^= 4
        self.damaged.write_bytes(data)
        for command in (("quern-verify", self.damaged), ("quern-run", "bfs", self.damaged, "--device=cpu")):
            self.assertIn("byte %d: C-21: section column_indices" % (section.offset + (1 << 20)), run(*command, exit=3).stderr)

    def test_what_is_not_read_is_not_verified(self):
        for layout in ("graph", "shards", "hybrid"):
            path = self.laid_out(layout)
            weights = [section for name, section in read(path).sections.items() if name.endswith("weights")]
            results = []
            for file in (path, self.damaged):
                self.flip(path.read_bytes(), random.Random(1), weights[0])
                run("quern-run", "bfs", file, "--device=cpu", "-fqo", self.out)
                results.append(self.out.read_bytes())
            self.assertEqual(*results)

    def test_trust(self):
        """On one's own responsibility; a weight is not what an engine indexes with."""
        self.flip(self.graph.read_bytes(), random.Random(1), read(self.graph).sections["weights"])
        run("quern-run", "sssp", self.damaged, "--device=cpu", "--trust", "-q")
