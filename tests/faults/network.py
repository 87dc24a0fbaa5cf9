"""One fault of the network, or of a server, in one command that reads from it, and whether what came of it is as documented."""

import os
import shutil
import subprocess

from faults.commands import FAR, contents, make_scene, timeless, words_of
from harness.process import SANITIZER
from remote.server import Behaviour

OLD = b"what was there before\n"
MOST_REQUESTS = 12  # of a command, whose faults are tried

# What is different for the n-th request, or from it on where "from" says so, and whether the command may get over it.
FAULTS = {
    "cut at once": ({"cuts": [0]}, True),
    "cut after a byte": ({"cuts": [1]}, True),
    "cut later": ({"cuts": [300]}, True),
    "always cut": ({"every_cut": 0, "from": True}, False),
    "503": ({"codes": [503]}, True),
    "always 503": ({"codes": [503] * 99, "from": True}, False),
    "429": ({"codes": [429], "retry_after": "0"}, True),
    "403": ({"codes": [403]}, None),  # of several ranges each is asked for again
    "always 403": ({"codes": [403], "from": True}, False),
    "always 404": ({"codes": [404], "from": True}, False),
    "always 416": ({"codes": [416], "from": True}, False),
    "another range": ({"shift": 1}, None),  # of a request without a range nothing changes
    "another part": ({"wrong_part": (0, 1)}, True),
    "one part alone": ({"several": False}, True),
    "silence": ({"stalls": [3]}, True),
    "always silence": ({"stalls": [3] * 99, "from": True}, False),
    "slow": ({"rate": 100000}, True),
    "no ranges": ({"ranges": False}, None),
    "no lengths": ({"length": False}, None),
    "a page in its place": ({"page": True}, None),
    "a redirect in a circle": ({"redirects": "circle", "from": True}, False),
    "a redirect to a file": ({"redirects": "file", "from": True}, False),
    "another version": ({"replace": "version"}, None),
    "a part of another version": ({"replace": "shorter"}, None),
}


class Network:
    """Runs commands in a scratch folder; `problems` is what was found."""

    def __init__(self, folder):
        self.folder, self.inputs, self.server = make_scene(folder)
        self.sound = dict(self.server.objects)
        self.problems, self.ended, self.right, self.requests = [], {}, {}, {}
        for name in FAR:
            finished, found = self.start(name, Behaviour(), self.server.url(""))
            if finished.returncode != 0:
                raise AssertionError("%s: %s" % (name, finished.stderr.decode(errors="replace")))
            self.right[name] = timeless(finished.stdout), found
            self.requests[name] = len(self.server.log)

    def close(self):
        self.server.close()

    def start(self, name, does, url, replace=False, **environment):
        """Run the command with an empty cache; the finished process, and what is in its folder."""
        output = FAR[name][1]
        self.server.objects.clear()
        self.server.objects.update(self.sound)
        self.server.log.clear()
        self.server.does = does
        work, cache = self.folder / "work", self.folder / "cache"
        for made in (work, cache):
            made.mkdir()
        if replace:
            (work / output).write_bytes(OLD)
        finished = subprocess.run(words_of(name, self.inputs, *(["-f"] if replace else []), server=url), cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=60,
                                  env={**os.environ, "XDG_CACHE_HOME": str(cache), "HOME": str(cache), "QUERN_REMOTE_TIMEOUT": "1",
                                       "QUERN_REMOTE_RETRIES": "1", **environment})
        found = contents(work)
        for made in (work, cache):
            shutil.rmtree(made)
        return finished, found

    def behaviour(self, fault, number):
        """How the server is to behave."""
        does, change = Behaviour(), dict(FAULTS[fault][0])
        numbers = range(number, number + 99 if change.pop("from", False) else number + 1)
        replace, redirect = change.pop("replace", None), change.get("redirects")
        if redirect:
            change["redirects"] = {path: path if redirect == "circle" else "file:///etc/passwd" for path in self.sound}
        if replace:
            does.replace_at = number, (lambda old: old[:-1] + bytes([old[-1] ^ 1])) if replace == "version" else (lambda old: old[:len(old) // 2])
        does.once = {n: {key: list(value) if isinstance(value, list) else value for key, value in change.items()} for n in numbers}
        return does

    def run(self, name, fault, number, replace=False):
        """One case; False where nothing was asked for that often."""
        replace = replace and FAR[name][1] is not None
        finished, found = self.start(name, self.behaviour(fault, number), self.server.url(""), replace)
        self.judge(name, fault, number, finished, found, FAULTS[fault][1], replace)

    def run_strangers(self, name, stranger):
        """Of a server whose certificate nobody has signed nothing is taken."""
        finished, found = self.start(name, Behaviour(), stranger.url(""))
        self.judge(name, "a stranger", 0, finished, found, False, False)
        if stranger.log:
            self.problems.append("%s asks a stranger" % name)

    def judge(self, name, fault, number, finished, found, survives, replace):
        code, said = finished.returncode, finished.stderr.decode(errors="replace")
        self.ended[(fault, code)] = self.ended.get((fault, code), 0) + 1
        printed, right = self.right[name]
        before = {FAR[name][1]: OLD} if replace else {}
        if SANITIZER.search(said) or code not in (0, 3, 4, 5):
            problem = "exits %d" % code
        elif code == 0:
            problem = ("exits 0 with another output" if found != right else "exits 0 and prints something else" if timeless(finished.stdout) != printed
                       else "exits 0 after this" if survives is False else None)
        else:
            problem = ("says nothing" if not said.strip() else "leaves %s" % sorted(found) if found != before
                       else "does not get over this" if survives else None)
        if problem:
            self.problems.append("%s, request %d, %s: %s\n    %s" % (name, number, fault, problem, said.strip()[-300:]))

    def cases(self):
        """Each fault at each request of each command."""
        for name in FAR:
            for number in range(min(self.requests[name], MOST_REQUESTS)):
                for fault in FAULTS:
                    yield name, fault, number
