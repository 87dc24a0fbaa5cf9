#!/usr/bin/env python3
"""A campaign of faults or overwrites as a whole (README.md), on many cores.

    tests/faults/shards.py faults|overwrites [--bin build/bin] [--jobs N] [--seconds S] [--count 500] [--only NAME] [--out FILE.json]

Needs the tools and the shims (scons tools unit-tests) and nothing but Python. Every job has a scratch folder of its own. Prints the
table for README.md, then the problems; with --out both are in a file, too. The exit code is 1 if there is a problem, 3 if the time
was up before the end."""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def campaign_of(what, count):
    """The class that runs cases, and what lists them."""
    if what == "faults":
        from faults.campaign import Campaign
        return Campaign, lambda campaign: campaign.cases(), lambda campaign, case: campaign.run(*case)
    import random
    from faults.test_overwrites import Overwrites, cases
    return Overwrites, lambda campaign: cases(count), lambda campaign, case: campaign.run_any(case[0], random.Random(case[1]))


def shard(arguments):
    """Every jobs-th case; what came of them, and whether that was all."""
    what, count, only, index, jobs, end = arguments
    make, cases, run = campaign_of(what, count)
    with tempfile.TemporaryDirectory() as folder:
        campaign = make(Path(folder) / "campaign")
        for number, case in enumerate(cases(campaign)):
            if number % jobs != index or only and only not in case[0]:
                continue
            if time.monotonic() > end:
                return campaign.ended, campaign.problems, False
            run(campaign, case)
        return campaign.ended, campaign.problems, True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("faults", "overwrites"))
    parser.add_argument("--bin", type=Path, default=TESTS.parent / "build/bin")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--count", type=int, default=500, help="overwrites of each tool")
    parser.add_argument("--only", help="commands with this in their names")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    tools, end = options.bin.resolve(), time.monotonic() + options.seconds
    os.environ.update(QUERN_BIN=str(tools), PATH="%s:%s" % (tools, os.environ["PATH"]), LANG="C.UTF-8", QUERN_NO_SYNC="1")
    sys.path.insert(0, str(TESTS))
    shards = [(options.what, options.count, options.only, i, options.jobs, end) for i in range(options.jobs)]
    with multiprocessing.Pool(options.jobs) as pool:
        results = pool.map(shard, shards, chunksize=1)
    make, _, _ = campaign_of(options.what, options.count)
    whole = make.__new__(make)
    whole.ended, whole.problems = {}, [problem for _, problems, _ in results for problem in problems]
    for ended, _, _ in results:
        for key, count in ended.items():
            whole.ended[key] = whole.ended.get(key, 0) + count
    finished = all(done for _, _, done in results)
    print(whole.table())
    print("%d runs, %d problems%s" % (sum(whole.ended.values()), len(whole.problems), "" if finished else "; not all was done"))
    print("\n".join(whole.problems))
    if options.out:
        options.out.write_text(json.dumps({"finished": finished, "table": whole.table(), "problems": whole.problems}, indent=1) + "\n")
    return 1 if whole.problems else 0 if finished else 3


if __name__ == "__main__":
    sys.exit(main())
