"""Benchmarks go on past what fails, end in time, and leave a whole file whoever ends them (bench/records.py)."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
BENCHMARK = """
import sys
sys.path.insert(0, %r)
import records
from pathlib import Path

told = []
sections = records.Sections(float(sys.argv[1]), lambda: records.write(Path("report.json"), {
    "told": told, "failed": sections.failed, "left out": sections.left_out, **records.stamp({})}))
sections.do("first", lambda: told.append(sections.call("echo", "one")))
sections.do("fails", lambda: sections.call("false"))
sections.do("breaks", lambda: {}["nothing"])
sections.do("hangs", lambda: sections.call("sleep", 60, most=1))
sections.do("last", lambda: told.append("two"))
sections.do("long", lambda: sections.call("sleep", 60))
sections.do("never", lambda: told.append("three"))
""" % str(SOURCE / "bench")


class Ends(unittest.TestCase):
    def begin(self, seconds):
        return subprocess.Popen([sys.executable, "-B", "-c", BENCHMARK, str(seconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def check(self, report, left_out):
        self.assertEqual(report["told"], ["one\n", "two"])
        self.assertEqual([each.split(":")[0] for each in report["failed"]], ["fails", "breaks", "hangs"])
        self.assertIn("no end after 1 s", report["failed"][2])
        self.assertEqual(report["left out"], left_out)

    def test_when_the_time_is_up(self):
        process = self.begin(8)
        said, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)
        self.check(json.loads(Path("report.json").read_text()), ["long", "never"])
        self.assertRegex(said, r"== breaks: FAILED: KeyError: 'nothing'; 0\.\d s\n")
        self.assertIn("== never: no time was left; 0.0 s", said)

    def test_when_it_is_told_to(self):
        process, report = self.begin(100), Path("report.json")
        for _ in range(300):
            if report.exists() and json.loads(report.read_text())["told"][1:]:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        self.assertEqual((process.returncode, errors), (1, "ended from outside\n"))
        self.check(json.loads(report.read_text()), [])
        self.assertEqual(list(Path().glob("*.new")), [])


if __name__ == "__main__":
    unittest.main()
