"""gcc's static analyser on the code that meets files of others: what it finds is mended, or excused here with the reason."""

import os
import re
import shutil
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
FOLDERS = ("support", "formats", "converters")
# It does not see what memcpy() of a few bytes sets; -Wall at -O3 and the sanitizers do.
OFF = ("use-of-uninitialized-value",)
FOUND = re.compile(r"^(\S+?):\d+:\d+: warning: .* \[-Wanalyzer-([\w-]+)\]$", re.M)
EXCUSED = {
    ("converters/edges/id_sets.h", "null-dereference"): "where a run is NULL it is of no ids",
    ("support/input/block_hash.c", "shift-count-overflow"): "lanes of a vector have 64 bits, not 3",
    ("converters/parse/text_lines.c", "null-argument"): "qn_realloc has set it, by memcpy()",
    ("converters/distributed/parts.c", "malloc-leak"): "names of files are freed with the set",
    ("formats/bundle/read.c", "malloc-leak"): "what the bundle's record points at is freed with it",
    ("converters/properties/arrays.c", "malloc-leak"): "the name of the source's file is freed with the source",
    ("support/atomic_file.c", "malloc-leak"): "what the file's record points at is freed with it",
    ("formats/set/types.c", "malloc-leak"): "names of types are freed with the set",
    ("converters/changes/generation.c", "malloc-leak"): "names of files are freed with the set",
    ("converters/typed/assemble.c", "malloc-leak"): "names of types are freed with the set",
    ("converters/typed/edges.c", "malloc-leak"): "names of types are freed with their list",
    ("converters/typed/vertices.c", "malloc-leak"): "names of types are freed with their list",
    ("converters/typed/ldbc.c", "malloc-leak"): "names of types are freed with their list",
    ("converters/elements/literals.c", "malloc-leak"): "names of properties are freed with their list",
    ("formats/archive/frames_write.c", "null-dereference"): "the filter of rows applies to strips alone",
    ("converters/typed/tables.c", "malloc-leak"): "texts are freed with their list",
    ("formats/properties/gather.c", "null-dereference"): "the first of the tables has the column that is looked for",
    ("converters/arrays/bit_reader.h", "shift-count-overflow"): "the k of zeta is 1 to 63",
}


def analyse(path):
    command = ["gcc", "-std=c17", "-D_GNU_SOURCE", "-I.", "-Iinclude", "-fopenmp", "-O0", "-fanalyzer", "-c", str(path),
               "-o", "/dev/null", *("-Wno-analyzer-" + name for name in OFF)]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return path, done.returncode, done.stderr


class Analysis(unittest.TestCase):
    tier = "long"
    timeout = 600

    def test_it_finds_nothing(self):
        if not shutil.which("gcc") or "fanalyzer" not in subprocess.run(["gcc", "--help=common"], capture_output=True,
                                                                        text=True).stdout:
            self.skipTest("no gcc with -fanalyzer")
        paths = [path.relative_to(SOURCE) for folder in FOLDERS for path in sorted((SOURCE / folder).glob("**/*.c"))]
        self.assertGreater(len(paths), 150)
        with ThreadPoolExecutor(2) as pool:
            for path, code, said in pool.map(analyse, paths):
                self.assertEqual(code, 0, said)
                for file, kind in FOUND.findall(said):
                    place = (os.path.normpath(file), kind)
                    with self.subTest(place):
                        self.assertIn(place, EXCUSED, said[:4000])
