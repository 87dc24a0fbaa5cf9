"""Python tests: tests/**/test_*.py, unittest classes; each class is a job of its own."""

import shutil
import subprocess
import sys

from harness import process, tap
from harness.outcome import FAILED, TIERS, Job, Outcome, scratch_folder
from harness.python_classes import classes_by_text

DEFAULT_TIMEOUT = 300


def run_class(name, path, class_name, timeout, settings):
    scratch = scratch_folder(settings, name)
    env = settings.environment(scratch)
    if settings.tier != "long":
        # To look for leaks takes as long as most of what tools do here; cli/ and unit/ run them all, and do.
        env["ASAN_OPTIONS"] += ":detect_leaks=0"
    finished = process.run([sys.executable, "-m", "harness.python_runner", str(path), class_name],
                           scratch, env, timeout * settings.timeout_scale)
    if not settings.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    return tap.conclude(finished, name)


def listed(path, settings):
    """[(class name, tier, tier under the sanitizers, time limit)] of a file, by a process of its own."""
    env = settings.environment(settings.scratch)
    listed = subprocess.run([sys.executable, "-m", "harness.python_runner", "--list", str(path)], env=env,
                            cwd=settings.scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if listed.returncode != 0:
        raise RuntimeError(listed.stderr.strip() or "listing its tests failed")
    return [(name, tier, sanitized_tier, float(timeout))
            for name, tier, sanitized_tier, timeout in map(str.split, listed.stdout.splitlines())]


def classes(path, settings):
    """[(class name, tier, time limit)] of a file."""
    found = classes_by_text(path, DEFAULT_TIMEOUT)
    if found is None:
        found = listed(path, settings)
    if not found:
        raise RuntimeError("no unittest.TestCase in it")
    return [(name, sanitized_tier if settings.sanitized else tier, timeout) for name, tier, sanitized_tier, timeout in found]


def find(settings):
    jobs = []
    for path in sorted(settings.root.glob("**/test_*.py")):
        relative = path.relative_to(settings.root)
        if "fixtures" in relative.parts:  # the harness's own tests run those
            continue
        stem = str(relative.with_suffix(""))
        try:
            found = classes(path, settings)
        except (RuntimeError, ValueError) as error:
            jobs.append(Job(stem, lambda n=stem, e=error: [Outcome(n, FAILED, str(e))]))
            continue
        for class_name, tier, timeout in found:
            assert tier in TIERS, "%s: %s has the unknown tier %s" % (stem, class_name, tier)
            name = "%s/%s" % (stem, class_name)
            jobs.append(Job(name, lambda n=name, p=path, c=class_name, t=timeout:
                            run_class(n, p, c, t, settings), tier))
    return jobs
