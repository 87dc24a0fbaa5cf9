"""Reading TAP, the Test Anything Protocol, as cmocka and our Python tests print it."""

import re

from harness.outcome import FAILED, PASSED, SKIPPED, Outcome

POINT = re.compile(r"^\s*(ok|not ok)\b\s*(\d+)?\s*(?:-\s*)?(.*)$")
PLAN = re.compile(r"^\s*1\.\.(\d+)")
SKIP = re.compile(r"#\s*skip\S*\s*(.*)$", re.IGNORECASE)


def parse(text, prefix):
    """-> (outcomes, number of tests that the plans promise). Lines after a `not ok` tell why."""
    outcomes, planned = [], 0
    for line in text.splitlines():
        plan, point = PLAN.match(line), POINT.match(line)
        if plan:
            planned += int(plan.group(1))
        elif point:
            outcomes.append(outcome_of(point, prefix))
        elif outcomes and outcomes[-1].status == FAILED:
            outcomes[-1].detail += re.sub("^# ?", "", line) + "\n"
    return outcomes, planned


def outcome_of(point, prefix):
    verdict, number, title = point.groups()
    skip = SKIP.search(title)
    label = SKIP.sub("", title).strip() or (skip.group(1) if skip else "") or number or "?"
    name = "%s: %s" % (prefix, label)
    if skip:
        return Outcome(name, SKIPPED, skip.group(1) or "skipped")
    return Outcome(name, PASSED if verdict == "ok" else FAILED)


def conclude(finished, prefix):
    """The outcomes of a finished program that printed TAP. A program that dies, is cut short, fails
    without saying what, or tests nothing is a failure of its own."""
    outcomes, planned = parse(finished.stdout, prefix)
    failed = any(outcome.status == FAILED for outcome in outcomes)
    trouble = finished.trouble()
    if not trouble and planned != len(outcomes):
        trouble = "planned %d tests, ran %d" % (planned, len(outcomes))
    if not trouble and not outcomes:
        trouble = "it has no tests"
    if not trouble and finished.code != 0 and not failed:
        trouble = "exit code %d, though no test failed" % finished.code
    if trouble:
        detail = "%s\n%s\n%s" % (trouble, finished.stdout[-2000:], finished.stderr[-6000:])
        outcomes.append(Outcome(prefix, FAILED, detail))
    elif failed and finished.stderr:
        last = [outcome for outcome in outcomes if outcome.status == FAILED][-1]
        last.detail += finished.stderr[-6000:]
    return outcomes
