"""The n-th call of a function fails, in every tool: the exit code says so, the output is right, the old one, or absent,
nothing is left behind, no signal ends the tool."""

import random
import time
import unittest

from faults.campaign import BIN, SHIM, Campaign


def have_shim():
    if BIN.parent.name != "build":
        raise unittest.SkipTest("calls are made to fail in release programs alone")
    if not SHIM.exists():
        raise AssertionError("%s is not built; run scons unit-tests" % SHIM)


class SomeFaults(unittest.TestCase):
    """A sample in an order that is always the same, as much of it as half a minute allows."""
    tier, timeout = "medium", 300

    def test_some(self):
        have_shim()
        campaign, chance, until = Campaign("campaign"), random.Random(14), time.monotonic() + 30
        calls = {name: campaign.calls(name, True, True) for name in campaign.commands}
        runs = [(name, function) for name in campaign.commands for function in campaign.functions(name) if calls[name][function]]
        chance.shuffle(runs)
        done = 0
        for name, function in 3 * runs:
            if time.monotonic() > until:
                break
            n = chance.randint(1, calls[name][function])
            campaign.run(name, "%s:%d%s" % (function, n, chance.choice(("", "+"))), chance.random() < 0.5,
                         chance.random() < 0.5)
            done += 1
        self.assertGreater(done, 50)
        self.assertEqual(campaign.problems, [], "\n".join(campaign.problems))


class AllFaults(unittest.TestCase):
    """Every call of every function, once and for good, with and without O_TMPFILE. shards.py does it on many cores."""
    tier, timeout = "long", 7200

    def test_all(self):
        have_shim()
        campaign = Campaign("campaign")
        for case in campaign.cases():
            campaign.run(*case)
        print(campaign.table())
        self.assertEqual(campaign.problems, [], "%d problems\n%s" % (len(campaign.problems), "\n".join(campaign.problems)))


if __name__ == "__main__":
    unittest.main()
