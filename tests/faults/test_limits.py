"""Every tool within narrow limits: what it gives is right, or it says by its exit code that there is nothing."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from faults.commands import COMMANDS, Reference, contents, make_inputs, timeless, words_of


class Limits(unittest.TestCase):
    tier, timeout, sanitized_tier = "medium", 300, "long"

    @classmethod
    def setUpClass(cls):
        cls.inputs = Path("inputs").resolve()
        cls.inputs.mkdir()
        make_inputs(cls.inputs)
        cls.references = {name: Reference(name, cls.inputs, Path("right-" + name)) for name in COMMANDS}

    def check(self, before, codes, stdout=subprocess.PIPE, env={}, of=COMMANDS):
        """Run all commands after the shell has done `before`: the exit code is 0, or one of `codes`; with 0 the output
        is right, else there is none."""
        ended = {}
        for name in of:
            right, folder = self.references[name], Path("limited")
            with self.subTest(name, before=before):
                folder.mkdir()
                finished = subprocess.run(["bash", "-c", before + '; exec "$@" ' + self.closed, "-"]
                                          + words_of(name, self.inputs), cwd=folder, stdout=stdout,
                                          stderr=subprocess.PIPE, env=dict(os.environ, **env))
                found = contents(folder)
                shutil.rmtree(folder)
                said = finished.stderr.decode(errors="replace")
                self.assertIn(finished.returncode, (0, *codes), said)
                ended[finished.returncode] = ended.get(finished.returncode, 0) + 1
                if finished.returncode == 0:
                    self.assertEqual(found, right.files)
                    if stdout == subprocess.PIPE and "1>" not in self.closed:
                        self.assertEqual(timeless(finished.stdout), timeless(right.stdout))
                else:
                    self.assertEqual(found, {}, said)
                    self.assertTrue(said or self.closed)
        return ended

    closed = ""

    def test_small_stacks_of_threads(self):
        for size in ("64k", "128k"):
            self.check("true", (), env={"OMP_STACKSIZE": size})

    def test_a_small_stack(self):
        self.check("ulimit -s 256", ())

    def test_closed_descriptors(self):
        for self.closed in ("<&-", "2>&-", "<&- 2>&-"):
            self.check("true", ())

    def test_few_descriptors(self):
        """From what a process needs for its libraries."""
        seen = {}
        for most in (4, 5, 6, 8, 12):
            seen.update(self.check("ulimit -n %d" % most, (5,)))
        self.assertEqual(sorted(seen), [0, 5])

    def test_a_full_disk(self):
        """Writing beyond some size fails."""
        writing = [name for name, (_, output) in COMMANDS.items() if output]
        seen = {}
        for blocks in (0, 1, 2):
            seen.update(self.check("ulimit -f %d" % blocks, (5,), of=writing))
        self.assertIn(5, seen)

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small file system")
    def test_a_small_file_system(self):
        """The output's own file system is full, after every so many pages."""
        mounted = Path("small-disk").resolve()
        mounted.mkdir()
        writing = [name for name, (_, output) in COMMANDS.items() if output]
        seen = set()
        for name in writing:
            right = self.references[name]
            need = sum(len(content) for content in right.files.values()) // 4096
            for pages in sorted({1, 2, 3, need // 2, need, need + 1, need + 2, need + 16}):
                with self.subTest(name, pages=pages):
                    seen.add(self.run_on_small(mounted, name, right, max(pages, 1)))
        self.assertEqual(sorted(seen), [0, 5])

    def run_on_small(self, mounted, name, right, pages):
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % (4096 * pages), "tmpfs", mounted],
                              capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest(made.stderr.strip())
        try:
            finished = subprocess.run(words_of(name, self.inputs), cwd=mounted, capture_output=True)
            self.assertIn(finished.returncode, (0, 5), finished.stderr)
            self.assertEqual(contents(mounted), right.files if finished.returncode == 0 else {}, finished.stderr)
            return finished.returncode
        finally:
            subprocess.run(["umount", mounted], check=True)

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small file system")
    def test_a_small_file_system_in_memory(self):
        """Large sections are taken page by page there, by all threads: too few pages are an error, not a signal."""
        generate = ["quern-generate", "uniform", "--scale", "18", "--quiet", "-T", "3", "-o"]
        subprocess.run(generate + ["on-disk"], check=True)
        mounted = Path("memory").resolve()
        mounted.mkdir()
        for mebibytes, code in ((1, 5), (3, 5), (8, 5), (17, 5), (19, 0)):
            made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dm" % mebibytes, "tmpfs", mounted],
                                  capture_output=True, text=True)
            if made.returncode != 0:
                self.skipTest(made.stderr.strip())
            try:
                finished = subprocess.run(generate + [mounted / "graph"], capture_output=True, text=True)
                self.assertEqual(finished.returncode, code, finished.stderr)
                if code == 0:
                    self.assertEqual((mounted / "graph").read_bytes(), Path("on-disk").read_bytes())
                else:
                    self.assertIn("cannot reserve", finished.stderr)
                    self.assertEqual(list(mounted.iterdir()), [])
            finally:
                subprocess.run(["umount", mounted], check=True)

    def test_nobody_takes_what_is_printed(self):
        printing = [name for name, (_, output) in COMMANDS.items() if not output and name != "compare"]
        with open("/dev/full", "w") as full:
            ended = self.check("true", (5,), stdout=full, of=printing)
        self.assertEqual(set(ended), {5})

    @unittest.skipUnless(shutil.which("localedef"), "localedef is not installed")
    def test_a_decimal_comma(self):
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", "./de_DE.UTF-8"], capture_output=True)
        if not Path("de_DE.UTF-8").is_dir():
            self.skipTest(made.stderr.decode(errors="replace").strip() or "localedef makes no locale")
        self.check("true", (), env={"LOCPATH": os.getcwd(), "LC_ALL": "de_DE.UTF-8"})


if __name__ == "__main__":
    unittest.main()
