"""Running one command with a time limit; its whole process group ends with it."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass

OUTPUT_LIMIT = 16 << 20
SANITIZER = re.compile(r"(ERROR: (Address|Leak|Thread)Sanitizer|: runtime error: )")


@dataclass
class Finished:
    code: int  # negative: killed by that signal
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool

    def trouble(self):
        """What is wrong whatever the test expected: a time-out, a crash, a sanitizer's report."""
        if self.timed_out:
            return "timed out after %.0f s" % self.seconds
        if self.code < 0:
            return "killed by %s" % signal.Signals(-self.code).name
        if SANITIZER.search(self.stderr) or SANITIZER.search(self.stdout):
            return "a sanitizer reported an error"
        return ""


def run(command, cwd, env, timeout):
    """Run `command` (a list); output goes through files, so that a test that floods us can't fill memory."""
    begin = time.monotonic()
    with open(os.path.join(env["TMPDIR"], "stdout"), "w+b") as out, \
         open(os.path.join(env["TMPDIR"], "stderr"), "w+b") as err:
        process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, start_new_session=True)
        timed_out = False
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        text = []
        for stream in (out, err):
            stream.seek(0)
            text.append(stream.read(OUTPUT_LIMIT).decode("utf-8", "backslashreplace"))
    return Finished(process.returncode, text[0], text[1], time.monotonic() - begin, timed_out)
