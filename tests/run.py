#!/usr/bin/env python3
"""Runs the tests and ends with one line: N passed, N failed, N skipped.

    tests/run.py                          everything up to tier medium, with build/bin
    tests/run.py --bin build/asan/bin     the same under the sanitizers
    tests/run.py -k import --tier long    what has `import` in its name, every tier
    tests/run.py --bin build/aarch64-linux-gnu/release/bin --under qemu-aarch64 -k cli/
                                          another processor's tools, in an emulator of it
"""

import argparse
import concurrent.futures
import os
import shlex
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from harness import cli_tests, process, python_tests, unit_programs  # noqa: E402
from harness.outcome import FAILED, PASSED, SKIPPED, TIERS, Outcome, Settings  # noqa: E402

MUST_FAIL = """
$ echo one
stdout
    two
"""


def arguments():
    parser = argparse.ArgumentParser(description="Run the tests.")
    parser.add_argument("-k", "--filter", action="append", default=[], metavar="TEXT",
                        help="only tests whose name contains TEXT (may be repeated: any of them)")
    parser.add_argument("--tier", choices=TIERS, default="medium", help="up to which tier (medium)")
    parser.add_argument("--bin", type=Path, default=HERE.parent / "build/bin",
                        help="the tools (build/bin)")
    parser.add_argument("--under", metavar="PROGRAM", help="run the tools in this program, such as qemu-aarch64")
    parser.add_argument("--tests", type=Path, default=HERE, help="the folder of tests")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="tests at a time (2)")
    parser.add_argument("-v", "--verbose", action="store_true", help="name passing tests too")
    parser.add_argument("-l", "--list", action="store_true", help="name the jobs, run nothing")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folders and say where")
    return parser.parse_args()


def programs_joint(bin_folder):
    """Tools are in build/bin or build/VARIANT/bin, unit programs in build/release/tests or build/VARIANT/tests."""
    parent = bin_folder.parent
    return (parent / "release" if parent.name == "build" else parent) / "tests"


def run_under(program, tools, folder):
    """A folder of scripts by the tools' names, which run them in `program`. Emulators keep a record of every page, so
    address space is limited: then the tools reserve none (support/memory.h)."""
    folder.mkdir()
    for tool in sorted(tools.iterdir()):
        script = folder / tool.name
        script.write_text('#!/bin/sh\nulimit -v 34359738368\nexec %s -0 %s %s "$@"\n' % (program, tool.name, shlex.quote(str(tool))))
        script.chmod(0o755)
    return folder


def settings_from(options, scratch):
    bin_folder = options.bin.resolve()
    if options.under:
        bin_folder = run_under(options.under, bin_folder, scratch / "bin")
    source, sanitized = HERE.parent, "asan" in bin_folder.parts
    graphs = Path(os.environ.get("QUERN_TEST_GRAPHS") or source.parent / "shared/graphs").absolute()
    return Settings(root=options.tests.resolve(), source=source, bin=bin_folder,
                    programs=programs_joint(bin_folder), scratch=scratch, tier=options.tier,
                    sanitized=sanitized, timeout_scale=4.0 if sanitized else 1.0, keep=options.keep, graphs=graphs)


def harness_can_fail(settings):
    """A test that must fail: a harness that lets everything pass is found out here."""
    outcome = cli_tests.run_script("harness/must-fail", cli_tests.parse(MUST_FAIL), settings)
    if outcome.status == FAILED and "stdout differs" in outcome.detail:
        return Outcome("harness/must-fail", PASSED)
    return Outcome("harness/must-fail", FAILED, "a test that must fail did not: the harness is broken")


def find_jobs(options, settings):
    jobs = cli_tests.find(settings) + unit_programs.find(settings) + python_tests.find(settings)
    if options.filter:
        jobs = [job for job in jobs if any(text in job.name for text in options.filter)]
    return ([job for job in jobs if settings.allows(job.tier)],
            [job for job in jobs if not settings.allows(job.tier)])


def run_job(job):
    begin, cpu_begin = time.monotonic(), process.cpu_seconds()
    try:
        outcomes = job.run()
    except Exception as error:  # a fault of the harness must not hide the test
        outcomes = [Outcome(job.name, FAILED, "the harness failed: %r" % error)]
    job.seconds, job.cpu_seconds = time.monotonic() - begin, process.cpu_seconds() - cpu_begin
    return outcomes


def report(outcome, verbose):
    if outcome.status == FAILED:
        print("FAILED  %s" % outcome.name)
        for line in outcome.detail.rstrip("\n").split("\n"):
            print("        | %s" % line)
    elif verbose and outcome.status == PASSED:
        print("passed  %s" % outcome.name)
    sys.stdout.flush()


def run_all(jobs, options):
    """Every job in a pool; long tiers first, so that none is left alone at the end."""
    lock, outcomes = threading.Lock(), []

    def work(job):
        for outcome in run_job(job):
            with lock:
                outcomes.append(outcome)
                report(outcome, options.verbose)

    ordered = sorted(jobs, key=lambda job: -TIERS.index(job.tier))
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        try:
            for future in [pool.submit(work, job) for job in ordered]:
                future.result()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    return outcomes


def report_slowest(jobs):
    """CPU time is said too: it does not depend on what else the machine does."""
    slowest = sorted(jobs, key=lambda job: -job.seconds)[:15]
    print("the slowest, of %.0f s (CPU: %.0f s) in all:"
          % (sum(job.seconds for job in jobs), sum(job.cpu_seconds for job in jobs)))
    for job in slowest:
        print("%7.1f s (%5.1f s)  %-6s %s" % (job.seconds, job.cpu_seconds, job.tier, job.name))


def report_groups(jobs):
    """What each kind of test took, by the folder that it is in."""
    groups = {}
    for job in jobs:
        groups.setdefault(job.name.split("/")[0], []).append(job)
    print("by folder:")
    for name, group in sorted(groups.items(), key=lambda item: -sum(job.seconds for job in item[1])):
        print("%7.1f s (%5.1f s)  %4d jobs  %s" % (sum(job.seconds for job in group),
                                                  sum(job.cpu_seconds for job in group), len(group), name))


def report_skipped(outcomes):
    """Each reason once, with the tests that it concerns."""
    names_by_reason = {}
    for outcome in outcomes:
        if outcome.status == SKIPPED:
            names_by_reason.setdefault(outcome.detail, []).append(outcome.name)
    for reason, names in sorted(names_by_reason.items()):
        print("skipped %s" % ("1 test" if len(names) == 1 else "%d tests" % len(names)) + ": " + reason)
        for name in sorted(names)[:8]:
            print("        | " + name)
        if len(names) > 8:
            print("        | ... and %d more" % (len(names) - 8))


def summarise(outcomes, left_out):
    report_skipped(outcomes)
    for tier in TIERS:
        count = sum(job.tier == tier for job in left_out)
        if count:
            noun = "job" if count == 1 else "jobs"
            print("left out: %d %s of tier %s (--tier %s runs them)" % (count, noun, tier, tier))
    count = {status: sum(o.status == status for o in outcomes) for status in (PASSED, FAILED, SKIPPED)}
    print("%d passed, %d failed, %d skipped" % (count[PASSED], count[FAILED], count[SKIPPED]))
    return count


def main():
    options = arguments()
    process.heed_signals()
    scratch = Path(tempfile.mkdtemp(prefix="quern-test-"))
    try:
        settings = settings_from(options, scratch)
        jobs, left_out = find_jobs(options, settings)
        if options.list:
            print("\n".join("%-6s %s" % (job.tier, job.name) for job in jobs))
            return 0
        if not settings.bin.is_dir():
            print("no tools in %s; run scons" % settings.bin)
        canary = harness_can_fail(settings)
        report(canary, options.verbose)
        outcomes = run_all(jobs, options)
        if options.verbose or sum(job.seconds for job in jobs) > 30:
            report_slowest(jobs)
            report_groups(jobs)
        count = summarise(outcomes + [canary], left_out)
        nothing_ran = all(outcome.status == SKIPPED for outcome in outcomes)
        return 1 if count[FAILED] or nothing_ran else 0
    finally:
        if options.keep:
            print("scratch folders: %s" % scratch, file=sys.stderr)
        else:
            shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
