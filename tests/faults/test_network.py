"""A network that fails, in every command that reads from a server: what comes of it is right, what was there before, or nothing."""

import os
import random
import shutil
import time
import unittest

from faults.commands import FAR
from faults.network import Network
from remote.scene import HAS_LIBCURL
from remote.server import Server, make_certificate


@unittest.skipUnless(HAS_LIBCURL, "this build has no libcurl")
class SomeNetwork(unittest.TestCase):
    """A sample, in an order that is always the same, as much of it as half a minute allows."""
    tier, timeout, seconds = "medium", 300, 30

    def setUp(self):
        self.network = Network(self.id().split(".")[-1])
        self.addCleanup(self.network.close)

    def found(self):
        self.assertEqual(self.network.problems, [], "\n".join(self.network.problems))

    def test_faults(self):
        cases, until, done = list(self.network.cases()), time.monotonic() + self.seconds, 0
        random.Random(34).shuffle(cases)
        for case in cases:
            if time.monotonic() > until:
                break
            self.network.run(*case, replace=done % 3 == 0)
            done += 1
        self.assertGreater(done, 30)
        self.found()

    @unittest.skipUnless(shutil.which("openssl"), "no openssl")
    def test_strangers(self):
        make_certificate(os.path.abspath("certificate"))
        with Server(self.network.sound, "certificate") as stranger:
            for name in FAR:
                self.network.run_strangers(name, stranger)
        self.found()


class AllNetwork(SomeNetwork):
    tier, timeout, seconds = "long", 7200, 7000


if __name__ == "__main__":
    unittest.main()
