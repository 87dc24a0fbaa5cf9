"""scipy.sparse reads what quern-export writes as .npz, and what it writes is read."""

import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None


@unittest.skipIf(sparse is None, "scipy is not installed")
class TestScipy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, *command):
        return subprocess.run([str(word) for word in command], cwd=self.folder, check=True, capture_output=True,
                              text=True).stdout

    def edges(self, container):
        """The lines of its edge list, sorted."""
        text = self.run_tool("quern-export", "-q", container, "-o", "-")
        return sorted(line for line in text.splitlines() if not line.startswith("#"))

    def test_reads_what_is_written(self):
        self.run_tool("quern-generate", "rmat", "--scale", "10", "--weights", "1,9", "--duplicates", "remove", "-q",
                      "-o", "g.qrn")
        self.run_tool("quern-export", "-q", "g.qrn", "--format", "npz", "-o", "g.npz")
        matrix = sparse.load_npz(self.folder / "g.npz")
        self.assertEqual((matrix.format, matrix.shape), ("csr", (1024, 1024)))
        matrix.check_format(full_check=True)
        coordinates = matrix.tocoo()
        lines = sorted("%d\t%d\t%d" % entry for entry in zip(coordinates.row, coordinates.col, coordinates.data))
        self.assertEqual(lines, self.edges("g.qrn"))

    def test_what_it_writes_is_read(self):
        matrix = sparse.random(300, 300, density=0.02, format="csr", random_state=1)
        matrix.data = (matrix.data * 100).round() / 4 + 0.25
        for name in ("csr", "csc", "coo"):
            for compressed in (False, True):
                with self.subTest(format=name, compressed=compressed):
                    sparse.save_npz(self.folder / "m.npz", matrix.asformat(name), compressed=compressed)
                    self.run_tool("quern-import", "-q", "-f", "m.npz", "-o", "m.qrn")
                    entries = matrix.tocoo()
                    lines = sorted("%d\t%d\t%s" % entry for entry in zip(entries.row, entries.col, entries.data))
                    self.assertEqual(self.edges("m.qrn"), lines)
