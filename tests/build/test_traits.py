"""The contract of programs (kernels/programs/program.h): how many traits it has, and that programs keep to it."""

import os
import re
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["QUERN_SOURCE"]) / "kernels" / "programs"
NOT_PROGRAMS = {"algorithm", "complete", "context", "describe", "half", "program"}
MOST = 25


def documented():
    """Those that have a row of their own."""
    text = (PROGRAMS / "program.h").read_text()
    return set(re.findall(r"^ \*   (PROGRAM_\w+)", text, re.MULTILINE))


class Traits(unittest.TestCase):
    def test_they_are_few(self):
        self.assertLessEqual(len(documented()), MOST, sorted(documented()))

    def test_programs_claim_what_is_documented(self):
        for path in sorted(PROGRAMS.glob("*.h")):
            if path.stem not in NOT_PROGRAMS:
                claimed = set(re.findall(r"^#define (PROGRAM_\w+)", path.read_text(), re.MULTILINE))
                self.assertLessEqual(claimed, documented(), path.name)

    def test_what_is_documented_is_claimed(self):
        claimed = set()
        for path in PROGRAMS.glob("*.h"):
            if path.stem not in NOT_PROGRAMS:
                claimed |= set(re.findall(r"^#define (PROGRAM_\w+)", path.read_text(), re.MULTILINE))
        self.assertEqual(documented() - claimed, set())


if __name__ == "__main__":
    unittest.main()
