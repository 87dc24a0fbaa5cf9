"""The worked example in kernels/programs/README.md is the program that is tested, and every engine takes it."""

import os
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
EXAMPLE = SOURCE / "tests/programs/widest.h"


class UserProgram(unittest.TestCase):
    sanitized_tier = "long"

    def test_readme_is_tested(self):
        text = (SOURCE / "kernels/programs/README.md").read_text()
        self.assertEqual(text.split("```c\n")[1].split("```")[0], EXAMPLE.read_text())

    def test_every_engine(self):
        engines = sorted((SOURCE / "kernels/cpu").glob("*/engine.h"))
        self.assertGreater(len(engines), 0)
        for engine in engines:
            text = '#define QN_KERNEL widest_kernel\n#include "%s"\n#include "%s"\n' % (EXAMPLE, engine)
            compiled = subprocess.run([os.environ.get("CC", "cc"), "-xc", "-std=c17", "-D_GNU_SOURCE", "-Wall",
                                       "-Wextra", "-Werror", "-fopenmp", "-fsyntax-only", "-I", str(SOURCE),
                                       "-I", str(SOURCE / "include"), "-"],
                                      input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            with self.subTest(engine=engine.parent.name):
                self.assertEqual(compiled.returncode, 0, compiled.stdout)
