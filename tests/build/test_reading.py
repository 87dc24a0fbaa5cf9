"""How much a reader of one kernel meets: BFS on plain CSR, to its end, as the compiler counts it. The bounds are what
was reached; whoever lowers a count lowers its bound."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
INCLUDES = ["-I" + str(SOURCE), "-I" + str(SOURCE / "include")]


def headers(text, suffix, command):
    """(lines, name) of each of our headers that a generated source includes, by one way or another."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("kernel" + suffix)
        path.write_text(text)
        rule = subprocess.run([*command, "-D_GNU_SOURCE", *INCLUDES, "-MM", str(path)], cwd=SOURCE, check=True, capture_output=True,
                              text=True).stdout
    names = [Path(name).resolve().relative_to(SOURCE.resolve()) for name in rule.replace("\\\n", " ").split()[1:]
             if Path(name).resolve().is_relative_to(SOURCE.resolve())]
    ours = [name for name in names if name.parts[0] != "tests"]
    return sorted((len((SOURCE / name).read_text().splitlines()), str(name)) for name in ours)


def source(engine):
    return ("#define QN_KERNEL qn_kernel_bfs\n#define QN_ALGORITHM qn_algorithm_bfs\n"
            '#include "kernels/programs/bfs.h"\n#include "kernels/%s"\n' % engine)


class Reading(unittest.TestCase):
    def check(self, found, most_headers, most_lines):
        report = "%d headers, %d lines\n" % (len(found), sum(lines for lines, _ in found))
        report += "\n".join("%5d %s" % row for row in found)
        self.assertGreater(len(found), 5, report)
        self.assertLessEqual(len(found), most_headers, report)
        self.assertLessEqual(sum(lines for lines, _ in found), most_lines, report)

    def test_bfs_on_plain_csr_on_the_cpu(self):
        found = headers(source("cpu/csr/engine.h"), ".c", [os.environ.get("CC", "cc"), "-std=gnu17"])
        self.check(found, 26, 2510)
        for name in ("joint.h", "streaming.h", "store.h", "device_run.h", "run_state.h", "registry.h"):
            self.assertNotIn("kernels/" + name, [path for _, path in found])

    def test_bfs_on_plain_csr_on_a_device(self):
        """With the emulator's headers in place of CUDA's."""
        emulator = SOURCE / "tests" / "emulator"
        found = headers(source("cuda/csr/engine.cuh"), ".cu",
                        [os.environ.get("CXX", "c++"), "-x", "c++", "-std=c++17", "-I" + str(emulator / "include"), "-I" + str(SOURCE / "tests")])
        self.check(found, 63, 7838)


if __name__ == "__main__":
    unittest.main()
