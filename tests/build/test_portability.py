"""What other processors than x86-64 are told: a little-endian one builds (bootstrap does so), a big-endian one is refused."""

import os
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])


class BigEndian(unittest.TestCase):
    sanitized_tier = "long"

    def test_is_refused_by_name(self):
        compiled = subprocess.run(
            [os.environ.get("CC", "cc"), "-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__", "-D_GNU_SOURCE", "-w",
             "-I", SOURCE, "-I", SOURCE / "include", "-fsyntax-only", SOURCE / "formats/container/container.c"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertNotEqual(compiled.returncode, 0)
        self.assertIn("containers are little-endian", compiled.stdout)
