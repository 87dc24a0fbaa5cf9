"""What `scons release` has made, in roots that have nothing: no compiler, none of our libraries.

debootstrap makes the roots, in build/roots, where they stay: Debian 12, and Ubuntu 24.04 where the keys of its archive are
installed (ubuntu-keyring). It needs root, and the archives and PyPI.
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
DIST, ROOTS = SOURCE / "build/dist", SOURCE / "build/roots"
VERSION = re.search(r'QN_VERSION "(.*)"', (SOURCE / "support/tool.h").read_text()).group(1)
SUITES = {
    "bookworm": ["http://deb.debian.org/debian"],
    "noble": ["http://archive.ubuntu.com/ubuntu", "--components=main,universe",
              "--keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg"],
}
# What a user types, from a root with Python to the ranks of an edge list.
BY_PIP = """
python3 -m venv environment
. environment/bin/activate
pip install -q ./quern-*.whl
quern-import edges.txt -q -o graph.qrn
quern-run pagerank graph.qrn -q -o ranks.tsv
"""
BY_APT = """
apt-get install -y -qq --no-install-recommends ./libquern0_*.deb ./quern_*.deb ./python3-quern_*.deb
quern-import edges.txt -q -o graph.qrn
quern-run pagerank graph.qrn -q -o ranks.tsv
"""
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


def made(pattern):
    found = sorted(DIST.glob(pattern))
    if not found:
        raise unittest.SkipTest("`scons release` has made no %s in build/dist" % pattern)
    return found


class Root:
    """A copy of a fresh root, which commands run in."""

    def __init__(self, suite, test):
        if os.geteuid() != 0 or not shutil.which("debootstrap"):
            raise unittest.SkipTest("not root, or no debootstrap")
        fresh = ROOTS / suite
        if not fresh.exists():
            self.make(suite, fresh)
        scratch = tempfile.TemporaryDirectory(dir=ROOTS)
        test.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / suite
        subprocess.run(["cp", "-a", "--reflink=auto", fresh, self.path], check=True)
        for file in "/etc/resolv.conf", "/etc/hosts", CERTIFICATES:  # as this machine reaches the network
            shutil.copy(file, self.path / file[1:])

    @staticmethod
    def make(suite, fresh):
        mirror, *options = SUITES[suite]
        keyring = [option.split("=")[1] for option in options if option.startswith("--keyring=")]
        if not all(os.path.exists(path) for path in keyring):
            raise unittest.SkipTest("the keys of %s's archive are not installed" % suite)
        ROOTS.mkdir(exist_ok=True)
        half = ROOTS / (suite + ".half")
        if half.exists():
            shutil.rmtree(half)
        base = Path("/usr/share/debootstrap/scripts")
        script = next(base / name for name in (suite, "jammy") if (base / name).exists())
        done = subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates,python3,python3-venv", *options,
                               suite, half, mirror, script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise unittest.SkipTest("debootstrap: " + done.stdout.strip().splitlines()[-1])
        half.rename(fresh)

    def put(self, *files):
        for file in files:
            shutil.copy(file, self.path / "root")

    def run(self, script):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "TMPDIR": "/tmp", "AUTOPKGTEST_TMP": "/tmp",
                       "DEBIAN_FRONTEND": "noninteractive", "PIP_CERT": CERTIFICATES, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        # In a name space of its own, with which the mount goes whatever happens.
        enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" sh -ec "$1"'
        done = subprocess.run(["unshare", "--mount", "sh", "-c", enter, self.path, "cd /root\n" + script], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError(done.stdout[-3000:])
        return done.stdout


class _Releases(unittest.TestCase):
    tier, sanitized_tier, timeout = "long", "long", 3600

    def first_ranks(self, suite, files, script):
        """The goal is a minute, on a machine that does nothing else."""
        root = Root(suite, self)
        root.put(*files)
        with open(root.path / "root/edges.txt", "w") as edges:
            edges.writelines("%d %d\n" % (i % 1000, i * 7919 % 50000) for i in range(300000))
        begin = time.monotonic()
        root.run(script)
        print("%s: %.1f s to the first ranks" % (suite, time.monotonic() - begin))
        self.assertGreater(len((root.path / "root/ranks.tsv").read_text().splitlines()), 40000)
        self.assertEqual(root.run("command -v cc gcc || true"), "")
        return root

    def by_pip(self, suite):
        root = self.first_ranks(suite, made("quern-%s-*manylinux*.whl" % VERSION), BY_PIP)
        self.assertRegex(root.run(". environment/bin/activate; python -m quern.test 2>&1"), r"(?m)^OK")
        self.assertIn("quern (Quern) %s\n" % VERSION, root.run("environment/bin/quern --version"))
        self.assertIn("usage", root.run("environment/bin/quern report --help"))
        self.assertTrue((root.path / "root/environment/share/man/man1/quern-run.1").exists())

    def by_apt(self, suite):
        root = self.first_ranks(suite, made("*_%s_*.deb" % VERSION), "apt-get update -qq\n" + BY_APT)
        self.assertRegex(root.run("python3 -m quern.test 2>&1"), r"(?m)^OK")
        tests = SOURCE / "packaging/debian/tests"
        root.put(tests / "tools", tests / "c-example")
        root.run("./tools")
        root.run("apt-get install -y -qq --no-install-recommends ./libquern-dev_*.deb cmake gcc libc6-dev make pkgconf >/dev/null\n"
                 "rm -rf /tmp/*; ./c-example")


class Debian(_Releases):
    def test_the_wheel(self):
        self.by_pip("bookworm")

    def test_the_packages(self):
        self.by_apt("bookworm")


class Ubuntu(_Releases):
    def test_the_wheel(self):
        self.by_pip("noble")

    def test_the_packages(self):
        """Those that were built on Debian."""
        self.by_apt("noble")


class Files(unittest.TestCase):
    """What can be seen without a root."""
    tier, sanitized_tier, timeout = "long", "long", 600

    def test_the_wheel(self):
        [wheel] = made("quern-%s-*manylinux*.whl" % VERSION)
        self.assertLess(wheel.stat().st_size, 12e6)
        self.assertIn("py3-none-manylinux_2_34_", wheel.name)  # Ubuntu 22.04, Debian 12, RHEL 9
        with zipfile.ZipFile(wheel) as packed:
            names = packed.namelist()
            licences = {name.split("/")[2] for name in names if "/licenses/" in name and not name.endswith("/")}
        carried = {re.match(r"lib([a-z0-9]+)-", name.split("/")[1]).group(1) for name in names if name.startswith("quern.libs/l")}
        packages = {"bz2": "bzip2", "gomp": "gcc-12", "lzma": "xz-utils", "zstd": "libzstd"}
        self.assertEqual({packages.get(name, name) for name in carried} | {"expat", "libarchive"}, licences - {"LICENSE"})

    @unittest.skipUnless(shutil.which("lintian"), "no lintian")
    def test_lintian(self):
        done = subprocess.run(["lintian", "--fail-on", "error,warning", *made("*_%s_*.deb" % VERSION)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
