"""Programs that were built: every tests/unit/**/test_*.c (cmocka) must be there and pass, and every tests/fuzz/fuzz_*.c
must survive its corpus and mutations of it."""

import shutil
import subprocess

from harness import process, tap
from harness.outcome import FAILED, SKIPPED, Job, Outcome, scratch_folder

TIMEOUT = 300
MUTATIONS = {"short": 50, "medium": 200, "long": 20000}  # of each file of a corpus, by the tier asked for


def has_cmocka():
    """Can the compiler find cmocka? Without it the programs can't have been built."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return False
    text = "".join("#include <%s.h>\n" % name for name in ("stdarg", "stddef", "setjmp", "stdint", "cmocka"))
    return subprocess.run([compiler, "-E", "-xc", "-"], input=text.encode(), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def run_program(name, program, settings, arguments=(), needs_cmocka=True):
    if not program.exists():
        if needs_cmocka and not has_cmocka():
            return [Outcome(name, SKIPPED, "cmocka is not installed (libcmocka-dev)")]
        return [Outcome(name, FAILED, "%s is not built; run scons unit-tests emulated-tests" % program)]
    scratch = scratch_folder(settings, name)
    env = settings.environment(scratch)
    env["CMOCKA_MESSAGE_OUTPUT"] = "TAP"
    finished = process.run([str(program), *arguments], scratch, env, TIMEOUT * settings.timeout_scale)
    if not settings.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    return tap.conclude(finished, name)


def find(settings):
    """test_NAME.c; test_NAME_medium.c and test_NAME_long.c belong to those tiers. In the emulator every device thread is a
    fiber: no test there is short, and where memory is watched as well they take minutes."""
    jobs = []
    for source in sorted((settings.root / "unit").glob("**/test_*.c")):
        name = "unit/" + source.stem
        tier = next((tier for tier in ("medium", "long") if source.stem.endswith("_" + tier)), "short")
        if source.stem.startswith("test_emulat"):
            tier = "long" if settings.sanitized else "medium"
        program = settings.programs / source.stem
        jobs.append(Job(name, lambda n=name, p=program: run_program(n, p, settings), tier))
    return jobs + find_fuzz_targets(settings)


def find_fuzz_targets(settings):
    jobs = []
    for source in sorted((settings.root / "fuzz").glob("fuzz_*.c")):
        family = source.stem[len("fuzz_"):]
        corpus = sorted(file for file in (settings.root / "fuzz/corpus" / family).glob("*") if file.is_file())
        arguments = [family, "--mutations", str(MUTATIONS[settings.tier]), *map(str, corpus)]
        jobs.append(Job("fuzz/" + family, lambda n="fuzz/" + family, a=arguments: run_program(
            n, settings.programs / "quern-replay", settings, a, needs_cmocka=False)))
    return jobs
