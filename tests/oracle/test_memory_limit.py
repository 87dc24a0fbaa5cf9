"""--memory and --tmpdir: the same bytes, within the memory, and nothing left behind."""
import filecmp
import os
import resource
import signal
import subprocess
import time
import unittest
from pathlib import Path

BIN = Path(os.environ["QUERN_BIN"])
SANITIZED = "asan" in str(BIN)
THREADS = "-T2"  # each takes buffers out of --memory


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def tool(name, *arguments, **options):
    return run(BIN / name, *arguments, "-f", **options)


class SameBytes(unittest.TestCase):
    """Whatever is asked for: as in memory."""
    tier, sanitized_tier = "medium", "long"
    timeout = 600

    def same(self, memory, name, *arguments):
        with self.subTest(command=" ".join([name, *map(str, arguments)]), memory=memory):
            expected = tool(name, *arguments, "-o", "expected.qrn", "-q")
            found = tool(name, *arguments, "-o", "found.qrn", "--memory", memory, "--tmpdir", ".", THREADS)
            self.assertEqual(expected.returncode, found.returncode, found.stderr)
            if expected.returncode == 0:
                self.assertIn("estimate:", found.stderr)
                self.assertTrue(filecmp.cmp("expected.qrn", "found.qrn", shallow=False))

    def test_generate(self):
        for model in ("rmat", "uniform", "grid"):
            for options in ((), ("--undirected", "--duplicates=remove", "--self-loops=remove"),
                            ("--weights=1,9", "--duplicates=sum", "--transpose=also"),
                            ("--weights=0.0,1.0", "--duplicates=sum", "--undirected"),
                            ("--weights=1,9", "--undirected", "--self-loops=remove")):
                self.same("10M", "quern-generate", model, "--scale=16", "--degree=8", *options)

    def test_import(self):
        text = tool("quern-generate", "rmat", "--scale=14", "--weights=0.5,2.5", "--format=edges", "-o", "weighted.txt")
        self.assertEqual(text.returncode, 0, text.stderr)
        lines = [line.split() for line in Path("weighted.txt").read_text().splitlines()]
        variants = {
            "plain.txt": (f"{u} {v}" for u, v, _ in lines),
            "sorted.txt": (f"{u} {v}" for u, v in sorted((int(u), int(v)) for u, v, _ in lines)),
            "scattered.txt": (f"{int(u) * 281474976710597} {int(v) * 281474976710597} {w}" for u, v, w in lines),
            "far.txt": (f"{int(u) * 1000003} {v} {w}" for u, v, w in lines),
            "named.txt": (f"v{u} v{v} {w}" for u, v, w in lines),
        }
        for name, content in variants.items():
            Path(name).write_text("\n".join(content) + "\n")
        for name in ("weighted.txt", *variants):
            merging = "remove" if name in ("plain.txt", "sorted.txt") else "sum"
            for options in ((), ("--undirected", f"--duplicates={merging}"), ("--transpose=also", "--self-loops=remove")):
                self.same("12M", "quern-import", name, *options)
        self.same("12M", "quern-import", "plain.txt", "--ids=keep")
        self.same("12M", "quern-import", "plain.txt", "--ids=compact", "--duplicates=remove")
        self.same("12M", "quern-import", "weighted.txt", "--weights=none", "--duplicates=remove")
        self.same("12M", "quern-import", "weighted.txt", "scattered.txt", "--duplicates=min")
        self.same("12M", "quern-import", "named.txt", "named.txt", "--duplicates=sum")
        self.same("12M", "quern-import", "scattered.txt", "--ids=keep")
        self.same("12M", "quern-import", "weighted.txt", "--weights=u32")
        run("gzip", "-k", "plain.txt")
        self.same("48M", "quern-import", "plain.txt.gz")

    def test_binary_formats(self):
        clean = ("--self-loops=remove", "--duplicates=remove")
        for name, options in (("directed", ("--weights=1,9", *clean)), ("undirected", ("--undirected", *clean))):
            made = tool("quern-generate", "rmat", "--scale=15", *options, "-o", f"{name}.qrn")
            self.assertEqual(made.returncode, 0, made.stderr)
            for form in ("npy", "npz", "gapbs", "galois", "matrix-market", "metis", "dimacs", "adjacency"):
                file = f"{name}.{form}"
                if tool("quern-export", f"{name}.qrn", f"--format={form}", "-o", file).returncode == 0:
                    self.same("48M" if form == "npz" else "12M", "quern-import", file, f"--format={form}")
        for record in ("u32", "u64,u32", "u32,f32,big", "packed"):
            made = tool("quern-export", "directed.qrn", "--format=pairs", f"--record={record}", "-o", "directed.pairs")
            self.assertEqual(made.returncode, 0, made.stderr)
            for options in ((), clean, ("--undirected", "--duplicates=remove"), ("--vertices=32768",)):
                self.same("12M", "quern-import", "directed.pairs", "--format=pairs", f"--record={record}", *options)

    def test_transforms_and_builders(self):
        graphs = {"weighted": ("--weights=1,9",), "plain": (), "undirected": ("--undirected",)}
        for name, options in graphs.items():
            made = tool("quern-generate", "rmat", "--scale=15", *options, "-o", f"{name}.qrn")
            self.assertEqual(made.returncode, 0, made.stderr)
            for transform in (("--relabel=degree",), ("--relabel=random", "--transpose", "--remove-self-loops"),
                              ("--symmetrize", "--remove-duplicates", "--random-weights=1,9,1"),
                              ("--symmetrize", "--remove-duplicates", "--relabel=degree", "--in-edges=also")):
                self.same("16M", "quern-transform", f"{name}.qrn", *transform)
            if name == "undirected":
                continue
            for builder in ("quern-block", "quern-page", "quern-partition", "quern-shard", "quern-hybrid", "quern-pack"):
                self.same("16M", builder, f"{name}.qrn")
            built = tool("quern-block", f"{name}.qrn", "-o", "blocked.qrn")
            self.assertEqual(built.returncode, 0, built.stderr)
            self.same("16M", "quern-transform", "blocked.qrn", "--symmetrize")


def resident(pid):
    """Bytes that are no file's."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


@unittest.skipIf(SANITIZED, "a sanitizer takes memory of its own")
class Resident(unittest.TestCase):
    """Never more than was allowed."""
    tier = "medium"
    timeout = 600

    def peak(self, name, *arguments):
        process = subprocess.Popen([str(BIN / name), *arguments, "-f", "-q", "-T2"], stdout=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, resident(process.pid))
            time.sleep(0.002)
        self.assertEqual(process.returncode, 0)
        return peak

    def check(self, memory, name, *arguments):
        with self.subTest(command=" ".join([name, *arguments])):
            allowed = memory << 20
            peak = self.peak(name, *arguments, f"--memory={memory}M", THREADS)
            self.assertLessEqual(peak, allowed)
            self.assertGreater(peak, 0)

    def test_all(self):
        self.check(24, "quern-generate", "rmat", "--scale=19", "--transpose=also", "-o", "g.qrn")
        self.check(24, "quern-generate", "rmat", "--scale=18", "--undirected", "--weights=1,9", "--duplicates=sum",
                   "-o", "u.qrn")
        text = tool("quern-generate", "rmat", "--scale=18", "--format=edges", "-o", "g.txt")
        self.assertEqual(text.returncode, 0)
        self.check(24, "quern-import", "g.txt", "-o", "i.qrn")
        self.check(48, "quern-transform", "g.qrn", "--symmetrize", "--relabel=degree", "-o", "t.qrn")
        for builder in ("quern-block", "quern-page", "quern-partition", "quern-shard", "quern-hybrid", "quern-pack"):
            plain = tool("quern-transform", "g.qrn", "--in-edges=no", "-o", "plain.qrn")
            self.assertEqual(plain.returncode, 0)
            self.check(24, builder, "plain.qrn", "-o", "b.qrn")


class NothingLeft(unittest.TestCase):
    """However a run ends."""
    tier = "medium"

    def spilling(self):
        """A run that has begun to write temporary files."""
        Path("tmp").mkdir(exist_ok=True)
        process = subprocess.Popen([str(BIN / "quern-generate"), "rmat", "--scale=23", "--memory=16M", "--tmpdir=tmp", THREADS,
                                    "-o", "g.qrn", "-q"])
        folder = str(Path("tmp").resolve())
        for _ in range(2000):
            for link in Path(f"/proc/{process.pid}/fd").iterdir():
                try:
                    if os.readlink(link).startswith(folder) and os.stat(link).st_size > 1 << 20:
                        return process
                except OSError:
                    pass
            time.sleep(0.005)
        process.kill()
        self.fail("no temporary file came")
        return None

    def check(self, number, status):
        process = self.spilling()
        self.assertEqual(list(Path("tmp").iterdir()), [])
        process.send_signal(number)
        self.assertEqual(process.wait(), status)
        self.assertEqual(list(Path("tmp").iterdir()), [])
        self.assertEqual(list(Path(".").glob("g.qrn*")), [])

    def test_signals(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)):
            self.check(number, status)

    def test_full_disk(self):
        """A limit of file sizes stands for it."""
        Path("tmp").mkdir(exist_ok=True)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (12 << 20, 12 << 20))

        run_ = tool("quern-generate", "rmat", "--scale=19", "--memory=16M", "--tmpdir=tmp", THREADS, "-o", "g.qrn",
                    preexec_fn=limit)
        self.assertEqual(run_.returncode, 5, run_.stderr)
        self.assertRegex(run_.stderr, r"tmp: cannot write temporary data beyond .*--tmpdir")
        self.assertEqual(list(Path("tmp").iterdir()), [])
        self.assertEqual(list(Path(".").glob("g.qrn*")), [])

    def test_no_room(self):
        """More than there is on any disk is refused before work begins."""
        run_ = tool("quern-generate", "rmat", "--scale=31", "--degree=100", "--memory=8G", "-o", "g.qrn")
        self.assertEqual(run_.returncode, 5, run_.stderr)
        self.assertRegex(run_.stderr, r"will take about [0-9.]+ TiB, but only [0-9.]+ .iB are free")
        self.assertEqual(list(Path(".").glob("g.qrn*")), [])


if __name__ == "__main__":
    unittest.main()
