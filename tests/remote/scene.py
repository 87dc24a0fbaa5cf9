"""What the tests of this folder share: tools with an environment in which networks fail quickly, and a cache of their own."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.process import SANITIZER
from harness.tools import run
from remote.server import Server

BIN = Path(os.environ["QUERN_BIN"])


def has_libcurl():
    """Whether the tools read URLs."""
    refused = subprocess.run(["quern-info", "http://127.0.0.1:9/g.qrn"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=dict(os.environ, QUERN_REMOTE_RETRIES="0"))
    return refused.returncode != 4


HAS_LIBCURL = has_libcurl()


@unittest.skipUnless(HAS_LIBCURL, "this build has no libcurl")
class Scene(unittest.TestCase):
    """A server with one graph as text, as a container and as an archive."""

    tier = "medium"
    timeout = 300
    objects = {}

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.work.name)
        cls.local = cls.folder / "local.qrn"
        run("quern-generate", "rmat", "--scale", 13, "--degree", 64, "--seed", 3, "--weights", "1,9", "--transpose", "also", "-q", "-o", cls.local)
        cls.bytes = cls.local.read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def setUp(self):
        self.server = Server({"/g.qrn": self.bytes, **self.objects})
        self.does = self.server.does
        self.cache = Path(tempfile.mkdtemp(dir=self.folder))

    def tearDown(self):
        self.server.close()

    def tool(self, *command, exit=0, **environment):
        """Run a tool; what it printed."""
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.cache), "QUERN_REMOTE_TIMEOUT": "1",
                                   "QUERN_REMOTE_RETRIES": "2", "HOME": str(self.cache), **environment}, timeout=100)
        self.assertEqual(done.returncode, exit, done.stdout + done.stderr)
        self.assertIsNone(SANITIZER.search(done.stderr), done.stderr)
        return done

    def asked(self):
        """The ranges that were asked for since the last time."""
        ranges = [entry[1] for entry in self.server.log]
        self.server.log.clear()
        return ranges
