"""Running the tools from Python tests."""

import os
import shutil
import subprocess

from harness.process import SANITIZER

UNDER_SANITIZERS = "asan" in os.environ["QUERN_BIN"].split(os.sep)


def has(tool):
    return shutil.which(tool) is not None


def run(*command, exit=0, input=None, cwd=None):
    """Run a tool, insist on its exit code, and give what it printed (.stdout, .stderr)."""
    command = [str(part) for part in command]
    finished = subprocess.run(command, input=input, cwd=cwd, text=True, errors="backslashreplace",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    codes = exit if isinstance(exit, tuple) else (exit,)
    if finished.returncode not in codes or SANITIZER.search(finished.stderr):
        raise AssertionError("$ %s\nexit code %d, expected %s\n%s%s"
                             % (" ".join(command), finished.returncode, " or ".join(map(str, codes)),
                                finished.stdout[-2000:], finished.stderr[-6000:]))
    return finished


def values(path):
    """The `id<TAB>value` lines that quern-run writes, as {id: value}, both text, in their order."""
    with open(path, encoding="utf-8", newline="\n") as lines:
        return dict(line.rstrip("\n").rsplit("\t", 1) for line in lines)
