"""Files that 1.0 writes, byte for byte: what a later version reads is tried on these very files, so nobody may change them.

frozen.txt has the SHA-256 of each. A file that is new is added, and so is one for each version that writes something else:
tests/golden/test_frozen.py --write, which never puts a new sum in the place of another."""

import hashlib
import os
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("QUERN_SOURCE", Path(__file__).resolve().parents[2]))
FROZEN = SOURCE / "tests/golden/frozen.txt"


def sums():
    """Of all golden files and vectors, by their paths."""
    files = [path for folder in ("tests/golden", "specs/vectors") for path in (SOURCE / folder).rglob("*")
             if path.is_file() and path.suffix not in (".py", ".pyc", ".txt", ".md") and "negative" not in path.parts]
    return {path.relative_to(SOURCE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def frozen():
    return dict(reversed(line.split("  ")) for line in FROZEN.read_text().splitlines()) if FROZEN.exists() else {}


class Frozen(unittest.TestCase):
    def test_nothing_has_changed(self):
        expected, found = frozen(), sums()
        self.assertGreater(len(expected), 30)
        for path, sum in expected.items():
            with self.subTest(path):
                self.assertEqual(found.get(path), sum)
        self.assertEqual(sorted(set(found) - set(expected)), [], "tests/golden/test_frozen.py --write lists them")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        unittest.main()
    written = {**sums(), **frozen()}
    FROZEN.write_text("".join("%s  %s\n" % (written[path], path) for path in sorted(written)))
