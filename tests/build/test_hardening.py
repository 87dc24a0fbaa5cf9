"""Release programs are built so that a mistake ends them: the ELF headers say how."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

BIN = Path(os.environ["QUERN_BIN"])


SOURCE = Path(os.environ["QUERN_SOURCE"])


class Stacks(unittest.TestCase):
    """Threads' stacks may be small: what grows with a graph is not on them. (-Wvla refuses arrays of variable length.)"""

    def test_no_reduction_copies_an_array(self):
        listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "*.c", "*.h", "*.cpp", "*.cu", "*.cuh"], check=True,
                                capture_output=True, text=True).stdout.split()
        for path in listed:
            text = (SOURCE / path).read_text().replace("\\\n", " ")
            self.assertNotRegex(text, r"#pragma omp.*reduction\s*\([^)]*\[", path)


class Hardening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if BIN.parent.name != "build":
            raise unittest.SkipTest("these are no release programs")
        if not shutil.which("readelf"):
            raise unittest.SkipTest("readelf is not installed")

        cls.tools = sorted(path for path in BIN.iterdir() if path.name.startswith("quern"))

    def each(self, options, *patterns):
        """What readelf says of each tool must match."""
        self.assertGreater(len(self.tools), 10)
        for tool in self.tools:
            said = subprocess.run(["readelf", *options, tool], check=True, capture_output=True, text=True).stdout
            for pattern in patterns:
                with self.subTest(tool.name, pattern=pattern):
                    self.assertRegex(said, pattern)

    def test_they_lie_anywhere_in_memory(self):
        self.each(["-hW"], r"Type: +DYN")

    def test_their_tables_of_functions_cannot_be_written(self):
        self.each(["-lW"], "GNU_RELRO")
        self.each(["-dW"], r"\bNOW\b")

    def test_no_stack_is_executable(self):
        self.each(["-lW"], r"GNU_STACK .* RW +0x")

    def test_the_checks_of_the_compiler_are_in(self):
        self.each(["--dyn-syms", "-W"], "__stack_chk_fail", r"__[a-z]+printf_chk")


if __name__ == "__main__":
    unittest.main()
