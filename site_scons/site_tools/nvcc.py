"""Objects from .cu files: nvcc, with the C++ compiler's flags passed through to its host pass.

Sets HAS_CUDA (is there an nvcc to build with?), CUDA_LIBS, and, in any case, CUDA_SCANNER."""

import os
import re
import subprocess

from SCons.Scanner.C import CScanner
from SCons.Script import Exit
from SCons.Tool import SourceFileScanner, createObjBuilders


def find_nvcc(env):
    return env.WhereIs("nvcc") or env.WhereIs("nvcc", path="/usr/local/cuda/bin")


def exists(env):
    return find_nvcc(env) is not None


def architectures(env):
    """The compute capabilities asked for, ascending."""
    names = [name.strip() for name in env["cuda_arch"].split(",") if name.strip()]
    wrong = [name for name in names if not re.fullmatch(r"\d{2,3}[af]?", name)]
    if wrong or not names:
        print("scons: cuda_arch=%s: expected compute capabilities such as 75,80,90" % env["cuda_arch"])
        Exit(2)
    return sorted(names, key=lambda name: int(re.match(r"\d+", name).group()))


def architecture_flags(names):
    """Machine code for every named capability, PTX of the last for later devices."""
    flags = ["-gencode=arch=compute_%s,code=sm_%s" % (name, name) for name in names]
    flags.append("-gencode=arch=compute_%s,code=compute_%s" % (names[-1], names[-1]))
    return flags


def compression_flags(nvcc):
    """Machine code is packed, too; drivers unpack what they load. How small can be asked for since CUDA 12.9, and what that
    makes, drivers of CUDA 13 read."""
    listed = subprocess.run([nvcc, "--help"], stdout=subprocess.PIPE, text=True).stdout
    version = subprocess.run([nvcc, "--version"], stdout=subprocess.PIPE, text=True).stdout
    release = re.search(r"release (\d+)", version)
    is_new = "--compress-mode" in listed and release and int(release.group(1)) >= 13
    return ["--compress-mode=size"] if is_new else ["-Xfatbin=-compress-all"]


def refused_architectures(nvcc, names):
    """What this nvcc cannot compile for."""
    listed = subprocess.run([nvcc, "--list-gpu-arch"], stdout=subprocess.PIPE, text=True).stdout.split()
    return [name for name in names if listed and "compute_" + name.rstrip("af") not in listed]


def host_flags(env):
    """Flags for the host compiler behind nvcc. -Wextra and pedantry choke on nvcc's own output."""
    flags = [flag for flag in env.Flatten(env["CCFLAGS"])
             if str(flag) not in ("-Wextra", "-Werror") and not str(flag).startswith("-Wframe")]
    flags += [] if env["cuda_optimise"] else ["-O0", "-g0"]
    return ["-Xcompiler=" + str(flag).replace(",", "\\,") for flag in flags]


def host_compiler(nvcc, cxx):
    """The option that names nvcc a host compiler that it takes: ours, else the one that it was packaged with. As a
    list, and why ours was refused; None instead of the list if there is neither."""
    refusal = None
    for option in (["-ccbin=" + cxx], []):
        probe = subprocess.run([nvcc, *option, "-E", "-x", "cu", os.devnull, "-o", os.devnull],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if probe.returncode == 0:
            return option, refusal
        said = re.search(r"#error -- ([^!\n]*)", probe.stderr) or re.search(r"(\S.*)", probe.stderr)
        refusal = refusal or (said.group(1) if said else "it fails")
    return None, refusal


def library_folder(root):
    machine = {"aarch64": "sbsa-linux"}.get(os.uname().machine, os.uname().machine + "-linux")
    candidates = (root + "/lib64", root + "/targets/%s/lib" % machine, root + "/lib",
                  root + "/lib/%s-linux-gnu" % os.uname().machine)  # of Debian's and Ubuntu's package
    return next((path for path in candidates if os.path.exists(path + "/libcudart_static.a")), None)


def give_up(env, reason):
    """No CUDA in this build; an error if it was asked for."""
    if env["cuda"] == "yes":
        print("scons: cuda=yes, but " + reason)
        Exit(5)
    if env["cuda"] == "auto" and not env.GetOption("silent"):
        print("scons: building for the CPU only: " + reason)


def generate(env):
    env["CUDA_SCANNER"] = CScanner()
    SourceFileScanner.add_scanner(".cu", env["CUDA_SCANNER"])
    SourceFileScanner.add_scanner(".cuh", env["CUDA_SCANNER"])
    env["HAS_CUDA"] = env["HAS_CUSPARSE"] = False
    env["CUDA_LIBS"] = []
    nvcc = find_nvcc(env) if env["cuda"] != "no" else None
    if nvcc is None:
        return give_up(env, "nvcc is not on the PATH; install the CUDA Toolkit (nvidia-cuda-toolkit)")
    root = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    libraries = library_folder(root)
    names = architectures(env)
    refused = refused_architectures(nvcc, names)
    if libraries is None:
        return give_up(env, "%s has no libcudart_static.a; install the CUDA Toolkit's cudart-dev package" % root)
    if refused:
        return give_up(env, "this nvcc cannot compile for %s; set cuda_arch" % ", ".join(refused))
    compiler, refusal = host_compiler(nvcc, env.subst("$CXX"))
    if compiler is None:
        return give_up(env, "nvcc does not take %s (%s); set CXX to a compiler that it takes"
                       % (env.subst("$CXX"), refusal))
    if not compiler and not env.GetOption("silent"):
        print("scons: nvcc does not take %s (%s); it uses its own host compiler" % (env.subst("$CXX"), refusal))
    env["HAS_CUDA"] = True
    env["NVCC"] = nvcc
    optimisation = ["-O3", "-lineinfo"] if env["cuda_optimise"] else ["-Xcicc", "-O0", "-Xptxas", "-O0"]
    env["NVCCFLAGS"] = (["-std=c++17", *optimisation, "--expt-relaxed-constexpr", *compiler,
                         "-diag-suppress=177,550"]  # functions and variables that one program doesn't use
                        + (["-Werror=all-warnings"] if env["werror"] else []) + architecture_flags(names) + compression_flags(nvcc)
                        + ["-DQN_CUDA_LEAST_ARCH=" + re.match(r"\d+", names[0]).group()])
    env["NVCC_HOST_FLAGS"] = host_flags
    env["NVCCCOM"] = ("$NVCC $NVCCFLAGS ${NVCC_HOST_FLAGS(__env__)} $_CPPDEFFLAGS $_CPPINCFLAGS"
                      " -c -o $TARGET $SOURCE")
    env["CUDA_LIBS"] = ["cudart_static", "dl", "rt", "stdc++"]
    env["HAS_CUSPARSE"] = os.path.exists(libraries + "/libcusparse.so")  # for bench/ alone
    env["CUDA_LIBRARY_FOLDER"] = libraries
    env.Append(LIBPATH=[libraries])
    for builder in createObjBuilders(env):
        builder.add_action(".cu", "$NVCCCOM")
        builder.add_emitter(".cu", lambda target, source, env: (target, source))
