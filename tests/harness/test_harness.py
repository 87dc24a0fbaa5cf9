"""Tests of the harness itself: what must fail fails, what must pass passes, and the counts are right."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import python_classes, tap
from harness.outcome import FAILED, PASSED, SKIPPED
from harness.process import Finished

HERE = Path(os.environ["QUERN_SOURCE"]) / "tests/harness"


def run_harness(folder, *options, **more):
    return subprocess.run([sys.executable, str(HERE.parent / "run.py"), "--tests", str(folder), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


class Harness(unittest.TestCase):
    sanitized_tier = "long"

    def last_line(self, finished):
        return finished.stdout.splitlines()[-1]

    def test_passing_fixtures(self):
        finished = run_harness(HERE / "fixtures/passing")
        self.assertEqual(self.last_line(finished), "4 passed, 0 failed, 2 skipped", finished.stdout)
        self.assertEqual(finished.returncode, 0)
        self.assertIn("skipped 1 test: program a-program-that-nobody-has is not installed\n"
                      "        | cli/skipped\n", finished.stdout)
        self.assertIn("skipped 1 test: for a reason\n        | test_points/Points: test_skips\n", finished.stdout)
        self.assertIn("left out: 2 jobs of tier long", finished.stdout)

    def test_in_the_background(self):
        def ignore_interrupts():
            signal.signal(signal.SIGINT, signal.SIG_IGN)

        finished = run_harness(HERE / "fixtures/passing", "-k", "interrupt", preexec_fn=ignore_interrupts)
        self.assertEqual(self.last_line(finished), "2 passed, 0 failed, 0 skipped", finished.stdout)

    def test_every_failing_fixture_fails(self):
        """All are counted, none passes but the first half of a class that then dies, and the canary."""
        finished = run_harness(HERE / "fixtures/failing", "-v")
        scripts = sorted(path.stem for path in (HERE / "fixtures/failing/cli").glob("*.test"))
        failed = re.findall(r"^FAILED  (.*)$", finished.stdout, re.MULTILINE)
        self.assertEqual(sorted(name[4:] for name in failed if name.startswith("cli/")), scripts)
        self.assertEqual(sum(name.startswith("test_points/Asserts") for name in failed), 4, failed)
        for name in ("test_points/Dies", "test_broken_import", "test_nothing", "unit/test_never_built"):
            self.assertIn(name, failed)
        self.assertTrue(any(name.startswith("test_points/Setup") for name in failed), failed)
        self.assertEqual(self.last_line(finished), "2 passed, %d failed, 0 skipped" % len(failed))
        self.assertEqual(finished.returncode, 1)

    def test_running_nothing_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            finished = run_harness(folder)
        self.assertEqual(self.last_line(finished), "1 passed, 0 failed, 0 skipped")
        self.assertEqual(finished.returncode, 1)

    def test_filter(self):
        finished = run_harness(HERE / "fixtures/failing", "-k", "cli/exit")
        self.assertEqual(self.last_line(finished), "1 passed, 2 failed, 0 skipped", finished.stdout)


PLAIN = """
import unittest
from nowhere import needs
class _Hidden(unittest.TestCase):
    tier = "medium"
    def test_nothing(self): pass
class Own(_Hidden):
    timeout = 7
class Both(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    def test_one(self): pass
class Child(Both):
    tier = "short"
@needs("numpy")
class Helped(unittest.TestCase):
    def test_it(self): pass
class Helper:
    def test_is_none(self): pass
class WithHelper(Helper, unittest.TestCase):
    pass
class Empty(unittest.TestCase):
    def no_test(self): pass
if __name__ == "__main__":
    unittest.main()
"""
UNCLEAR = ("for i in 1, 2:\n    globals()['T%d' % i] = type('T', (), {})\n", "class A(Elsewhere):\n    def test_a(self): pass\n",
           "@odd\nclass A(unittest.TestCase):\n    def test_a(self): pass\n", "Made = made()\n",
           "class A(unittest.TestCase):\n    timeout = 2 * 3 if x else 1\n    def test_a(self): pass\n", "class A(unittest.TestCase):\n    setattr(1, 2)\n")


class ByText(unittest.TestCase):
    def test_says_what_an_import_says(self):
        Path("fixture.py").write_text(PLAIN)
        Path("nowhere.py").write_text("needs = lambda *names: lambda each: each\n")
        listed = subprocess.run([sys.executable, "-m", "harness.python_runner", "--list", "fixture.py"], stdout=subprocess.PIPE, check=True,
                                text=True, env=dict(os.environ, PYTHONPATH="%s:." % HERE.parent)).stdout
        expected = [(name, tier, sanitized, float(timeout)) for name, tier, sanitized, timeout in map(str.split, listed.splitlines())]
        self.assertEqual(python_classes.classes_by_text(Path("fixture.py"), 300), expected)
        self.assertEqual([each[0] for each in expected], ["Own", "Both", "Child", "Helped", "WithHelper"])

    def test_does_not_guess(self):
        for text in UNCLEAR:
            Path("fixture.py").write_text(text)
            self.assertIsNone(python_classes.classes_by_text(Path("fixture.py"), 300), text)


class Tap(unittest.TestCase):
    def conclude(self, text, code=0, timed_out=False):
        return [outcome.status for outcome in tap.conclude(Finished(code, text, "", 1.0, timed_out), "p")]

    def test_points(self):
        self.assertEqual(self.conclude("1..3\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP c\n", 1),
                         [PASSED, FAILED, SKIPPED])

    def test_two_plans(self):
        self.assertEqual(self.conclude("\t1..1\nok 1 - a\n\t1..1\nok 1 - b\n"), [PASSED, PASSED])

    def test_trouble_is_a_failure(self):
        nothing, cut_short, liar = ("", 0, False), ("1..2\nok 1\n", 0, False), ("1..1\nok 1\n", 1, False)
        crash, late, empty = ("1..1\nok 1\n", -11, False), ("1..1\nok 1\n", 0, True), ("1..0\n", 0, False)
        for text, code, timed_out in (nothing, cut_short, liar, crash, late, empty):
            with self.subTest(text=text, code=code, timed_out=timed_out):
                self.assertEqual(self.conclude(text, code, timed_out)[-1], FAILED)
