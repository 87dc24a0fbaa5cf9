"""A builder for .cu files: nvcc with the host compiler's flags passed through."""

import os
import subprocess

from SCons.Script import Exit
from SCons.Scanner.C import CScanner
from SCons.Tool import createObjBuilders


def find_nvcc(env):
    return env.WhereIs("nvcc") or env.WhereIs("nvcc", path="/usr/local/cuda/bin")


def exists(env):
    return find_nvcc(env) is not None


def architecture_flags(env):
    """Machine code for every named capability, PTX of the last for later ones."""
    names = [name.strip() for name in env["cuda_arch"].split(",") if name.strip()]
    flags = ["-gencode=arch=compute_%s,code=sm_%s" % (name, name) for name in names]
    flags.append("-gencode=arch=compute_%s,code=compute_%s" % (names[-1], names[-1]))
    return flags


def generate(env):
    env["CUDA_SCANNER"] = CScanner()
    nvcc = find_nvcc(env) if env["cuda"] != "no" else None
    env["HAS_CUDA"] = nvcc is not None
    env["CUDA_LIBS"] = []
    if nvcc is None:
        if env["cuda"] == "yes":
            print("scons: cuda=yes, but nvcc is not on the PATH; install the CUDA Toolkit")
            Exit(5)
        if env["cuda"] == "auto":
            print("scons: no nvcc found: building for the CPU only")
        return
    root = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    env["NVCC"] = nvcc
    env["CUDA_ROOT"] = root
    env["NVCCFLAGS"] = ["-std=c++17", "-O3", "-lineinfo", "--expt-relaxed-constexpr",
                        "-ccbin=$CXX", "-Xcompiler=-fopenmp,-Wall"] + architecture_flags(env)
    env["NVCCCOM"] = "$NVCC $NVCCFLAGS $_CPPDEFFLAGS $_CPPINCFLAGS -c -o $TARGET $SOURCE"
    env["CUDA_LIBS"] = ["cudart_static", "dl", "rt", "stdc++"]
    library = next((path for path in (root + "/lib64", root + "/targets/x86_64-linux/lib")
                    if os.path.isdir(path)), root + "/lib")
    env.Append(LIBPATH=[library])
    static, shared = createObjBuilders(env)
    scanner = CScanner()
    for builder in (static, shared):
        builder.add_action(".cu", "$NVCCCOM")
        builder.add_emitter(".cu", lambda target, source, env: (target, source))
        builder.src_builder = builder.src_builder
    from SCons.Tool import SourceFileScanner
    SourceFileScanner.add_scanner(".cu", scanner)
    SourceFileScanner.add_scanner(".cuh", scanner)
