"""One fault in one command, and whether what came of it is as documented."""

import mmap
import os
import shutil
import signal
import struct
import subprocess
from pathlib import Path

from faults.commands import ALL, COMMANDS, Reference, contents, make_scene, timeless, words_of
from remote.scene import HAS_LIBCURL

BIN = Path(os.environ["QUERN_BIN"])
SHIM = BIN.parent / "release" / "tests" / "libquern_faults.so"

# In the order of shim.c.
FUNCTIONS = ("open", "read", "pread", "write", "pwrite", "mmap", "rename", "link", "fsync", "ftruncate", "unlink",
             "close", "pthread_create", "malloc", "calloc", "realloc")
MEMORY = ("mmap", "malloc", "calloc", "realloc", "pthread_create")
# Where libarchive (3.6.2) itself gets no memory it crashes in archive_read_open1 and, beginning a member, in
# archive_entry_set_dev, or calls the file damaged.
LIBARCHIVE = ("far-bundle", "import-gzip", "import-zip", "import-npz", "bundle", "extract-member", "list")
OLD = b"what was there before\n"


class Campaign:
    """Runs commands in a scratch folder; `problems` is what was found, `ended` how the runs ended."""

    def __init__(self, folder):
        self.folder, self.inputs, self.server = make_scene(folder)
        self.commands = ALL if HAS_LIBCURL else COMMANDS
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"), QUERN_REMOTE_RETRIES="1")
        self.right = {name: Reference(name, self.inputs, self.folder / ("right-" + name), self.server.url("")) for name in self.commands}
        self.counts = self.folder / "counts"
        self.problems, self.ended = [], {}

    def start(self, name, work, fault, nameless, replace):
        """Run the command; the finished process, and how often it called each function."""
        with open(self.counts, "wb") as file:
            file.truncate(mmap.PAGESIZE)
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        env = dict(self.environment, LD_PRELOAD=str(SHIM), QUERN_FAULT=fault, QUERN_FAULT_COUNTS=str(self.counts))
        env.pop("QUERN_NO_SYNC", None)
        if not nameless:
            env["QUERN_FAULT_NO_TMPFILE"] = "1"
        finished = subprocess.run(words_of(name, self.inputs, *(["-f"] if replace else []), server=self.server.url("")), cwd=work, env=env,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return finished, dict(zip(FUNCTIONS, struct.unpack_from("%dQ" % len(FUNCTIONS), self.counts.read_bytes())))

    def calls(self, name, nameless, replace):
        """How often the command calls each function when nothing fails."""
        return self.run(name, "", nameless, replace)

    def run(self, name, fault, nameless, replace):
        work = self.folder / "work"
        work.mkdir()
        output = ALL[name][1]
        replace = replace and output is not None and "." in output
        if replace:
            (work / output).write_bytes(OLD)
        finished, counts = self.start(name, work, fault, nameless, replace)
        problem = self.judge(name, fault, finished, contents(work), {output: OLD} if replace else {})
        leftover_folders = [path.name for path in work.iterdir() if path.is_dir() and path.name != output]
        shutil.rmtree(work)
        key = (fault.split(":")[0], finished.returncode)
        self.ended[key] = self.ended.get(key, 0) + 1
        if leftover_folders and not problem and not fault.startswith("unlink"):
            problem = "leaves %s" % leftover_folders
        if problem:
            self.problems.append("%s, %s%s%s: %s\n    %s" % (
                name, fault, "" if nameless else ", no O_TMPFILE", ", replacing" if replace else "", problem,
                finished.stderr.decode(errors="replace").strip()[-300:]))
        return counts

    def judge(self, name, fault, finished, found, before):
        right, said = self.right[name], finished.stderr
        function = fault.split(":")[0]
        if finished.returncode in (-signal.SIGSEGV, 3) and name in LIBARCHIVE and function in MEMORY:
            return None if found == before else "leaves %s" % sorted(found)
        # The first look at a file fails, and a later one finds what was not looked for.
        if finished.returncode in (2, 3) and function in ("open", "pread", *MEMORY) and (
                b"this is a bundle" in said or b"only bundles" in said or b"are too little" in said):
            return None
        if finished.returncode < 0:
            return "ends by signal %d" % -finished.returncode
        if finished.returncode not in (0, 5):
            return "exits %d" % finished.returncode
        if function == "unlink":  # it is what tidies up
            found = {path: found[path] for path in found if path.split("/")[0] == right.output}
        if finished.returncode == 0:
            if found != right.files:
                return "exits 0 with another output"
            printed = timeless(finished.stdout) == timeless(right.stdout)
            return None if printed else "exits 0 and prints something else"
        if not said.strip() and function != "write":  # which the message may need
            return "exits 5 and says nothing"
        if found == before:
            return None
        # The folder could not be opened or synced, and the message says that the output is there.
        if found == right.files and function in ("fsync", "open", *MEMORY) and b"may undo" in said and b"in place" in said:
            return None
        if found == right.files:
            return "exits 5 with the output in place, and does not say so"
        return None if function == "unlink" else "leaves %s" % sorted(set(found) - set(before) or found)

    def functions(self, name):
        """Those that fail. What becomes of libcurl and OpenSSL without memory is not Quern's."""
        return [function for function in FUNCTIONS if name in COMMANDS or function not in MEMORY]

    def cases(self):
        """All faults there are: every call of every function, once and for good, with and without O_TMPFILE."""
        for name in self.commands:
            for nameless in (True, False):
                calls = self.calls(name, nameless, True)
                for function in self.functions(name):
                    for n in range(1, calls[function] + 1):
                        for more in ("", "+"):
                            yield name, "%s:%d%s" % (function, n, more), nameless, n % 2 == 0

    def table(self):
        """How the runs ended, as lines of Markdown."""
        codes = sorted({code for _, code in self.ended})
        lines = ["| call | " + " | ".join("exit %d" % code for code in codes) + " |", "|---|" + "---:|" * len(codes)]
        for function in FUNCTIONS:
            row = [self.ended.get((function, code), 0) for code in codes]
            if any(row):
                lines.append("| `%s` | " % function + " | ".join("{:,}".format(count) for count in row) + " |")
        sums = [sum(count for key, count in self.ended.items() if key[1] == code) for code in codes]
        lines.append("| all | " + " | ".join("{:,}".format(count) for count in sums) + " |")
        return "\n".join(lines)
