"""Killing quern-run at any moment, and going on: the result is that of a run that was left alone."""

import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

from harness.tools import UNDER_SANITIZERS, run

LAYOUTS = {"graph": None, "blocked": ["quern-block", "--out-edges"], "partitions": ["quern-partition"],
           "pages": ["quern-page"], "shards": ["quern-shard"], "hybrid": ["quern-hybrid", "--direction", "both"],
           "packed": ["quern-pack"]}

# Programs of every kind: all active, a frontier, priorities, rounds.
RUNS = [("pagerank", "--tolerance", "0", "--iterations", "25"), ("sssp", "--delta", "2"), ("kcore",)]

# Kernels of their own.
OWN_RUNS = {"graph": [("cc",), ("bc", "--sources", "1,2,3,5,8,13,21,34,55")]}


class Kill(unittest.TestCase):
    tier, timeout, sanitized_tier = "medium", 300, "long"

    def setUp(self):
        self.folder = Path(self.id().rsplit(".", 1)[1])
        self.folder.mkdir()
        scale = "9" if UNDER_SANITIZERS else "13"
        graph = self.folder / "graph.qrn"
        run("quern-generate", "rmat", "--scale", scale, "--seed", "5", "--weights", "1,90", "--undirected", "-q", "-o", graph)
        self.containers = {"graph": graph}
        for name, words in LAYOUTS.items():
            if words:
                self.containers[name] = self.folder / (name + ".qrn")
                run(words[0], graph, *words[1:], "-q", "-o", self.containers[name])

    def command(self, name, words, output, *more):
        return ["quern-run", words[0], str(self.containers[name]), *words[1:], "--device", "cpu", "-T2", "-q", "--force",
                "-o", str(output), *more]

    def killed_until_done(self, command, signals, chance):
        """Start it again and again, ending it with one of `signals` at a random moment; how often that was so."""
        ended, most = 0, 60
        for attempt in range(most):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            chosen = chance.choice(signals)
            time.sleep(chance.random() * 0.03 * (1 + attempt / 5))
            if attempt < most - 1:
                process.send_signal(chosen)
            _, message = process.communicate()
            if process.returncode == 0:
                return ended
            self.assertIn(process.returncode, (130, -chosen), message)
            ended += 1
        self.fail("it never ended")

    def check(self, signals):
        chance, ended = random.Random(7), 0
        for name in self.containers:
            for words in RUNS + OWN_RUNS.get(name, []):
                if name == "packed" and "--delta" in words:
                    words = words[:1]  # which sweeps there
                with self.subTest(layout=name, run=words):
                    straight, output = self.folder / "straight.tsv", self.folder / "output.tsv"
                    kept = self.folder / "kept"
                    run(*self.command(name, words, straight))
                    command = self.command(name, words, output, "--checkpoint", str(kept), "--every", "1", "--resume")
                    ended += self.killed_until_done(command, signals, chance)
                    self.assertEqual(output.read_bytes(), straight.read_bytes())
                    self.assertEqual(list(kept.iterdir()), [])
        self.assertGreater(ended, 10, "nothing was interrupted: the graph is too small")

    def test_kill(self):
        self.check([signal.SIGKILL])

    def test_interrupt(self):
        self.check([signal.SIGINT, signal.SIGTERM])
