"""Every command in the README and in docs/ runs, on small stand-ins for the files that it names.

What a page shows in a block of `sh` is run in order, in one folder, by bash. Stand-ins for the tools, first on the PATH, make
generated graphs small and run in the emulator what is to run on a GPU."""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from harness.tools import run

SOURCE = Path(os.environ["QUERN_SOURCE"])
BIN = Path(os.environ["QUERN_BIN"])
EMULATED = BIN.parent / "emulator/bin/quern-run"

# In front of the tools that the pages name.
GENERATE = """#!/bin/bash
exec "%s" "${@/#2[06]/6}"
"""
RUN = """#!/bin/bash
case " $* " in
  *" --device cuda"* | *" --device both"* | *" --devices "*)
    QUERN_EMULATOR_DEVICES=4 exec "%s" "$@" ;;
esac
exec "%s" "$@"
"""


def blocks(page):
    """The commands of a page, block by block, each with its first line's number."""
    text = (SOURCE / page).read_text()
    return [(text[:match.start()].count("\n") + 2, match.group(1)) for match in re.finditer(r"(?ms)^```sh\n(.*?)^```$", text)]


def edges(separator=" ", weighted=False, parallel=True):
    """A graph whose vertices 0 to 59 hang together, with a hub, a loop and perhaps a parallel edge."""
    pairs = [(i, (i + 1) % 60) for i in range(60)] + [(42, i) for i in range(0, 60, 3)] + [(7, 7)] + [(0, 1)] * parallel
    return "".join(separator.join(map(str, pair + ((1 + sum(pair) % 9,) if weighted else ()))) + "\n" for pair in pairs)


def pack(path, name, text):
    with tarfile.open(path, "w:xz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text.encode()))


def npy(kind, shape, numbers):
    """An array as NumPy writes it."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    return b"\x93NUMPY\1\0\x76\0" + header.ljust(117).encode() + b"\n" + numbers


class Commands:
    """Of one page, which a subclass names; `ready` are the containers that it takes for granted."""

    tier, sanitized_tier = "medium", "long"
    timeout = 120
    tier, sanitized_tier = "medium", "long"  # some run on the emulator
    ready = ()
    more = ""  # commands before the page's

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        (self.at / "soc-LiveJournal1.txt.gz").write_bytes(gzip.compress(edges(parallel=False).encode()))
        for name in ("part1.txt", "part2.txt.zst"):
            (self.at / name).write_text(edges(weighted=True))  # packing is told by content: plain text will do
        (self.at / "twitter.txt").write_text(edges())
        (self.at / "noisy.txt").write_text(edges() + "not an edge\n")
        (self.at / "edges.csv").write_text("from,to\n" + edges(","))
        (self.at / "friends.csv").write_text("from,to,since,label\n1,2,1999,old\n2,3,,\n")
        (self.at / "people.csv").write_text("id,name\n1,Ann\n2,Bo\n")
        (self.at / "points.csv").write_text("from,to,place,born,seen\n1,2,0.5;1;-2,2024-02-29,2024-02-29T13:00:00.25Z\n2,3,,,\n")
        (self.at / "features.npy").write_bytes(npy("<f4", (3, 2), bytes(24)))
        with zipfile.ZipFile(self.at / "more.npz", "w") as archive:
            archive.writestr("y.npy", npy("|u1", "(3,)", bytes(3)))
        pack(self.at / "web.tar.xz", "edges.csv", "from,to\n" + edges(","))
        (self.at / "ids.txt").write_text("1\n2\n42\n")
        (self.at / "road.txt").write_text(edges(weighted=True))
        run("quern-import", self.at / "road.txt", "-q", "-o", self.at / "road.qrn")
        run("quern-run", "sssp", self.at / "road.qrn", "--source", "1", "-q", "-o", self.at / "reference.tsv")
        (self.at / "reference.tsv.gz").write_bytes(gzip.compress((self.at / "reference.tsv").read_bytes()))
        for name in self.ready:
            run("quern-import", self.at / "twitter.txt", "-q", "-o", self.at / (name + ".qrn"))
        for folder in ("scratch", "disk1", "disk2"):
            (self.at / folder).mkdir()
        (self.at / "bin").mkdir()
        for tool, script in (("quern-generate", GENERATE % (BIN / "quern-generate")), ("quern-run", RUN % (EMULATED, BIN / "quern-run"))):
            (self.at / "bin" / tool).write_text(script)
            (self.at / "bin" / tool).chmod(0o755)

    def run_block(self, line, commands):
        environment = dict(os.environ, PATH="%s:%s" % (self.at / "bin", os.environ["PATH"]), TMPDIR=str(self.at / "scratch"))
        commands = commands.replace(" /scratch", " scratch").replace(" /disk", " disk")
        if not (shutil.which("mpirun") and (BIN.parent / "lib/libquern-mpi.so.0").exists()):
            commands = re.sub(r"(?m)^mpirun.*$", "", commands)
        environment["OMPI_MCA_orte_tmpdir_base"] = "/tmp"  # the names of sockets are short
        commands = re.sub(r"(?m)^(\./bootstrap|scons|tests/run\.py|bench/).*$", "", commands)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=self.at, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="backslashreplace")
        self.assertEqual(done.returncode, 0, "%s:%d: %s\n%s" % (self.page, line, commands, done.stdout[-3000:]))

    def test_commands(self):
        found = blocks(self.page)
        self.assertGreater(len(found), 0)
        if not EMULATED.exists() and any("--device" in commands for _, commands in found):
            self.skipTest("the emulator is not built")
        for line, commands in [(0, self.more)] + found:
            self.run_block(line, commands)


class Readme(Commands, unittest.TestCase):
    page = "README.md"


class Algorithms(Commands, unittest.TestCase):
    page, ready = "docs/algorithms.md", ("web",)


class Partitioning(Commands, unittest.TestCase):
    page = "docs/partitioning.md"


class Formats(Commands, unittest.TestCase):
    page = "docs/formats.md"


class Web(Commands, unittest.TestCase):
    page = "docs/web.md"

    def setUp(self):
        """A host graph in parts, and a domain graph whose folder has everything."""
        super().setUp()
        hosts, domains = self.at / "hosts", self.at / "domains"
        for folder in (hosts / "vertices", hosts / "edges", domains):
            folder.mkdir(parents=True)
        names = ["org.example%s" % (".h%02d" % host if host else "") for host in range(60)]
        for part in range(2):
            (hosts / "vertices" / ("part-0000%d-c.txt.gz" % part)).write_bytes(gzip.compress("".join(
                "%d\t%s\n" % (host, names[host]) for host in range(30 * part, 30 * part + 30)).encode()))
        (hosts / "edges/part-00000-c.txt.gz").write_bytes(gzip.compress(edges("\t").encode()))
        run("quern-export", self.at / "road.qrn", "--format", "webgraph", "-q", "-o", self.at / "cc-domain")
        for end in (".graph", ".properties", ".offsets"):
            shutil.copy(self.at / ("cc-domain/cc-domain" + end), domains)
        shutil.copy(domains / "cc-domain.graph", domains / "cc-domain-t.graph")
        (domains / "cc-domain-vertices.txt.gz").write_bytes(gzip.compress("".join(
            "%d\torg.d%02d\t1\n" % (domain, domain) for domain in range(60)).encode()))


class Catalogue(Commands, unittest.TestCase):
    page = "docs/catalogue.md"

    def setUp(self):
        """A catalogue whose only graph is on a server of this machine, and in a folder."""
        from remote.scene import HAS_LIBCURL
        from remote.server import Server
        if not HAS_LIBCURL:
            self.skipTest("this build has no libcurl")
        super().setUp()
        votes = gzip.compress(edges("\t", parallel=False).encode())
        server = Server({"/wiki-Vote.txt.gz": votes})
        self.addCleanup(server.close)
        for folder in ("downloads", "recipes"):
            (self.at / folder).mkdir()
        (self.at / "downloads/wiki-Vote.txt.gz").write_bytes(votes)
        recipe = json.loads((SOURCE / "recipes/wiki-Vote.json").read_text())
        recipe["files"][0].update(urls=[server.url("/wiki-Vote.txt.gz")], bytes=len(votes), sha256=hashlib.sha256(votes).hexdigest())
        (self.at / "recipes/wiki-Vote.json").write_text(json.dumps(recipe))
        environment = mock.patch.dict(os.environ, QUERN_RECIPES=str(self.at / "recipes"), XDG_CACHE_HOME=str(self.at / "cache"))
        environment.start()
        self.addCleanup(environment.stop)


class Cluster(Commands, unittest.TestCase):
    page = "docs/cluster.md"


class Types(Commands, unittest.TestCase):
    page = "docs/types.md"

    def run_block(self, line, commands):
        if "parquet" not in commands:  # python/test_docs runs the whole page, with the package
            super().run_block(line, commands)


class Changes(Commands, unittest.TestCase):
    page = "docs/changes.md"


class LargeGraphs(Commands, unittest.TestCase):
    page = "docs/large-graphs.md"


class Layouts(Commands, unittest.TestCase):
    page, ready = "docs/layouts.md", ("lj",)


class Gpu(Commands, unittest.TestCase):
    page, ready = "docs/gpu.md", ("lj", "g")


class Architecture(Commands, unittest.TestCase):
    page = "docs/architecture.md"


class Debugging(Commands, unittest.TestCase):
    page, ready = "docs/debugging.md", ("g",)
    more = "quern-page g.qrn -q -o g.pages.qrn"


class Training(Commands, unittest.TestCase):
    page, ready = "docs/training.md", ("g",)


class Every(unittest.TestCase):
    def test_no_page_is_left_out(self):
        tested = {each.page for each in Commands.__subclasses__()}
        pages = ["README.md"] + ["docs/" + page.name for page in (SOURCE / "docs").glob("*.md")]
        self.assertEqual({page for page in pages if blocks(page)} - tested, set())

    def test_tests_that_pages_name_are_there(self):
        names = [str(path.relative_to(SOURCE / "tests")) for path in (SOURCE / "tests").rglob("*test*")]
        pages = [SOURCE / "tests/README.md", *(SOURCE / "docs").glob("*.md")]
        words = {word for page in pages for word in re.findall(r"tests/run\.py[^#\n]* -k (\S+)", page.read_text())}
        self.assertGreater(len(words), 3)
        for word in words:
            self.assertTrue(any(word in name for name in names), word)

    def test_bootstrap_and_scons_know_what_pages_ask_for(self):
        bootstrap = subprocess.run(["sh", str(SOURCE / "bootstrap")], stderr=subprocess.PIPE, text=True).stderr
        build = (SOURCE / "SConstruct").read_text()
        build += "".join(path.read_text() for pattern in ("*/SCons*", "site_scons/*.py") for path in SOURCE.glob(pattern))
        for page in ["README.md", "CONTRIBUTING.md"] + ["docs/" + each.name for each in (SOURCE / "docs").glob("*.md")]:
            text = (SOURCE / page).read_text()
            for word in re.findall(r"(?m)^ *\./bootstrap (\w+)", text):
                self.assertIn(word, re.findall(r"\w+", bootstrap), page)
            for words in re.findall(r"(?m)^ *scons ([^#\n&]+)", text):
                for word in words.split():
                    option = re.fullmatch(r"([\w-]+)=\S+", word)
                    if option:
                        self.assertRegex(build, r'"%s"' % option.group(1), page)
                    elif not word.startswith("-"):
                        self.assertRegex(build, r'lias\("%s"' % word, page)


if __name__ == "__main__":
    unittest.main()
