"""bench/programs/packed_decoding.cu: decodes what a CPU decodes."""

import json
import os
import subprocess
import unittest
from pathlib import Path

TOOLS = Path(os.environ["QUERN_BIN"])
PROGRAM = TOOLS.parent / "emulator/bin/packed-decoding"


def run(*words):
    return subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True).stdout


@unittest.skipUnless(PROGRAM.exists(), "no emulator; run scons emulated-tests")
class Decoding(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"

    def test_columns_are_right(self):
        run(TOOLS / "quern-generate", "rmat", "--scale=12", "--degree=4", "-qo", "graph.qrn")
        for options in ([], ["--direction=in"]):
            with self.subTest(options=options):
                run(TOOLS / "quern-pack", "graph.qrn", "-qfo", "packed.qrn", *options)
                figures = json.loads(run(PROGRAM, "packed.qrn", 1))
                self.assertTrue(figures["right"])
                self.assertEqual(figures["edges"], 4 << 12)


if __name__ == "__main__":
    unittest.main()
