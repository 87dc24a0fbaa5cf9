"""What a test ended as, and the settings every kind of test shares."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
TIERS = ("short", "medium", "long")


@dataclass
class Outcome:
    name: str
    status: str
    detail: str = ""  # why it failed or was skipped


@dataclass
class Job:
    """A piece of work for one worker: runs by itself, gives one outcome or more."""
    name: str
    run: object  # () -> list of Outcome
    tier: str = "short"
    seconds: float = 0.0  # it took
    cpu_seconds: float = 0.0


@dataclass
class Settings:
    root: Path        # the folder of tests
    source: Path      # the repository
    bin: Path         # the tools under test
    programs: Path    # the built unit tests
    scratch: Path     # everything a test writes goes below
    tier: str = "medium"
    timeout_scale: float = 1.0
    sanitized: bool = False  # built with ASan and UBSan
    keep: bool = False
    graphs: Path = field(default=None)  # real graphs with known answers; may be absent

    def environment(self, home):
        """A clean environment: the same on every machine, but for the search path."""
        kept = {key: os.environ[key] for key in ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CC", "CXX", "QUERN_TEST_SEED")
                if key in os.environ}
        return {
            **kept,
            "PATH": "%s:%s" % (self.bin, os.environ.get("PATH", "/usr/bin:/bin")),
            "HOME": str(home), "TMPDIR": str(home),
            "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "PYTHONPATH": str(self.source / "tests"), "PYTHONDONTWRITEBYTECODE": "1",
            "QUERN_SOURCE": str(self.source), "QUERN_BIN": str(self.bin),
            "QUERN_TEST_GRAPHS": str(self.graphs), "QUERN_TEST_TIER": self.tier,
            # What a crash of the machine would lose is no concern of tests; a sync a file is slow.
            "QUERN_NO_SYNC": "1",
            # What tables are left to is the package under test, not one that this machine may have.
            "QUERN_PYTHON": "no-python",
            # A spinning OpenMP thread starves the other worker's tests.
            "OMP_WAIT_POLICY": "passive",
            # Or tools would work on small files by one thread, where there is no race and only one part.
            "OMP_NUM_THREADS": "2",
            # A code no tool uses, so that a sanitizer's report never passes for an expected refusal.
            "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
        }

    def allows(self, tier):
        return TIERS.index(tier) <= TIERS.index(self.tier)


def scratch_folder(settings, name):
    folder = settings.scratch / name.replace("/", "+")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
