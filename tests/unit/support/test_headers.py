"""Every header compiles alone, as C17 and as C++17."""

import os
import re
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
FOLDERS = ("include", "support", "formats", "converters", "partitioner", "kernels", "runtime", "tools")
LANGUAGES = {
    "C17": [os.environ.get("CC", "cc"), "-xc", "-std=c17", "-Wstrict-prototypes"],
    "C++17": [os.environ.get("CXX", "c++"), "-xc++", "-std=c++17"],
}

A_PROGRAM = '#define QN_KERNEL qn_kernel_alone\n#include "kernels/programs/pagerank.h"\n'


def headers():
    return sorted(path for folder in FOLDERS for path in (SOURCE / folder).glob("**/*.h"))


def is_engine_part(header):
    """A header that only its engine includes, which compiles it with every program."""
    return re.search(r"Part of\s", header.read_text()[:1000]) is not None


class Headers(unittest.TestCase):
    sanitized_tier = "long"

    def compile_text(self, language, text):
        flags = ["-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fopenmp", "-fsyntax-only",
                 "-I", str(SOURCE), "-I", str(SOURCE / "include")]
        text += "int qn_only_header;\n"
        return subprocess.run(LANGUAGES[language] + flags + ["-"], input=text, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def compile(self, language, header):
        """Included twice, so that a missing guard shows too."""
        if is_engine_part(header):
            return subprocess.CompletedProcess([], 0)
        include = '#include "%s"\n' % header.relative_to(SOURCE)
        compiled = self.compile_text(language, include * 2)
        if "include a program" in compiled.stdout:  # part of an engine: says that it goes with a program
            if language == "C++17" and header.parts[-3] == "cpu":
                return subprocess.CompletedProcess([], 0)  # engines on the CPU are C alone
            compiled = self.compile_text(language, A_PROGRAM + include)
        return compiled

    def check_all(self, language):
        self.assertGreater(len(headers()), 5)
        for header in headers():
            with self.subTest(header=str(header.relative_to(SOURCE))):
                compiled = self.compile(language, header)
                self.assertEqual(compiled.returncode, 0, compiled.stdout)

    def test_c17(self):
        self.check_all("C17")

    def test_cxx17(self):
        self.check_all("C++17")
