"""Symbols of all libraries together: none is defined twice, and none of a thread's own needs static storage."""

import os
import shutil
import subprocess
import unittest
from collections import defaultdict
from pathlib import Path

BIN = Path(os.environ["QUERN_BIN"])


def build_folder():
    """Where the build keeps what these tools were made of."""
    return BIN.parent / "release" if BIN.parent.name == "build" else BIN.parent


def definitions(library):
    """The external symbols that the objects of a library define; not those that several may define: inline functions
    of C++, and OpenMP's names of critical sections."""
    listed = subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix", library], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    for line in listed.splitlines():
        fields = line.split()
        if len(fields) >= 2 and fields[1] not in "CVWuvw":
            yield fields[0]


class Symbols(unittest.TestCase):
    tier, sanitized_tier = "short", "long"

    def test_none_is_defined_twice(self):
        libraries = sorted(path for path in build_folder().glob("*/lib*.a") if path.parent.name != "tests" and
                           path.name not in ("libquern.a", "libqn_kernels_cpu.a", "libqn_kernels_demo.a"))  # made of others
        if not libraries or not shutil.which("nm"):
            self.skipTest("no libraries beside these tools, or no nm")
        found = defaultdict(list)
        for library in libraries:
            for symbol in definitions(library):
                found[symbol].append(library.name)
        self.assertGreater(len(found), 500)
        self.assertEqual({symbol: names for symbol, names in found.items() if len(names) > 1}, {})


class ThreadLocals(unittest.TestCase):
    tier, sanitized_tier = "short", "long"

    def test_none_takes_room_that_is_scarce(self):
        """What asks for static TLS cannot be loaded by a process, such as a Python with many modules, that has none left."""
        libraries = sorted((BIN.parent / "lib").glob("lib*.so.*"))
        if not libraries or not shutil.which("readelf"):
            self.skipTest("no shared libraries beside these tools, or no readelf")
        for library in libraries:
            flags = subprocess.run(["readelf", "-d", library], check=True, stdout=subprocess.PIPE, text=True).stdout
            self.assertNotIn("STATIC_TLS", flags, library.name)
