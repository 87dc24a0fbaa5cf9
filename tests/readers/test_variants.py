"""Every odd file once more, as it comes from elsewhere: packed, with other ends of lines, under another name, cut. What was read
gives the same graph or, where what was changed says what the file is, a refusal; never another graph. What was refused stays so.
Each change is tried with every other file, in tier long with all."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import unittest
import zipfile
from pathlib import Path

from harness.tools import run
from readers.test_odd_files import FILES, expected, graph_of

STEP = 1 if os.environ.get("QUERN_TEST_TIER") == "long" else 2
BOM = b"\xef\xbb\xbf"
IS_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")


def is_text(odd):
    return not odd.content.startswith(IS_PACKED + (b"\xff\xfe", b"\xfe\xff")) and b"\0" not in odd.content


def tar(name, content):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(name, content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


PACKINGS = [
    (".gz", lambda name, content: gzip.compress(content, mtime=0)),
    (".bz2", lambda name, content: bz2.compress(content)),
    (".xz", lambda name, content: lzma.compress(content)),
    (".tar", tar),
    (".zip", zipped),
    (".gz", lambda name, content: gzip.compress(content[:1], mtime=0) + gzip.compress(content[1:], mtime=0)),
]


class Variants(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 600

    def setUp(self):
        self.read = self.refused = 0
        self.files = FILES[len(self.id()) % STEP::STEP]

    def imported(self, odd, name, content):
        """The graph, or None: refused, as it should be done."""
        Path(name).write_bytes(content)
        Path("out.qrn").unlink(missing_ok=True)
        done = run("quern-import", name, "-q", "-o", "out.qrn", *odd.options, exit=(0, 3, 4))
        if done.returncode:
            self.refused += 1
            self.assertIn(name, done.stderr)
            self.assertFalse(Path("out.qrn").exists())
            return None
        self.read += 1
        return graph_of("out.qrn")

    def check(self, odd, name, content, may_be_refused):
        with self.subTest(name, of=odd.name):
            found = self.imported(odd, name, content)
            if odd.refused or (may_be_refused and found is None):
                self.assertIsNone(found)
            else:
                self.assertEqual(found, expected(odd))

    def test_packed(self):
        files = [odd for odd in self.files if is_text(odd)]
        for i, odd in enumerate(files):
            ending, packed = PACKINGS[i % len(PACKINGS)]
            self.check(odd, odd.name + ending, packed(odd.name, odd.content), False)
        self.assertGreater(len(files), 600 / STEP)

    def each(self, change):
        for odd in self.files:
            changed = change(odd) if is_text(odd) else None
            if changed:
                self.check(odd, *changed, True)
        self.assertGreater(self.read, 200 / STEP)
        self.assertGreater(self.refused, 100 / STEP)

    def test_ends_of_lines(self):
        self.each(lambda odd: None if b"\r" in odd.content or b'"' in odd.content else
                  ("crlf-" + odd.name, odd.content.replace(b"\n", b"\r\n")))

    def test_last_line(self):
        """Of nothing at all a line makes an empty list; of one that may be METIS the last line is a vertex."""
        self.each(lambda odd: None if not odd.content or odd.name == "isolated.graph" else
                  ("cut-" + odd.name, odd.content[:-1]) if odd.content.endswith(b"\n") else
                  ("ended-" + odd.name, odd.content + b"\n"))

    def test_mark_of_utf_8(self):
        self.each(lambda odd: None if odd.content.startswith(BOM) else ("bom-" + odd.name, BOM + odd.content))

    def test_blanks_behind(self):
        self.each(lambda odd: None if b"\r" in odd.content or b'"' in odd.content else
                  ("blanks-" + odd.name, odd.content.replace(b"\n", b" \n")))

    def test_empty_lines(self):
        self.each(lambda odd: None if b'"' in odd.content or not odd.content else
                  ("empty-" + odd.name, odd.content + b"\n\n"))

    def test_comment(self):
        """Lists of edges have such lines, and so no list of neighbours, no METIS and no LGL is told behind one."""
        self.each(lambda odd: None if odd.name.endswith((".graph", ".lgl", ".adjlist")) or odd.content.startswith((b"#", BOM)) or
                  not odd.content.strip(b"0 \n") or odd.name == "pointer.txt"
                  else ("comment-" + odd.name, b"# written by a tool\n" + odd.content))

    def test_cut(self):
        """What has an end, or says how much there is."""
        for odd in self.files:
            if is_text(odd) and not odd.refused and (odd.content.startswith((b"<?xml", b"<gra", b"<ge", b"<!", b"%%")) or
                                                     odd.name.endswith((".json", ".cyjs", ".gml"))):
                for part in (0.3, 0.6, 0.9):
                    name = "part-%d-%s" % (100 * part, odd.name)
                    with self.subTest(name):
                        self.imported(odd, name, odd.content[:int(part * len(odd.content))].rsplit(b"\n", 1)[0])
        self.assertLess(self.read, self.refused / 4)

    def test_ending(self):
        self.each(lambda odd: None if odd.refused and ("suggests the format" in odd.refused or odd.name.endswith((".adjlist", ".bin"))) else
                  (odd.name.rsplit(".", 1)[0] + ".unknown", odd.content))


if __name__ == "__main__":
    unittest.main()
