"""Tests of the tools as files: tests/cli/**/*.test (the format is in tests/README.md)."""

import difflib
import importlib.util
import re
import shutil
from dataclasses import dataclass, field

from harness import process
from harness.outcome import FAILED, PASSED, SKIPPED, TIERS, Job, Outcome, scratch_folder

DEFAULT_TIMEOUT = 60


class BadTest(Exception):
    """The test file itself is wrong."""


@dataclass
class Step:
    """A command and what is expected of it, or a file to write (`command` None)."""
    line: int
    command: str = None
    file: str = None
    text: str = ""
    exit: int = 0
    checks: list = field(default_factory=list)  # (kind, argument, text)


@dataclass
class Script:
    tier: str = "short"
    timeout: float = DEFAULT_TIMEOUT
    requires: list = field(default_factory=list)
    steps: list = field(default_factory=list)


def parse(text):
    """The text of a .test file -> Script."""
    script, lines, at = Script(), text.split("\n"), 0
    while at < len(lines):
        number, line = at + 1, lines[at].rstrip()
        at += 1
        if not line or line.startswith("#"):
            continue
        if line.startswith("    "):
            raise BadTest("line %d: an indented block belongs below file, stdout, stderr or content" % number)
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "$":
            while rest.endswith("\\") and at < len(lines):
                rest, at = rest[:-1] + lines[at].strip(), at + 1
            script.steps.append(Step(number, command=rest))
            continue
        block, at = take_block(lines, at) if expects_block(word, rest) else ("", at)
        if not header(script, number, word, rest, block):
            if not script.steps or script.steps[-1].command is None:
                raise BadTest("line %d: '%s' must follow a '$ command'" % (number, word))
            expectation(script.steps[-1], number, word, rest, block)
    if not any(step.command for step in script.steps):
        raise BadTest("there is no '$ command'")
    return script


def expects_block(word, rest):
    return word in ("file", "content") or (word in ("stdout", "stderr") and not rest)


def take_block(lines, at):
    """The indented lines from `at`, less four spaces each; a blank line stays if more block follows."""
    block, end = [], at
    for index in range(at, len(lines)):
        if lines[index].startswith("    "):
            block += [""] * (index - end) + [lines[index][4:]]
            end = index + 1
        elif lines[index].strip():
            break
    return "".join(line + "\n" for line in block), end


def header(script, number, word, rest, block):
    if word == "tier":
        if rest not in TIERS:
            raise BadTest("line %d: tier is one of %s" % (number, ", ".join(TIERS)))
        script.tier = rest
    elif word == "timeout":
        script.timeout = float(rest)
    elif word == "requires":
        kind, _, what = rest.partition(" ")
        if kind not in ("graph", "module", "program") or not what:
            raise BadTest("line %d: requires graph PATH | module NAME | program NAME" % number)
        script.requires.append((kind, what))
    elif word == "file":
        script.steps.append(Step(number, file=rest, text=block))
    else:
        return False
    return True


def expectation(step, number, word, rest, block):
    if word == "exit":
        step.exit = int(rest)
    elif word in ("exists", "absent") and rest:
        step.checks.append((word, rest, ""))
    elif word == "content" and rest:
        step.checks.append((word, rest, block))
    elif word in ("stdout", "stderr"):
        if not rest:
            step.checks.append((word, "=", block))
        elif rest == "empty":
            step.checks.append((word, "=", ""))
        elif rest[:2] in ("~ ", "!~"):
            kind, _, pattern = rest.partition(" ")
            try:
                re.compile(pattern)
            except re.error as error:
                raise BadTest("line %d: %s: %s" % (number, pattern, error))
            step.checks.append((word, kind, pattern))
        else:
            raise BadTest("line %d: %s takes a block, 'empty', '~ REGEX' or '!~ REGEX'" % (number, word))
    else:
        raise BadTest("line %d: unknown directive '%s'" % (number, word))


def unmet(requires, settings):
    """Why the test can't run here, or ''."""
    for kind, what in requires:
        if kind == "graph" and not (settings.graphs and (settings.graphs / what).exists()):
            return "no graph %s (QUERN_TEST_GRAPHS=%s)" % (what, settings.graphs)
        if kind == "program" and not shutil.which(what, path=settings.environment("/")["PATH"]):
            return "program %s is not installed" % what
        if kind == "module" and importlib.util.find_spec(what) is None:
            return "python module %s is not installed" % what
    return ""


def difference(expected, got):
    lines = list(difflib.unified_diff(expected.splitlines(), got.splitlines(), "expected", "got", lineterm=""))
    if not lines:
        return "they differ in the final newline"
    more = ["... (%d lines more)" % (len(lines) - 60)] if len(lines) > 60 else []
    return "\n".join(lines[:60] + more)


def check(kind, argument, text, finished, folder):
    """One expectation; '' or what is wrong."""
    if kind == "exists":
        return "" if (folder / argument).exists() else "%s should exist" % argument
    if kind == "absent":
        return "" if not list(folder.glob(argument)) else "%s should not exist" % argument
    if kind == "content":
        path = folder / argument
        if not path.exists():
            return "%s should exist" % argument
        got = path.read_bytes().decode("utf-8", "backslashreplace")
        return "" if got == text else "%s differs:\n%s" % (argument, difference(text, got))
    got = finished.stdout if kind == "stdout" else finished.stderr
    if argument == "=":
        return "" if got == text else "%s differs:\n%s" % (kind, difference(text, got))
    found = re.search(text, got, re.MULTILINE) is not None
    if argument == "~":
        return "" if found else "%s should match: %s" % (kind, text)
    return "" if not found else "%s should not match: %s" % (kind, text)


def perform(step, folder, env, timeout):
    """Run one step; '' or a report of what is wrong."""
    if step.command is None:
        path = folder / step.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(step.text.encode())
        return ""
    finished = process.run(["bash", "-o", "pipefail", "-c", step.command], folder, env, timeout)
    wrong = [finished.trouble()]
    if finished.code != step.exit and not finished.timed_out:
        wrong.append("exit code %d, expected %d" % (finished.code, step.exit))
    wrong += [check(kind, argument, text, finished, folder) for kind, argument, text in step.checks]
    wrong = [item for item in wrong if item]
    if not wrong:
        return ""
    report = ["line %d: $ %s" % (step.line, step.command)] + wrong
    for name, output in (("stdout", finished.stdout), ("stderr", finished.stderr)):
        if output:
            report.append("--- %s\n%s" % (name, output[-4000:].rstrip("\n")))
    return "\n".join(report)


def run_script(name, script, settings):
    """All steps in a scratch folder of their own -> Outcome."""
    reason = unmet(script.requires, settings)
    if reason:
        return Outcome(name, SKIPPED, reason)
    scratch = scratch_folder(settings, name)
    folder, home = scratch / "work", scratch / "home"
    folder.mkdir()
    home.mkdir()
    report = ""
    for step in script.steps:
        report = perform(step, folder, settings.environment(home), script.timeout * settings.timeout_scale)
        if report:
            break
    if not settings.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    return Outcome(name, FAILED, report) if report else Outcome(name, PASSED)


def find(settings):
    jobs = []
    for path in sorted((settings.root / "cli").glob("**/*.test")):
        name = str(path.relative_to(settings.root).with_suffix(""))
        try:
            script = parse(path.read_text())
        except (BadTest, ValueError) as error:
            jobs.append(Job(name, lambda n=name, e=error: [Outcome(n, FAILED, "bad test file: %s" % e)]))
            continue
        jobs.append(Job(name, lambda n=name, s=script: [run_script(n, s, settings)], script.tier))
    return jobs
