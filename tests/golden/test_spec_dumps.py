"""The hex dumps in specs/*.md are the bytes of the vectors they name.

A dump is a fenced block whose info string is `hex FILE` (FILE relative to specs/), with
lines like `00000040  01 02 03  what they mean`: at most 16 bytes a line, two spaces
before the explanation."""

import glob
import os
import re
import unittest

SPECS = os.path.join(os.environ["QUERN_SOURCE"], "specs")
LINE = re.compile(r"^([0-9a-f]{8})((?: +[0-9a-f]{2})+)(?:  .*)?$")


def dumps(text):
    """(file, lines) of every dump in a page."""
    for block in re.finditer(r"^```hex (\S+)\n(.*?)^```$", text, re.M | re.S):
        yield block.group(1), [line for line in block.group(2).splitlines() if line.strip()]


class SpecDumps(unittest.TestCase):
    def test_every_dump_is_of_its_vector(self):
        found = 0
        for page in sorted(glob.glob(os.path.join(SPECS, "*.md"))):
            with open(page, encoding="utf-8") as file:
                text = file.read()
            for name, lines in dumps(text):
                with open(os.path.join(SPECS, name), "rb") as file:
                    vector = file.read()
                for line in lines:
                    match = LINE.match(line)
                    where = "%s: %r" % (os.path.basename(page), line)
                    self.assertIsNotNone(match, where)
                    offset = int(match.group(1), 16)
                    expected = bytes.fromhex(match.group(2))
                    self.assertEqual(vector[offset:offset + len(expected)], expected, where)
                    found += len(expected)
        self.assertGreater(found, 100)

    def test_every_vector_is_explained(self):
        text = ""
        for page in glob.glob(os.path.join(SPECS, "*.md")):
            with open(page, encoding="utf-8") as file:
                text += file.read()
        for vector in glob.glob(os.path.join(SPECS, "vectors", "*.qrn")):
            self.assertIn("vectors/" + os.path.basename(vector), text)
