"""Packs what scons has built: pack.py wheel|cuda|dist|unpacked OUTPUT [PARTS [COMPILER]]

    wheel   PARTS has lib/, bin/ and share/, as they are to be in the package and beside it
    cuda    PARTS is the module of CUDA kernels
    dist    the source
    unpacked  the package as a distribution installs it, without libraries but the one that is Python's alone

COMPILER is the one for the machine that the parts are for.

auditwheel puts the libraries that a wheel needs into it, and says on which systems it can be used.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python/backend"), str(HERE)]
import carried
import quern_backend as backend

# What every system has, or what a GPU's driver brings.
OF_THE_SYSTEM = ["libquern.so.0", "libcuda.so.1", "libnvidia-ml.so.1"]


def run_path(program, path):
    subprocess.run(["patchelf", "--set-rpath", path, program], check=True)


def tag_of(library):
    """For the machine that ELF's header names."""
    machine = int.from_bytes(library.read_bytes()[18:20], "little")
    return "py3-none-linux_" + {62: "x86_64", 183: "aarch64"}[machine]


def pack_wheel(folder, parts, compiler):
    wheel = backend.Wheel(folder, tag_of(parts / "lib/libquern.so.0"))
    backend.add_package(wheel)
    backend.add_engines(wheel)
    for path in sorted((parts / "lib").iterdir()):
        wheel.add("quern/" + path.name, path.read_bytes(), 0o755)
    command = (HERE / "wheel/command.py").read_text()
    for path in sorted((parts / "bin").iterdir()):
        with tempfile.NamedTemporaryFile() as program:
            shutil.copyfile(path, program.name)
            run_path(program.name, "$ORIGIN/..")
            wheel.add("quern/bin/" + path.name, Path(program.name).read_bytes(), 0o755)
        wheel.add(wheel.data + "scripts/" + path.name, command.replace("TOOL", path.name).encode(), 0o755)
    wheel.add("quern/bin/quern-report", (HERE / "wheel/quern-report").read_bytes(), 0o755)
    for path in sorted(path for path in (parts / "share").rglob("*") if path.is_file()):
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        wheel.add(wheel.data + "data/share/" + path.relative_to(parts / "share").as_posix(), path.read_bytes(), mode)
    packages = carried.packages(parts / "lib/libquern.so.0", ["archive", "expat"], compiler)
    for package in packages:
        wheel.add("%slicenses/%s/copyright" % (wheel.info, package.name), package.copyright)
    wheel.add(wheel.info + "sboms/quern.cdx.json", carried.sbom("quern", backend.version(), packages, backend.timestamp()))
    return wheel.finish(backend.metadata(), backend.entry_points())


def pack_cuda(folder, module, _):
    wheel = backend.Wheel(folder, tag_of(module), "quern_cuda")
    wheel.add("quern_cuda/__init__.py", b'"""The CUDA kernels of the package quern, which finds them here."""\n')
    wheel.add("quern_cuda/libquern-cuda.so.0", module.read_bytes(), 0o755)
    about = "\n".join(["Metadata-Version: 2.1", "Name: quern-cuda", "Version: " + backend.version(),
                       "Summary: The CUDA kernels of quern", "License: " + backend.project()["license"]["text"],
                       "Requires-Python: " + backend.project()["requires-python"],
                       "Requires-Dist: quern==" + backend.version(), "", "Kernels of `pip install quern[cuda]`.", ""])
    return wheel.finish(about.encode(), "")


def unpack_package(folder):
    with tempfile.TemporaryDirectory() as scratch:
        wheel = backend.Wheel(scratch, backend.tag())
        backend.add_package(wheel)
        wheel.add("quern/_capsule.so", (backend.LIBRARIES / "python/_capsule.so").read_bytes())
        wheel.finish(backend.metadata(), backend.entry_points())
        with zipfile.ZipFile(wheel.path) as packed:
            packed.extractall(folder, [name for name in packed.namelist() if not name.endswith("/RECORD")])


def repaired(path, folder):
    """The wheel with the libraries that it needs in it, if auditwheel is installed and agrees."""
    excluded = [option for name in OF_THE_SYSTEM for option in ("--exclude", name)]
    if not shutil.which("auditwheel"):
        print("scons: the wheel is for systems such as this one: auditwheel and patchelf make it one for others")
        return shutil.copy(path, folder)
    subprocess.run(["auditwheel", "repair", *excluded, "--wheel-dir", folder, path], check=True, stdout=subprocess.DEVNULL)
    return max(folder.glob("*.whl"), key=lambda wheel: wheel.stat().st_mtime)


def main(what, output, parts=None, *compiler):
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["SOURCE_DATE_EPOCH"] = str(backend.timestamp())
    if what == "dist":
        print(folder / backend.build_sdist(folder))
        return
    if what == "unpacked":
        unpack_package(folder)
        return
    with tempfile.TemporaryDirectory() as scratch:
        pack = {"wheel": pack_wheel, "cuda": pack_cuda}[what]
        print(repaired(Path(scratch) / pack(scratch, Path(parts), compiler or ["cc"]), folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
