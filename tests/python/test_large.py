"""A container of 10 GB is opened in no time, without being read, and its arrays are views of the mapping."""

import os
import tempfile
import time
import unittest
from pathlib import Path

from harness.package import needs, quern
from harness.tools import run

SCALE = 26


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@needs()
class Large(unittest.TestCase):
    tier, sanitized_tier, timeout = "long", "long", 3600

    def test_open(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "g.qrn"
            run("quern-generate", "uniform", "--scale", str(SCALE), "--degree", "18", "--weights", "1,100", "-q", "-o", path)
            size = path.stat().st_size
            self.assertGreater(size, 10**10 >> 26 - SCALE)
            before, times = resident(), []
            for _ in range(5):
                begun = time.perf_counter()
                graph = quern.open(path)
                times.append(time.perf_counter() - begun)
            columns = graph.column_indices
            self.assertEqual(columns.nbytes + graph.weights.nbytes, 8 * graph.num_edges)
            self.assertLess(int(columns[len(columns) // 2]), graph.num_vertices)
            self.assertLess(resident() - before, 32 * 2**20, "it was read")
            maps = [line.split() for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith(str(path))]
            for array in columns, graph.weights, graph.row_offsets:
                at = array.__array_interface__["data"][0]
                self.assertTrue(any(first <= at and at + array.nbytes <= last for first, last in
                                    ([int(end, 16) for end in line[0].split("-")] for line in maps)))
            print("%.2f GB opened in %.2f ms, the first time %.2f ms" % (size / 1e9, 1e3 * min(times), 1e3 * times[0]))
            self.assertLess(min(times), 0.05)


if __name__ == "__main__":
    unittest.main()
