"""An algorithm is one object: in a copy of the source one new file makes one, with its options, help and signature."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
BIN = Path(os.environ["QUERN_BIN"])

DECLARED = """
#define PROGRAM_PARAMETERS(_)                                                                      \\
  _(WHOLE, least, "WIDTH", 0, 0, 9, QN_RANGE_CLOSED, NULL, "Leave out narrower edges")             \\
  _(CHOICE, ends, NULL, 0, 0, 1, QN_RANGE_CLOSED, "open|closed", "Whether ends count")
PROGRAM_ENUMERATE(PROGRAM_PARAMETERS);
"""


class NewAlgorithm(unittest.TestCase):
    tier, sanitized_tier, timeout = "medium", "long", 300

    def setUp(self):
        if BIN != SOURCE / "build/bin" or not shutil.which("scons"):
            self.skipTest("these tools were not built in the source, or there is no scons")
        scratch = tempfile.TemporaryDirectory(dir=SOURCE / "build")  # to share what was built by links
        self.addCleanup(scratch.cleanup)
        self.copy = Path(scratch.name) / "quern"
        listed = subprocess.run(["git", "-C", SOURCE, "ls-files"], check=True, capture_output=True, text=True).stdout
        for name in listed.splitlines():
            (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, self.copy / name, follow_symlinks=False)
        (self.copy / "build").mkdir()
        for name in ("release", "bin", "lib", "configure"):
            if (SOURCE / "build" / name).exists():
                subprocess.run(["cp", "-al", SOURCE / "build" / name, self.copy / "build" / name], check=True)
        for path in (SOURCE / "build").glob(".sconsign*"):
            shutil.copy2(path, self.copy / "build")

    def test_one_file_is_enough(self):
        text = (SOURCE / "tests/programs/widest.h").read_text()
        text = text.replace("#define PROGRAM_NEEDS_SOURCE 1\n", "#define PROGRAM_NEEDS_SOURCE 1\n" + DECLARED)
        text = text.replace("return width < capacity", "return capacity < program_whole(context, least) ? 0 : width < capacity")
        (self.copy / "kernels/programs/widest.h").write_text(text)
        options = (SOURCE / "build/release/options").read_text().split("\n")[:-1]
        built = subprocess.run(["scons", "-Q", *options, "cuda=no", "build/bin/quern-run"], cwd=self.copy, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        self.assertEqual(built.returncode, 0, built.stdout[-4000:])
        compiled = [line for line in built.stdout.splitlines() if " -c " in line]
        self.assertLess(len(compiled), 20, "nothing else is compiled again")
        tool = self.copy / "build/bin/quern-run"
        help_text = subprocess.run([tool, "widest", "--help"], check=True, capture_output=True, text=True).stdout
        for option in ("--least=WIDTH", "--ends=open|closed", "--source=ID"):
            self.assertIn(option, help_text)
        listed = json.loads(subprocess.run([tool, "--list", "--json"], check=True, capture_output=True, text=True).stdout)
        self.assertEqual([each["name"] for algorithm in listed["algorithms"] if algorithm["name"] == "widest"
                          for each in algorithm["parameters"]], ["least", "ends", "iterations"])
        said = subprocess.run([tool, "widest", "none.qrn", "--least=10"], capture_output=True, text=True)
        self.assertIn("--least: '10' is not an integer from 0 to 9", said.stderr)


if __name__ == "__main__":
    unittest.main()
