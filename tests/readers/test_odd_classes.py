"""Files of every class of odd_classes.py give the graph that is in them, or are refused with their name and what to look at: the
place, or an option. Where the graph may be meant otherwise there is a warning. Of each class every other file is tried, in tier long
all of them."""

import os
import re
import unittest
from pathlib import Path

from harness.tools import run
from readers.odd_classes import CLASSES
from readers.test_odd_files import expected, graph_of

STEP = 1 if os.environ.get("QUERN_TEST_TIER") == "long" else 2
LOOK_AT = re.compile(r":\d+|--\w|\bbyte \d|damaged|is empty|\.properties, which is not there")


class OfClass:
    tier, sanitized_tier = "medium", "long"
    timeout = 600

    def check(self, odd):
        Path(odd.name).write_bytes(odd.content)
        done = run("quern-import", odd.name, "-q", "-o", "out.qrn", exit=(0, 3, 4, 5))
        if done.returncode:
            self.assertIn(odd.name, done.stderr)
            self.assertRegex(done.stderr, LOOK_AT)
            self.assertTrue(odd.either, done.stderr)
            self.assertFalse(Path("out.qrn").exists())
            self.assertEqual(done.returncode == 5, "a WebGraph is described" in done.stderr)
        elif "warning:" not in done.stderr:
            self.assertIsNone(odd.refused, graph_of("out.qrn"))
            self.assertEqual(graph_of("out.qrn"), expected(odd))

    def test_files(self):
        for odd in CLASSES[type(self).__name__.lower()]()[::STEP]:
            with self.subTest(odd.name):
                try:
                    self.check(odd)
                finally:
                    Path("out.qrn").unlink(missing_ok=True)
                    Path(odd.name).unlink(missing_ok=True)


class Headers(OfClass, unittest.TestCase):
    pass


class Ends(OfClass, unittest.TestCase):
    pass


class Names(OfClass, unittest.TestCase):
    pass


class Packings(OfClass, unittest.TestCase):
    pass


class Counts(OfClass, unittest.TestCase):
    pass


class Ids(OfClass, unittest.TestCase):
    pass


class Weights(OfClass, unittest.TestCase):
    pass


class Escapes(OfClass, unittest.TestCase):
    pass


class Broken(OfClass, unittest.TestCase):
    pass


class Corpus(unittest.TestCase):
    def test_it_is_large(self):
        files = {name: make() for name, make in CLASSES.items()}
        self.assertEqual({name.lower() for name in globals() if name in ("Headers", "Ends", "Names", "Packings", "Counts", "Ids", "Weights",
                                                                         "Escapes", "Broken")}, set(files))
        self.assertGreater(sum(len(each[::2]) for each in files.values()), 1500)
        for name, each in files.items():
            names = [odd.name for odd in each]
            self.assertEqual(len(names), len(set(names)), name)


if __name__ == "__main__":
    unittest.main()
