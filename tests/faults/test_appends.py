"""Appends that fail, or are ended, in the folder of a set: it is what it was, or has the generation more, and can be appended to."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from faults.campaign import FUNCTIONS, MEMORY, SHIM
from faults.commands import contents
from harness import chance
from harness.tools import run

BIN = Path(os.environ["QUERN_BIN"])


class Appends(unittest.TestCase):
    tier, timeout, tries = "medium", 300, 2

    def setUp(self):
        if BIN.parent.name != "build":
            raise unittest.SkipTest("what is preloaded goes with release programs alone")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        self.chance = random.Random(chance.seed())
        (self.at / "a.csv").write_text("".join("%d %d\n" % (i % 17, i * i % 23) for i in range(200)))
        (self.at / "b.csv").write_text("3 5\n90 4\n")
        run("quern-import", self.at / "a.csv", "-qo", self.at / "base.qrn")
        run("quern-transform", self.at / "base.qrn", "--append", self.at / "b.csv", "-qo", self.at / "first")
        self.before = contents(self.at / "first")

    def start(self, **environment):
        """In the folder of a set, or in a new one."""
        shutil.rmtree(self.at / "now", ignore_errors=True)
        base = self.at / self.chance.choice(("now", "now", "first"))
        if base.name == "now":
            shutil.copytree(self.at / "first", base)
        words = ["quern-transform", base, "--append", self.at / "b.csv", "--remove", self.at / "b.csv", "-qo", self.at / "now"]
        return subprocess.Popen(words, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)

    def judge(self, code, said, codes, leaves):
        self.assertIn(code, codes, said)
        if not (self.at / "now").exists():
            self.assertNotEqual(code, 0, said)
            self.assertTrue(leaves or len(list(self.at.iterdir())) == 4, said)
            return
        found = contents(self.at / "now")
        count = len(json.loads(found["set.json"])["generations"])
        if count == 1:
            self.assertNotEqual(code, 0, said)
            self.assertEqual({name: found.get(name) for name in self.before}, self.before)
            if not leaves:
                self.assertEqual(found, self.before, said)
        else:
            self.assertTrue(code <= 0 or "in place" in said or code == 130, said)
        run("quern-verify", "-q", self.at / "now")
        run("quern-transform", self.at / "now", "--append", self.at / "b.csv", "-qo", self.at / "now")
        run("quern-verify", "-q", self.at / "now")

    def test_faults(self):
        """A call fails, once or for good."""
        for function in FUNCTIONS:
            for n in {self.chance.randint(1, 40) for _ in range(self.tries)}:
                fault = "%s:%d%s" % (function, n, self.chance.choice(("", "+")))
                with self.subTest(fault):
                    process = self.start(LD_PRELOAD=str(SHIM), QUERN_FAULT=fault)
                    said = process.communicate(timeout=60)[1].decode(errors="replace")
                    codes = (0, 2, 3, 5) if function in ("open", "pread", *MEMORY) else (0, 5)
                    self.judge(process.returncode, said, codes, function in ("unlink", "rename", "link", *MEMORY))

    def test_kills(self):
        for _ in range(4 * self.tries):
            process = self.start()
            time.sleep(self.chance.random() * 0.2)
            process.send_signal(self.chance.choice((signal.SIGKILL, signal.SIGTERM)))
            said = process.communicate(timeout=60)[1].decode(errors="replace")
            self.judge(process.returncode, said, (0, 5, 130, -signal.SIGKILL, -signal.SIGTERM), True)


class ManyAppends(Appends):
    tier, timeout, tries = "long", 3600, 30


if __name__ == "__main__":
    unittest.main()
