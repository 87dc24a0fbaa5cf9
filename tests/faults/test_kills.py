"""Tools are ended at random moments: outputs are what was there, absent or whole, and nothing else is left, except by
SIGKILL, which leaves files called NAME.tmpPID-N where a file cannot do without a name."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from faults.campaign import BIN
from faults.commands import COMMANDS, Reference, contents, make_inputs, words_of

SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGSEGV, signal.SIGUSR1, signal.SIGALRM)
NAMING = BIN.parent / "release/tests/libquern_naming.so"
OLD = b"what was there before\n"
LEFT = re.compile(r"\.tmp\d+-\d+($|/|\.old)")
STRIPE = re.compile(r"\.stripe-\d+$")


def heed_signals():
    """What runs in the background of a shell may have been told to ignore them."""
    for number in SIGNALS:
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)


class Kills:
    def __init__(self, folder, commands=COMMANDS):
        self.folder = Path(folder).resolve()
        self.folder.mkdir()
        self.inputs = self.folder / "inputs"
        self.inputs.mkdir()
        make_inputs(self.inputs)
        self.right, self.seconds, self.problems, self.ended = {}, {}, [], {}
        for name in commands:
            self.right[name] = Reference(name, self.inputs, self.folder / ("right-" + name))
            begun = time.monotonic()
            Reference(name, self.inputs, self.folder / ("timed-" + name))
            self.seconds[name] = time.monotonic() - begun

    def run_at(self, name, number, nth, replace):
        """The signal comes just before the nth name is given (naming.c). Whether there were so many."""
        env = dict(LD_PRELOAD=str(NAMING), QUERN_NAMING="%d:%d" % (nth, number))
        return self.run(name, number, None, replace, env) != 0

    def run(self, name, number, after, replace, more={}):
        right, work = self.right[name], self.folder / "work"
        work.mkdir()
        replace = replace and right.output is not None and "." in right.output
        if replace:
            (work / right.output).write_bytes(OLD)
        env = dict(os.environ, **more)
        env.pop("QUERN_NO_SYNC", None)
        process = subprocess.Popen(words_of(name, self.inputs, *(["-f"] if replace else [])), cwd=work, env=env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=heed_signals)
        if after is not None:
            time.sleep(after)
            process.send_signal(number)
        said = process.communicate(timeout=60)[1].decode(errors="replace")
        found = contents(work)
        folders = [path.name for path in work.iterdir() if path.is_dir() and path.name != right.output]
        shutil.rmtree(work)
        self.judge(name, number, process.returncode, found, folders, {right.output: OLD} if replace else {}, said)
        return process.returncode

    def judge(self, name, number, code, found, folders, before, said):
        key = (number.name, code)
        self.ended[key] = self.ended.get(key, 0) + 1
        left = {path for path in found if LEFT.search(path)} | set(folders)
        kept = {path: content for path, content in found.items() if path not in left and path.split("/")[0] not in left}
        problem = None
        if code == -signal.SIGKILL and kept != self.right[name].files:  # stripes come before the file that names them
            kept = {path: content for path, content in kept.items() if not STRIPE.search(path)}
        if code not in (0, 5, 130, -number):
            problem = "exits %d" % code
        elif code == 0 and kept != self.right[name].files:
            problem = "exits 0 with another output"
        elif kept not in (before, self.right[name].files):
            problem = "leaves %s" % sorted(kept)
        elif left and code != -signal.SIGKILL:
            problem = "leaves %s" % sorted(left)
        elif any(not LEFT.search(folder) for folder in folders):
            problem = "leaves %s" % folders
        if problem:
            self.problems.append("%s, %s: %s\n    %s" % (name, number.name, problem, said[-300:]))

    def run_any(self, chance):
        name = chance.choice(list(COMMANDS))
        self.run(name, chance.choice(SIGNALS), chance.random() * 1.2 * self.seconds[name], chance.random() < 0.5)

    def table(self):
        codes = sorted({code for _, code in self.ended})
        lines = ["| signal | " + " | ".join("exit %d" % code for code in codes) + " |", "|---|" + "---:|" * len(codes)]
        for number in SIGNALS:
            lines.append("| `%s` | " % number.name + " | ".join(
                "{:,}".format(self.ended.get((number.name, code), 0)) for code in codes) + " |")
        return "\n".join(lines)


class SomeKills(unittest.TestCase):
    """As many as a quarter of a minute allows."""
    tier, timeout, sanitized_tier = "medium", 200, "long"

    def test_some(self):
        kills, chance, until = Kills("kills"), random.Random(), time.monotonic() + 15
        done = 0
        while time.monotonic() < until:
            kills.run_any(chance)
            done += 1
        self.assertGreater(done, 20)
        self.assertEqual(kills.problems, [], "\n".join(kills.problems))


class KillsAtNames(unittest.TestCase):
    """While one thread names a file or a folder, another is told to end the process."""
    tier, timeout = "medium", 200

    def test_every_name(self):
        if BIN.parent.name != "build":
            raise unittest.SkipTest("what is preloaded goes with release programs alone")
        kills, runs = Kills("names", ("split", "export-parts", "generate", "archive", "run-several")), 0
        for name in kills.right:
            for replace in (False, True):
                for nth in range(1, 10):
                    if not kills.run_at(name, signal.SIGHUP if nth % 2 else signal.SIGTERM, nth, replace):
                        break
                    runs += 1
        self.assertGreater(runs, 15)
        self.assertEqual(kills.problems, [], "\n".join(kills.problems))


class ManyKills(unittest.TestCase):
    tier, timeout = "long", 3600

    def test_many(self):
        kills, chance = Kills("kills"), random.Random()
        for _ in range(500):
            kills.run_any(chance)
        print(kills.table())
        self.assertEqual(kills.problems, [], "%d problems\n%s" % (len(kills.problems), "\n".join(kills.problems)))


if __name__ == "__main__":
    unittest.main()
