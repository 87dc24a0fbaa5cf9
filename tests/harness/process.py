"""Running one command with a time limit; its whole process group ends with it."""

import os
import re
import signal
import subprocess
import threading
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


def heed_signals():
    """What a shell's background job ignores (SIGINT), all that it starts would ignore, too. A handler
    that does nothing ignores as well, but is not inherited."""
    pythons_own = (signal.SIGPIPE, signal.SIGXFSZ)  # subprocess restores these
    for number in signal.valid_signals():
        if number not in pythons_own and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)


spent = threading.local()


def cpu_seconds():
    """What the commands that this thread ran have used."""
    return getattr(spent, "cpu_seconds", 0.0)


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class TimeLimit(threading.Timer):
    """Kills a process group that runs for too long."""

    def __init__(self, process, seconds):
        super().__init__(seconds, self.kill)
        self.process, self.struck = process, False

    def kill(self):
        self.struck = True
        kill_group(self.process)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.cancel()
        self.join()


def run(command, cwd, env, timeout):
    """Run `command` (a list); output goes through files, so that a test that floods us can't fill memory."""
    begin = time.monotonic()
    with open(os.path.join(env["TMPDIR"], "stdout"), "w+b") as out, \
         open(os.path.join(env["TMPDIR"], "stderr"), "w+b") as err:
        process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, start_new_session=True)
        with TimeLimit(process, timeout) as limit:
            # wait4 tells the CPU time, and unlike wait(timeout) it does not poll.
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        spent.cpu_seconds = cpu_seconds() + usage.ru_utime + usage.ru_stime
        kill_group(process)
        text = []
        for stream in (out, err):
            stream.seek(0)
            text.append(stream.read(OUTPUT_LIMIT).decode("utf-8", "backslashreplace"))
    return Finished(process.returncode, text[0], text[1], time.monotonic() - begin, limit.struck)
