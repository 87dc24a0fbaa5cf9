"""No figure is shown that is much older than what it measures: at most so many commits of the folders that bench/records.py names for
its table have come since. What is older is listed here with the reason; the list only ever becomes shorter."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
sys.path.insert(0, str(SOURCE / "bench"))

import records

MOST = 100
GPU = "needs an H200"
OLD = {
    "beside-peers": GPU,
    "gpu-command": GPU,
    "gpu-rows": GPU,
}


def git(*words):
    done = subprocess.run(["git", *words], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


class Ages(unittest.TestCase):
    """A record's age by its commit, or, where that is of a branch that was rebased since, by its day."""

    def commits_since(self, folders):
        """By the first seven digits of a commit, and by a day: how many commits of the folders came after."""
        touching, count, found = set(git("rev-list", "HEAD", "--", *folders).split()), 0, {}
        for commit, day in self.history:
            found[commit[:7]] = count
            found.setdefault(day, count)
            count += commit in touching
        return found

    def test_no_record_is_old(self):
        if git("rev-parse", "--is-shallow-repository") != "false" or git("rev-parse", "--show-prefix"):
            self.skipTest("no whole repository here")
        self.history = [line.split() for line in git("log", "--format=%H %cs").splitlines()]
        ages, old = {}, {}
        for path in sorted(records.RESULTS.glob("*.json")):
            folders = tuple(records.measured_folders(path.stem))
            for folder in folders:
                self.assertTrue((SOURCE / folder).is_dir(), folder)
            since = ages[folders] = ages.get(folders) or self.commits_since(folders)
            measured = {(each["commit"][:7], each["date"]) for each in records.load(path.stem)}
            old[path.stem] = sorted(commit for commit, day in measured if since.get(commit, since.get(day, MOST + 1)) > MOST)
        self.assertEqual({table: commits for table, commits in old.items() if commits and table not in OLD}, {},
                         "older than %d commits of what they measure: measure them again" % MOST)
        self.assertEqual([table for table in OLD if not old.get(table)], [], "measured again: no longer to be listed")


if __name__ == "__main__":
    unittest.main()
