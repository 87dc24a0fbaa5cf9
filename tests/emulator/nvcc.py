#!/usr/bin/env python3
"""What QUERN_NVCC names in tests: it takes nvcc's arguments, and has the C++ compiler make a module for the emulator."""

import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
INSTRUMENTATION = ["-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0", "--param",
                   "tsan-distinguish-volatile=1"]


def translated(arguments):
    """Those that both compilers know; of the others the emulator has no use."""
    kept, linked, rest = [], [], iter(arguments)
    for argument in rest:
        if argument in ("-o", "-include"):
            kept += [argument, next(rest)]
        elif argument == "-x":
            assert next(rest) == "cu"
            kept += ["-x", "c++"]
        elif argument == "-Xlinker":
            linked.append(next(rest))
        elif argument.startswith(("-D", "-I", "-std=", "-Xcompiler=")) or not argument.startswith("-"):
            kept.append(argument.replace("-Xcompiler=", ""))
    return kept, linked


def main():
    architectures = [argument for argument in sys.argv if argument.startswith("-arch=")]
    assert architectures == ["-arch=sm_90"], architectures  # the device that the emulator pretends to be
    arguments, linked = translated(sys.argv[1:])
    module = arguments.pop(arguments.index("-o") + 1)
    arguments.remove("-o")
    instrumentation = [] if os.environ.get("QUERN_EMULATOR_PLAIN") else INSTRUMENTATION
    made = subprocess.call(["c++", "-c", "-O1", "-w", "-o", module + ".o", *instrumentation,
                            "-I%s" % (SOURCE / "tests/emulator/include"), *arguments])
    if made == 0:  # what is instrumented calls the emulator, and not that sanitizer's library
        made = subprocess.call(["c++", "-shared", "-fopenmp", "-o", module, module + ".o", *linked])
        os.unlink(module + ".o")
    return made


if __name__ == "__main__":
    sys.exit(main())
