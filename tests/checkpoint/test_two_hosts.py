"""Ranks on two hosts: network namespaces with an address and a name each, and a slow link between them."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness.tools import run
from oracle.graphs import RandomGraph
from oracle.sets import HAVE_RANKS

RATE = "tbf rate 200mbit burst 64kb latency 200ms"
AGENT = """#!/bin/sh
shift
exec ip netns exec %s unshare --uts sh -c "hostname %s; $*"
"""


def host(number):
    return "quern-%d-%d" % (os.getpid(), number)


def address(number):
    return "10.77.0.%d" % number


def ip(*words):
    done = subprocess.run(["ip", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise unittest.SkipTest("no network namespaces: " + done.stdout.strip())
    return done.stdout


@unittest.skipUnless(HAVE_RANKS, "no mpirun, or a build without Open MPI")
@unittest.skipUnless(shutil.which("ip") and shutil.which("tc"), "no ip, or no tc")
class TwoHosts(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    @classmethod
    def setUpClass(cls):
        for number in (1, 2):
            ip("netns", "add", host(number))
            cls.addClassCleanup(ip, "netns", "del", host(number))
        ip("link", "add", "to2", "netns", host(1), "type", "veth", "peer", "name", "to1", "netns", host(2))
        for number, link in ((1, "to2"), (2, "to1")):
            ip("-n", host(number), "addr", "add", address(number) + "/24", "dev", link)
            for one in (link, "lo"):
                ip("-n", host(number), "link", "set", one, "up")
            ip("netns", "exec", host(number), "tc", "qdisc", "add", "dev", link, "root", *RATE.split())
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.at = Path(folder.name)
        RandomGraph(11, 3000, 30000, "u32", "sparse").write(cls.at / "in.txt")
        run("quern-import", cls.at / "in.txt", "-qo", cls.at / "g.qrn")
        run("quern-transform", cls.at / "g.qrn", "--parts", "4", "-qo", cls.at / "set")
        (cls.at / "agent").write_text(AGENT % (host(2), host(2)))
        (cls.at / "agent").chmod(0o755)

    def start(self, *words):
        """One rank on each host."""
        own = ["--host", ",".join(address(number) + ":1" for number in (1, 2)), "-np", "2"]
        for name, value in (("plm_rsh_agent", self.at / "agent"), ("btl", "self,tcp"), ("btl_tcp_if_include", "10.77.0.0/24"),
                            ("oob_tcp_if_include", "10.77.0.0/24"), ("orte_tmpdir_base", self.at)):
            own += ["--mca", name, str(value)]
        return subprocess.Popen(["ip", "netns", "exec", host(1), "unshare", "--uts", "sh", "-c", 'hostname %s; exec "$@"' % host(1), "sh",
                                 "mpirun", "--allow-run-as-root", *own, *map(str, words)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def both(self, *words):
        process = self.start(*words)
        out, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, said)
        return out

    def processes(self, number):
        return [int(one) for one in ip("netns", "pids", host(number)).split()]

    def kill_all(self, *numbers):
        """All that runs on these hosts; the first to die can take others along."""
        for number in numbers:
            for one in self.processes(number):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)

    def sent(self):
        """Bytes that have left the first host."""
        return json.loads(ip("-j", "-s", "-n", host(1), "link", "show", "to2"))[0]["stats64"]["tx"]["bytes"]

    def test_import_and_runs(self):
        """The bytes of one process, and its results; they do talk over the link."""
        before = self.sent()
        self.both("quern-import", self.at / "in.txt", "--parts", "4", "-qfo", self.at / "two")
        for file in (self.at / "set").glob("*.qrn"):
            self.assertEqual((self.at / "two" / file.name).read_bytes(), file.read_bytes(), file.name)
        for algorithm in ("bfs", "cc", "sssp"):
            run("quern-run", algorithm, self.at / "g.qrn", "-qfo", self.at / "one.tsv")
            self.both("quern-run", algorithm, self.at / "two", "-T1", "-qfo", self.at / "two.tsv")
            self.assertEqual((self.at / "two.tsv").read_bytes(), (self.at / "one.tsv").read_bytes(), algorithm)
        self.assertGreater(self.sent() - before, 100000)

    def test_a_host_is_lost(self):
        """All that runs on the second host is killed: the run ends, and goes on from its checkpoint on two hosts."""
        words = ["quern-run", "pagerank", self.at / "set", "-qT1", "--checkpoint", self.at / "kept", "--every", "3", "--tolerance", "0"]
        process = self.start(*words, "--iterations", "1000000000")
        until = time.monotonic() + 60
        while not (self.at / "kept/checkpoint.qrn").exists():
            self.assertLess(time.monotonic(), until, "it made no checkpoint")
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        self.kill_all(2)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        while self.processes(1):
            self.assertLess(time.monotonic(), until + 60, "its other rank goes on")
            time.sleep(0.005)
        done = json.loads(run("quern-info", self.at / "kept/checkpoint.qrn", "--json").stdout)["layout_figures"]["iterations"]
        some = ["--iterations", str(done + 5)]
        self.both(*words, *some, "--resume", "-fo", self.at / "two.tsv")
        run("quern-run", "pagerank", self.at / "set", "-q", "--tolerance", "0", *some, "-fo", self.at / "one.tsv")
        self.assertEqual((self.at / "two.tsv").read_bytes(), (self.at / "one.tsv").read_bytes())

    def test_the_link_is_lost(self):
        """A host that is silent ends the run after --rank-timeout, and is named."""
        process = self.start("quern-run", "pagerank", self.at / "set", "-T1", "--tolerance", "0", "--iterations", "1000000000",
                             "--rank-timeout", "2", "--checkpoint", self.at / "silent", "--every", "3")
        try:
            until = time.monotonic() + 60
            while not (self.at / "silent/checkpoint.qrn").exists():
                self.assertLess(time.monotonic(), until, "it made no checkpoint")
                time.sleep(0.005)
            ip("-n", host(2), "link", "set", "to1", "down")
            for line in process.stderr:
                if "did not answer for 2 s" in line:
                    self.assertIn("rank 1", line)
                    break
            else:
                self.fail("the run ended in silence")
        finally:
            self.kill_all(1, 2)  # mpirun itself waits for the host
            process.communicate(timeout=60)
            ip("-n", host(2), "link", "set", "to1", "up")


if __name__ == "__main__":
    unittest.main()
