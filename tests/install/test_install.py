"""`scons install` into a folder: what is there is complete, and a program outside can be built on it."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from harness.tools import run, values

SOURCE = Path(os.environ["QUERN_SOURCE"])
BIN = Path(os.environ["QUERN_BIN"])


def build_folder():
    """Where the build keeps what these tools were made of."""
    return BIN.parent / "release" if BIN.parent.name == "build" else BIN.parent


# A graph through HDF5 and back: are there as many edges?
BINSPARSE = """
#include <stdio.h>
#include <quern/quern.h>

int main(int argc, char **argv) {
  const struct qn_option force = {"force", NULL};
  const char *path = argv[2];
  const struct qn_option once = {"remove-duplicates", NULL};
  struct qn_session *all, *graph, *back = NULL;
  struct qn_error error;
  enum qn_status status = qn_session_open(argv[argc - 2], 0, NULL, &all, &error);
  if (!status)
    status = qn_session_transform(all, &once, 1, NULL, NULL, &graph, &error);
  if (!status)
    status = qn_session_export(graph, "binsparse", &force, 1, path, NULL, &error);
  if (!status)
    status = qn_import_files(&path, 1, NULL, 0, NULL, NULL, &back, &error);
  if (status)
    return fprintf(stderr, "%s\\n", error.message), (int)status;
  struct qn_session_info a = {.size = sizeof a}, b = {.size = sizeof b};
  qn_session_info(graph, &a);
  qn_session_info(back, &b);
  printf("%d\\n", a.num_edges == b.num_edges);
}
"""


class Terminal:
    """A shell in a terminal of tmux."""

    def __init__(self, socket, tools, words):
        self.tmux = ["tmux", "-f", os.devnull, "-S", socket]
        environment = dict(os.environ, PATH="%s:%s" % (tools, os.environ["PATH"]), HOME=str(socket.parent), PS1="$ ", TERM="screen", LC_ALL="C.UTF-8")
        subprocess.run([*self.tmux, "new-session", "-d", "-x", "250", "-y", "40", *words], cwd=SOURCE, env=environment, check=True)

    def type(self, text, key, expected):
        """What it shows, once that is expected or half a minute is over."""
        subprocess.run([*self.tmux, "send-keys", "-l", text], check=True)
        subprocess.run([*self.tmux, "send-keys", key], check=True)
        until, screen = time.monotonic() + 30, ""
        while expected and expected not in screen and time.monotonic() < until:
            time.sleep(0.05)
            screen = subprocess.run([*self.tmux, "capture-pane", "-p"], stdout=subprocess.PIPE, text=True, check=True).stdout
        return screen

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], check=False)


class Install(unittest.TestCase):
    tier, sanitized_tier = "medium", "long"
    timeout = 300

    @classmethod
    def setUpClass(cls):
        scons = shutil.which("scons")
        options = build_folder() / "install" / "options.txt"
        if not scons or not options.exists() or not os.access(SOURCE / "build", os.W_OK):
            raise unittest.SkipTest("no scons, or these tools were not built by it here")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.stage = Path(cls.folder.name) / "stage"
        cls.prefix = cls.stage / "usr"
        done = subprocess.run([scons, "-Q", "-s", *options.read_text().split(), "prefix=/usr",
                               "destdir=" + str(cls.stage), "install"], cwd=SOURCE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError(done.stdout)

    def graph(self):
        path = Path(self.folder.name) / "graph.qrn"
        if not path.exists():
            run("quern-generate", "rmat", "--scale", "8", "-q", "-o", path)
        return path

    def test_everything_is_there(self):
        tools = sorted(path.name for path in BIN.iterdir())
        self.assertEqual(sorted(path.name for path in (self.prefix / "bin").iterdir()), tools)
        self.assertEqual(sorted(path.name for path in (self.prefix / "share/man/man1").iterdir()),
                         sorted(name + ".1" for name in tools))
        for folder, ending in (("bash-completion/completions", ""), ("fish/vendor_completions.d", ".fish")):
            self.assertEqual(sorted(path.name for path in (self.prefix / "share" / folder).iterdir()), sorted(tool + ending for tool in tools))
        self.assertTrue((self.prefix / "include/quern/graph.h").exists())
        self.assertEqual(os.readlink(self.prefix / "lib/libquern.so"), "libquern.so.0")
        self.assertTrue((self.prefix / "lib/libquern.so.0").exists())
        is_static = "link=static" in (build_folder() / "install/options.txt").read_text()
        self.assertEqual((self.prefix / "lib/libquern.a").exists(), is_static)
        self.assertNotIn(str(self.stage), (self.prefix / "lib/pkgconfig/quern.pc").read_text())

    def test_it_is_small(self):
        """There is one library, and what is needed for debugging stays where it was built."""
        if "variant=release" not in (build_folder() / "install/options.txt").read_text():
            self.skipTest("this is no release")
        files = [path for path in self.prefix.rglob("*") if path.is_file() and not path.is_symlink()]
        files = [path for path in files if path.name not in ("libquern-cuda.so.0", "libquern.a")]
        self.assertLess(sum(path.stat().st_size for path in files), 15e6)

    def only_shared(self):
        if "link=shared" not in (build_folder() / "install/options.txt").read_text():
            self.skipTest("these tools have all in themselves")

    def moved(self):
        """A copy of the tools and of the library, elsewhere."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for part in ("bin", "lib"):
            shutil.copytree(self.prefix / part, Path(folder.name) / part, symlinks=True)
        return Path(folder.name)

    @unittest.skipUnless(shutil.which("readelf"), "no readelf")
    def test_what_is_hardened_stays_so(self):
        """Whatever is taken away of symbols: the dynamic linker writes first, and then nobody."""
        if "variant=release" not in (build_folder() / "install/options.txt").read_text():
            self.skipTest("this is no release")
        for file in [*(self.prefix / "bin").iterdir(), self.prefix / "lib/libquern.so.0"]:
            said = subprocess.run(["readelf", "-lnW", file], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertIn("GNU_RELRO", said, file.name)
            self.assertNotIn("Build ID", said, file.name)  # which depends on the folder that it was built in

    def test_it_can_be_moved(self):
        self.only_shared()
        moved = self.moved()
        for tool in sorted((moved / "bin").iterdir()):
            said = subprocess.run(["ldd", tool], check=True, capture_output=True, text=True).stdout
            if tool.name == "quern":  # it starts the others
                continue
            self.assertEqual([os.path.realpath(path) for path in re.findall(r"libquern\S* => (\S+)", said)],
                             [str((moved / "lib/libquern.so.0").resolve())], tool.name)
            run(tool, "--version")
        self.assertIn("256 vertices", run(moved / "bin/quern-run", "bfs", "--source", "1", self.graph()).stdout)

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_tools_of_another_version_do_not_run_with_it(self):
        self.only_shared()
        moved = self.moved()
        names, other = moved / "exports.map", moved / "lib/libquern.so.0"
        names.write_text("QUERN_0 { global: qn_version; local: *; }; QUERN_PRIVATE_0.0.9 { global: qn_*; };")
        subprocess.run(["cc", "-shared", "-xc", "/dev/null", "-Wl,-soname,libquern.so.0", "-Wl,--version-script=%s" % names,
                        "-o", other], check=True)
        done = subprocess.run([moved / "bin/quern-info", self.graph()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode != 0, done.stdout), (True, ""))
        self.assertRegex(done.stderr, r"libquern\.so\.0: version `QUERN_PRIVATE_\S+' not found")

    def test_manual_pages_say_what_help_says(self):
        for name in sorted(path.name for path in BIN.iterdir()):
            page = (self.prefix / "share/man/man1" / (name + ".1")).read_text()
            plain = page.replace("\\-", "-")
            with self.subTest(name):
                self.assertRegex(page, r"(?m)^\.SH NAME\n.+ \\- .+\n\.SH SYNOPSIS$")
                text = subprocess.run([name, "--help"], stdout=subprocess.PIPE, text=True).stdout
                listed = set(re.findall(r"(?m)^\.B (?:-[\w?], )?(-[\w-]+)", plain))
                self.assertEqual(set(re.findall(r"(?m)^ {2,6}(?:-[\w?], )?(-[\w-]+)", text)) - listed, set())
                if shutil.which("man"):
                    done = subprocess.run(["man", "--warnings", "-l", "-Tutf8", self.prefix / "share/man/man1" / (name + ".1")],
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_program_of_the_users_own(self):
        """Compiled with the headers that were installed, and nothing of the source tree."""
        cache = Path(self.folder.name) / "cache"
        said = subprocess.run([self.prefix / "bin/quern-run", "--program", SOURCE / "tests/programs/widest.h", self.graph()],
                              cwd=self.folder.name, env={**os.environ, "XDG_CACHE_HOME": str(cache)}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertRegex(said.stdout, r"^widest on graph \(cpu")
        self.assertEqual(len(list(cache.rglob("*.so"))), 1)
        [engines] = (self.prefix / "lib/quern").glob("*/engines")
        self.assertTrue((engines / "kernels/programs/program.h").exists())

    def completions(self, tool, *words):
        said = run(self.prefix / "share/quern/complete", self.prefix / "bin" / tool, *words).stdout
        return [line.split("\t")[0] for line in said.splitlines()]

    def test_what_completions_ask(self):
        for words, found in ((("quern", "im"), ["import"]), (("quern", "help", "im"), ["import"]), (("quern", "help", "pagerank"), ["pagerank", "pagerank-weighted"]),
                             (("quern", "run", "closen"), ["closeness"]), (("quern-import", "--self"), ["--self-loops"]),
                             (("quern", "import", "--self"), ["--self-loops"]), (("quern-import", "--ids=com"), ["--ids=compact"]),
                             (("quern-import", "--ids", "str"), ["strings"]), (("quern-run", "pagerank", "--dam"), ["--damping"]),
                             (("quern-run", "--dam"), []), (("quern-run", "--device=c"), ["--device=cpu", "--device=cuda"]),
                             (("quern-import", "--format", "gap"), ["gapbs"]), (("quern-export", "--format=edg"), ["--format=edges"]),
                             (("quern-import", "-o", ""), []), (("quern-run", "bfs", ""), []), (("quern", "none", "--"), [])):
            with self.subTest(words):
                self.assertEqual(self.completions(*words), found)
        self.assertGreater(len(self.completions("quern-import", "-")), 20)

    SHELLS = {
        "bash": (["bash", "--norc", "--noprofile"], "source %s/share/bash-completion/completions/quern"),
        "zsh": (["zsh", "-f"], "fpath=(%s/share/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D"),
        "fish": (["fish", "--no-config"], "set -p fish_complete_path %s/share/fish/vendor_completions.d"),
    }

    def test_completion_in_shells(self):
        """As it is typed: a word, and the tabulator."""
        for shell, (words, setup) in self.SHELLS.items():
            self.assertIsNotNone(shutil.which(shell), shell)
            terminal = Terminal(Path(self.folder.name) / shell, self.prefix / "bin", words)
            try:
                self.assertIn("ready", terminal.type(setup % self.prefix + "; echo rea''dy", "Enter", "ready"))
                for typed, shown in (("quern im", "quern import"), ("quern run closen", "quern run closeness"),
                                     ("quern-import --self", "quern-import --self-loops"), ("quern-import --ids=com", "quern-import --ids=compact"),
                                     ("quern-run bfs README.m", "bfs README.md")):
                    with self.subTest(shell, typed=typed):
                        self.assertIn(shown, terminal.type(typed, "Tab", shown))
                        terminal.type("", "C-u", None)
            finally:
                terminal.close()

    def compiled(self, source):
        """A program outside, built by what quern.pc says."""
        if "asan" in str(BIN) or "coverage" in str(BIN):
            self.skipTest("the library needs this build's own flags")
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig"),
                           PKG_CONFIG_SYSROOT_DIR=str(self.stage))
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "quern"], env=environment, stdout=subprocess.PIPE,
                               text=True, check=True).stdout.replace(str(self.stage) + str(self.stage), str(self.stage))
        program = Path(self.folder.name) / source.stem
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", source, *flags.split(), "-o", program,
                        "-Wl,-rpath," + str(self.prefix / "lib")], check=True)
        return program

    @unittest.skipUnless(shutil.which("pkg-config") and shutil.which("cc"), "no pkg-config or compiler")
    def test_c_example(self):
        program = self.compiled(self.prefix / "share/doc/quern/examples/out_degrees.c")
        self.assertEqual(run(program, self.graph()).stdout, self.expected())
        broken = Path(self.folder.name) / "broken.qrn"
        broken.write_bytes(self.graph().read_bytes()[:-1])
        done = subprocess.run([program, broken], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("broken.qrn", done.stderr)

    @unittest.skipUnless(shutil.which("patchelf") and shutil.which("dpkg") and shutil.which("cc"), "no patchelf, dpkg or compiler")
    def test_a_wheel_of_what_is_installed(self):
        """As `scons release` packs it, twice; and what it unpacks to."""
        self.only_shared()
        parts, made = Path(self.folder.name) / "wheel", Path(self.folder.name) / "unpacked"
        shutil.copytree(self.prefix / "share", parts / "share", ignore=shutil.ignore_patterns("doc"))
        shutil.copytree(self.prefix / "bin", parts / "bin")
        (parts / "lib").mkdir()
        shutil.copy(self.prefix / "lib/libquern.so.0", parts / "lib")
        program = ("import pathlib, sys; sys.path.insert(0, sys.argv[1]); import pack\n"
                   "pathlib.Path(sys.argv[2]).mkdir(); print(pack.pack_wheel(sys.argv[2], pathlib.Path(sys.argv[3]), [\"cc\"]))")
        wheels = []
        for name in "one", "two":
            folder = Path(self.folder.name) / name
            done = subprocess.run([sys.executable, "-c", program, SOURCE / "packaging", folder, parts], check=True, stdout=subprocess.PIPE, text=True)
            wheels.append(folder / done.stdout.strip())
        self.assertEqual(wheels[0].read_bytes(), wheels[1].read_bytes())
        subprocess.run([sys.executable, "-m", "zipfile", "-e", wheels[0], made], check=True)
        [data] = made.glob("*.data")
        commands = sorted(path.name for path in BIN.iterdir())
        self.assertEqual(sorted(path.name for path in (data / "scripts").iterdir()), commands)
        self.assertEqual(sorted(path.name for path in (data / "data/share/man/man1").iterdir()), sorted(name + ".1" for name in commands))
        for file in (made / "quern/bin").iterdir():
            file.chmod(0o755)
        environment = dict(os.environ, PYTHONPATH=str(made), LD_LIBRARY_PATH="")
        for name in "quern-info", "quern":
            done = subprocess.run([sys.executable, data / "scripts" / name, "--version"], env=environment, stdout=subprocess.PIPE, text=True, check=True)
            self.assertRegex(done.stdout, r"^%s \(Quern\) " % name)
        [bill] = made.glob("*.dist-info/sboms/quern.cdx.json")
        self.assertIn('"libarchive"', bill.read_text())

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("cc"), "no cmake or compiler")
    def test_c_example_by_cmake(self):
        """The same program by find_package(quern), and a version that is not installed."""
        if "asan" in str(BIN) or "coverage" in str(BIN):
            self.skipTest("the library needs this build's own flags")
        source, built = self.prefix / "share/doc/quern/examples", Path(self.folder.name) / "by cmake"
        for command in (["cmake", "-S", source, "-B", built, "-DCMAKE_PREFIX_PATH=%s" % self.prefix], ["cmake", "--build", built]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(run(built / "out_degrees", self.graph()).stdout, self.expected())
        project = Path(self.folder.name) / "newer"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(newer C)\nfind_package(quern 99 REQUIRED)\n")
        done = subprocess.run(["cmake", "-S", project, "-B", project / "build", "-DCMAKE_PREFIX_PATH=%s" % self.prefix],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("version", done.stdout)

    def test_the_version_says_what_is_installed(self):
        self.only_shared()
        moved = self.moved()
        first, modules = run(moved / "bin/quern", "--version").stdout.splitlines()
        self.assertRegex(first, r"^quern \(Quern\) \d+\.\d+\.\d+$")
        for name in "cuda", "curl", "hdf5", "mpi":
            module = moved / "lib" / ("libquern-%s.so.0" % name)
            self.assertIn("%s %s" % (name, "yes" if module.exists() else "no"), modules)
            if module.exists():  # where distributions have them, and where the Python package quern-cuda has its
                for place in "lib/quern", "quern_cuda":
                    (moved / place).mkdir(exist_ok=True)
                    module = module.rename(moved / place / module.name)
                    self.assertIn(name + " yes", run(moved / "bin/quern", "--version").stdout)
                module.unlink()
                self.assertIn(name + " no", run(moved / "bin/quern", "--version").stdout)

    @unittest.skipUnless(shutil.which("pkg-config") and shutil.which("cc"), "no pkg-config or compiler")
    def test_the_programs_of_the_page_on_the_library(self):
        page = (self.prefix / "share/doc/quern/docs/library.md").read_text()
        programs = {}
        names = ("enough", "arrays", "tables", "files", "program", "placed", "batches", "parts", "properties", "types", "changes", "look", "neighbours", "loops", "cycle")
        for name, text in zip(names, re.findall(r"(?ms)^```c\n(.*?)^```$", page)):
            source = Path(self.folder.name) / (name + ".c")
            source.write_text(text)
            programs[name] = self.compiled(source)
        self.stable_programs(programs)
        cycle, pages = (Path(self.folder.name) / name for name in ("cycle.qrn", "cycle.pages.qrn"))
        for length in (0, 1, 5):
            cycle.unlink(missing_ok=True)
            run(programs["cycle"], length, cycle)
            run("quern-verify", cycle)
        self.assertEqual(run(programs["neighbours"], cycle, "4").stdout, "0\n")
        self.assertIn("'5'", run(programs["neighbours"], cycle, "5", exit=2).stderr)
        self.assertIn("exists", run(programs["cycle"], 3, cycle, exit=2).stderr)
        run("quern-page", cycle, "-q", "-f", "-o", pages)
        self.assertEqual(run(programs["loops"], pages).stdout, "slotted-pages: 0 loops\n")
        pages.write_bytes(pages.read_bytes()[:-1])
        run(programs["loops"], pages, exit=3)

    def stable_programs(self, programs):
        folder = Path(self.folder.name)
        pages, edges, csv, archive = (folder / name for name in ("sssp.qrn", "names.txt", "names.csv", "archive.qrn"))
        (folder / "star.txt").write_text("10 20\n10 30\n20 10\n30 40\n")
        self.assertEqual(run(programs["enough"], folder / "star.txt", "10", folder / "star.qrn").stdout,
                         "4 edges\nvertex 10 has 2 out-edges\nvertex 20 has 1 out-edges\nvertex 30 has 1 out-edges\n"
                         "vertex 0 ranks first: 0.282\n")
        self.assertEqual(run("quern-export", folder / "star.qrn", "-qo", "-").stdout, "10\t20\n10\t30\n20\t10\n")
        self.assertIn("'11'", run(programs["enough"], folder / "star.txt", "11", folder / "star.qrn", exit=2).stderr)
        self.assertEqual(run(programs["arrays"]).stdout, "2 edges from 0, 2 to 3\n0: 0\n1: 1.5\n2: 1\n3: 3.5\n")
        run(programs["arrays"], pages)
        run("quern-verify", pages)
        self.assertIn("exists", run(programs["arrays"], pages, exit=2).stderr)
        self.assertEqual(run(programs["tables"]).stdout, "from column 1 to column 2\n4 vertices with 1 properties, 3 edges with 1\n"
                         "3 vertices with 0 properties, 3 edges with 0\n")
        vector = SOURCE / "specs/vectors/set-types"
        self.assertRegex(run(programs["types"], vector, "ACTED").stdout, r'"source":"Person","name":"ACTED".*\nACTED: 5 vertices, 1 edges\n')
        self.assertIn("KNOWS", run(programs["types"], vector, "KNOWS", exit=2).stderr)
        films = folder / "films"
        self.assertRegex(run(programs["types"], films, "likes", films).stdout, r'"name":"Film","vertices":3.*\nlikes: 5 vertices, 2 edges\n')
        changed = [folder / "star.qrn", folder / "star.txt", folder / "starred", folder / "twice.qrn"]
        self.assertRegex(run(programs["changes"], *changed).stdout, r'"generation":1,"vertices":4,"edges":7.*\n7 edges in all\n')
        self.assertIn("exists", run(programs["changes"], *changed, exit=2).stderr)
        self.assertRegex(run(programs["properties"]).stdout, r"\Alibquern [\d.]+\nyear: 4 values of 4 bytes, 1 null\n"
                         r'\{"vertices":\[\{"name":"year","nulls":1,"type":"u32"\}\]\}\n\{"count":\d,"largest":\d\}\n\Z')
        edges.write_text("a b\nc b\nb b\nd b\nd b\nb a\n")
        done = run(programs["files"], edges, csv)
        self.assertRegex(done.stdout, r'\Ab is first, after \d+ iterations on cpu\n\{"layout":"graph",.*\n\{"')
        self.assertIn("named-edges", done.stderr)
        self.assertEqual(len(csv.read_text().splitlines()), 5)
        self.assertIn("missing.txt", run(programs["files"], folder / "missing.txt", csv, exit=5).stderr)
        self.program_of_the_users_own(programs["program"])
        (folder / "path.txt").write_text("0 1\n1 2\n2 3\n")
        run("quern-import", folder / "path.txt", "-q", "-f", "-o", folder / "path.qrn")
        (folder / "one.txt").write_text("0 0\n")
        run("quern-import", folder / "one.txt", "--format", "edges", "-q", "-f", "-o", folder / "one.qrn")
        self.assertIn("bfs from vertex 0 ends after 3 hops\n", run(programs["placed"], folder / "path.qrn", "cpu").stdout)
        self.assertIn("device", run(programs["placed"], folder / "path.qrn", "moon", exit=2).stderr)
        self.assertEqual(run(programs["batches"], folder / "path.qrn").stdout, "2 vertices, 1 edges\n0 -> 1\n2 vertices, 1 edges\n0 -> 1\n"
                         "a walk from 0; a pair was found\n")
        self.assertIn("vertices have no property 'x'", run(programs["batches"], folder / "path.qrn", "x", exit=2).stderr)
        self.assertIn("not a vertex 1", run(programs["batches"], folder / "one.qrn", exit=2).stderr)
        run(programs["parts"], folder / "set")
        self.assertEqual(run("quern-export", folder / "set", "-qo", "-").stdout, "0\t1\n1\t2\n2\t3\n3\t4\n4\t5\n5\t0\n")
        self.assertIn("exists", run(programs["parts"], folder / "set", exit=2).stderr)
        self.assertRegex(run(programs["look"], pages, "3", archive).stdout,
                         r"\Aslotted-pages: 4 vertices, 5 edges\n3 is vertex 3\n(\w+: \d+ elements\n)+\Z")
        run(programs["look"], archive, "0", folder / "again.qrn")
        self.assertEqual(archive.read_bytes(), (folder / "again.qrn").read_bytes())
        self.assertIn("'4'", run(programs["look"], archive, "4", folder / "again.qrn", exit=2).stderr)

    def program_of_the_users_own(self, program):
        """By the library, with the headers that were installed; a place where the tools' cache is not."""
        folder = Path(self.folder.name)
        (folder / "roads.txt").write_text("0 1 5\n1 2 3\n0 2 2\n")
        run("quern-import", folder / "roads.txt", "-q", "-f", "-o", folder / "roads.qrn")
        (folder / "bad.h").write_text("#define PROGRAM_NAME\n#error not finished\n")
        environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache of the library"))
        for header, code, said in ((SOURCE / "tests/programs/widest.h", 0, '{"reached":2,"min":3,"max":5,"sum":8.0}\n'),
                                   (folder / "bad.h", 3, "the compiler says of line 2: #error not finished\n")):
            done = subprocess.run([program, folder / "roads.qrn", header, "0"], env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (code, said))

    @unittest.skipUnless(shutil.which("pkg-config") and shutil.which("cc"), "no pkg-config or compiler")
    def test_modules_are_loaded_when_they_are_needed(self):
        library = self.prefix / "lib"
        module = library / "libquern-hdf5.so.0"
        if not module.exists():
            self.skipTest("this build has no libhdf5")
        source = Path(self.folder.name) / "binsparse.c"
        source.write_text(BINSPARSE)
        program, path = self.compiled(source), Path(self.folder.name) / "graph.h5"
        self.assertEqual(run(program, self.graph(), path).stdout, "1\n")
        aside = module.rename(library / "aside")
        self.addCleanup(aside.rename, module)
        self.assertIn("binsparse needs libquern-hdf5.so.0, which", run(program, self.graph(), path, exit=4).stderr)

    def expected(self):
        out = Path(self.folder.name) / "degrees.tsv"
        run("quern-run", "degree", self.graph(), "-q", "-f", "-o", out)
        degrees = {int(vertex): int(degree) for vertex, degree in values(out).items()}
        most = max(degrees, key=lambda vertex: (degrees[vertex], -vertex))
        return "%d vertices, %d edges\n%d has %d out-edges\n" % (len(degrees), sum(degrees.values()), most,
                                                                 degrees[most])

    def test_python_example(self):
        if subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("numpy is not installed")
        example = SOURCE / "examples" / "out_degrees.py"
        self.assertLessEqual(len(example.read_text().splitlines()), 40)
        self.assertEqual(run(sys.executable, example, self.graph()).stdout, self.expected())
