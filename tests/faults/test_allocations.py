"""An allocation fails: the result is right all the same, or there is none, and the tool says why."""

import os
import random
import shutil
import subprocess
import unittest
from pathlib import Path

from faults.campaign import BIN
from faults.commands import COMMANDS, Reference, contents, make_inputs, words_of

SHIM = BIN.parent / "release/tests/libquern_allocations.so"
FIRST = 40  # of which each is tried: what all tools begin with
EACH = ("fetch",)  # whose sums libarchive may fail to begin without a word
# libarchive goes through NULL where it gets no memory for what it makes when it opens a reader or begins a member, and says
# of some filters that the file ends early.
LEFT_OUT = ("import-gzip", "import-zip", "import-npz", "bundle", "extract-member", "list")


class Allocations(unittest.TestCase):
    tier, timeout, tries = "medium", 300, 6

    def setUp(self):
        if BIN.parent.name != "build":
            raise unittest.SkipTest("what is preloaded goes with release programs alone")
        self.inputs = Path("inputs").resolve()
        self.inputs.mkdir()
        make_inputs(self.inputs)

    def run_command(self, name, **environment):
        Path("work").mkdir()
        done = subprocess.run(words_of(name, self.inputs), cwd="work", capture_output=True,
                              env=dict(os.environ, LD_PRELOAD=str(SHIM), **environment))
        found = contents("work")
        shutil.rmtree("work")
        return done, found

    def check(self, right, nth):
        with self.subTest(right.name, nth=nth):
            done, found = self.run_command(right.name, QUERN_ALLOCATION=str(nth))
            said = done.stderr.decode(errors="replace")
            self.assertIn(done.returncode, (0, 5), said)
            self.assertEqual(found, {} if done.returncode else right.files, said)
            if done.returncode:
                self.assertNotEqual(said, "")

    def test_each(self):
        chance = random.Random()
        for i, name in enumerate(name for name in COMMANDS if name not in LEFT_OUT):
            right = Reference(name, self.inputs, Path("right-" + name))
            self.run_command(name, QUERN_ALLOCATIONS=str(Path("count").resolve()))
            most = int(Path("count").read_text())
            tried = range(1, most + 1) if name in EACH else range(1, FIRST) if i == 0 else []
            for nth in {*tried, *(chance.randint(1, most) for _ in range(self.tries))}:
                self.check(right, nth)


class ManyAllocations(Allocations):
    tier, timeout, tries = "long", 3600, 300


if __name__ == "__main__":
    unittest.main()
