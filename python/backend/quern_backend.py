"""Builds the Python package (PEP 517, PEP 660): SCons builds libquern, and this packs it.

    pip install .                                   # or pip wheel ., pip install -e .
    pip install . --config-settings=cuda=no         # variables of `scons -h`

ctypes is all that binds the library, so one wheel serves every CPython from 3.9 on. packaging/pack.py makes the wheels
of a release of the same parts.
"""

import base64
import email.message
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [ROOT / "python/quern", ROOT / "python/nx_quern"]
LIBRARIES = ROOT / "build/lib"
EARLIEST = 315532800  # of a zip: 1980


# ---- Metadata -----------------------------------------------------------------------------------

def project():
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def version():
    return re.search(r'QN_VERSION "(.*)"', (ROOT / "support/tool.h").read_text(encoding="utf-8")).group(1)


def metadata():
    """The core metadata, as METADATA and PKG-INFO have them. Wheels of one release belong together."""
    about, fields = project(), email.message.Message()
    fields["Metadata-Version"] = "2.1"
    fields["Name"], fields["Version"], fields["Summary"] = about["name"], version(), about["description"]
    fields["License"], fields["Requires-Python"] = about["license"]["text"], about["requires-python"]
    for classifier in about["classifiers"]:
        fields["Classifier"] = classifier
    for requirement in about["dependencies"]:
        fields["Requires-Dist"] = requirement
    for extra, requirements in about["optional-dependencies"].items():
        fields["Provides-Extra"] = extra
        for requirement in requirements:
            if requirement == "quern-cuda":
                requirement += "==" + version()
            fields["Requires-Dist"] = "%s; extra == '%s'" % (requirement, extra)
    fields["Description-Content-Type"] = "text/markdown"
    return fields.as_bytes().rstrip(b"\n") + b"\n\n" + (ROOT / about["readme"]).read_bytes()


def entry_points():
    """What others find the package by: scripts, and the backend of networkx."""
    groups = {"console_scripts": project()["scripts"], **project()["entry-points"]}
    return "".join("[%s]\n%s" % (group, "".join("%s = %s\n" % entry for entry in sorted(entries.items())))
                   for group, entries in sorted(groups.items()))


def timestamp():
    """Of everything that is packed, so that the same source gives the same bytes."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return max(int(os.environ["SOURCE_DATE_EPOCH"]), EARLIEST)
    try:
        asked = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except FileNotFoundError:  # there need not be git
        return EARLIEST
    return int(asked.stdout or EARLIEST) if asked.returncode == 0 else EARLIEST


# ---- Wheels -------------------------------------------------------------------------------------

def build_libraries(settings):
    options = ["%s=%s" % (name, value) for name, value in (settings or {}).items()]
    command = [sys.executable, "-m", "SCons", "-Q", "-j%d" % (os.cpu_count() or 1), *options, "python"]
    try:
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    except subprocess.CalledProcessError as failure:
        raise SystemExit("quern: scons ended with exit code %d" % failure.returncode)


def tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


class Wheel:
    """A wheel that is being written."""

    def __init__(self, folder, tags, package="quern"):
        self.name = "%s-%s-%s.whl" % (package, version(), tags)
        self.info = "%s-%s.dist-info/" % (package, version())
        self.data = "%s-%s.data/" % (package, version())
        import time
        self.date = time.gmtime(timestamp())[:6]
        self.path = Path(folder) / self.name
        self.zip = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED)
        self.record = []
        self.tags = tags

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, self.date)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append("%s,sha256=%s,%d" % (name, digest, len(data)))

    def finish(self, about, entry_points):
        pure = "true" if self.tags.endswith("-any") else "false"
        self.add(self.info + "METADATA", about)
        self.add(self.info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: quern\nRoot-Is-Purelib: %s\nTag: %s\n"
                                       % (pure, self.tags)).encode())
        self.add(self.info + "licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
        if entry_points:
            self.add(self.info + "entry_points.txt", entry_points.encode())
        record = self.info + "RECORD"
        self.zip.writestr(zipfile.ZipInfo(record, self.date), "\n".join(self.record + [record + ",,", ""]))
        self.zip.close()
        return self.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build_libraries(config_settings)
    return pack_wheel(wheel_directory)


def engine_headers():
    for top in ("formats", "include", "kernels", "support"):
        yield from sorted(path for path in (ROOT / top).rglob("*") if path.suffix in (".h", ".cuh"))


def add_package(wheel):
    """All that is not compiled, of the package and of its backend for networkx."""
    for package in PACKAGES:
        for path in sorted(path for path in package.rglob("*") if path.suffix in (".py", ".html", ".css", ".js") or path.name == "py.typed"):
            wheel.add(path.relative_to(package.parent).as_posix(), path.read_bytes())


def add_engines(wheel):
    """The headers of engines, which a user's own program is compiled with."""
    for path in engine_headers():
        wheel.add("quern/engines/" + path.relative_to(ROOT).as_posix(), path.read_bytes())


def pack_wheel(wheel_directory):
    wheel = Wheel(wheel_directory, tag())
    add_package(wheel)
    add_engines(wheel)
    for path in sorted((LIBRARIES / "python").iterdir()):  # without debugging symbols
        wheel.add("quern/" + path.name, path.read_bytes(), 0o755)
    return wheel.finish(metadata(), entry_points())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package is used where it lies, with the libraries in build/lib."""
    build_libraries(config_settings)
    wheel = Wheel(wheel_directory, tag())
    wheel.add("quern.pth", (str(ROOT / "python") + "\n").encode())
    return wheel.finish(metadata(), entry_points())


# ---- The source archive -------------------------------------------------------------------------

def sources():
    """Every file that belongs to the source: those of git, or what an archive has unpacked."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        return sorted(os.fsdecode(name) for name in listed.split(b"\0") if name and os.path.lexists(ROOT / os.fsdecode(name)))
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                  if (path.is_file() or path.is_symlink()) and path.relative_to(ROOT).parts[0] not in ("build", "PKG-INFO")
                  and "__pycache__" not in path.parts)


def build_sdist(sdist_directory, config_settings=None):
    base = "quern-" + version()
    date = timestamp()

    def member(name, size, mode):
        entry = tarfile.TarInfo("%s/%s" % (base, name))
        entry.size, entry.mode, entry.mtime = size, mode, date
        return entry

    with open(Path(sdist_directory) / (base + ".tar.gz"), "wb") as file, \
            gzip.GzipFile("", "wb", fileobj=file, mtime=date) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sources():
            if (ROOT / name).is_symlink():
                link = member(name, 0, 0o777)
                link.type, link.linkname = tarfile.SYMTYPE, os.readlink(ROOT / name)
                archive.addfile(link)
                continue
            data = (ROOT / name).read_bytes()
            executable = os.access(ROOT / name, os.X_OK)
            archive.addfile(member(name, len(data), 0o755 if executable else 0o644), io.BytesIO(data))
        about = metadata()
        archive.addfile(member("PKG-INFO", len(about), 0o644), io.BytesIO(about))
    return base + ".tar.gz"
