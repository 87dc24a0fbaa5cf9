"""An input is written over, in place, while a tool works: there is no result, or the right one of what was there before
or after, and no signal ends the tool."""

import os
import random
import re
import shutil
import signal
import struct
import subprocess
import unittest
from pathlib import Path

from faults.commands import contents, timeless
from faults.campaign import BIN
from harness.tools import run

SHIM = BIN.parent / "release" / "tests" / "libquern_overwrite.so"

# name: (words, the input that is written over, what is written to: a file, a folder, or None)
COMMANDS = {
    "block-both": ("quern-block IN/graph.qrn -d both --out-edges -o out.qrn", "graph.qrn", "out.qrn"),
    "block-many": ("quern-block IN/graph.qrn -d both --block-vertices 512 -o out.qrn", "graph.qrn", "out.qrn"),
    "block-in": ("quern-block IN/with-in.qrn -d pull --block-vertices 512 -o out.qrn", "with-in.qrn", "out.qrn"),
    "pack": ("quern-pack IN/graph.qrn -o out.qrn", "graph.qrn", "out.qrn"),
    "hybrid": ("quern-hybrid IN/graph.qrn --direction both -o out.qrn", "graph.qrn", "out.qrn"),
    "hybrid-narrow": ("quern-hybrid IN/with-in.qrn --width 1 -o out.qrn", "with-in.qrn", "out.qrn"),
    "page": ("quern-page IN/graph.qrn -o out.qrn", "graph.qrn", "out.qrn"),
    "page-small": ("quern-page IN/graph.qrn --page-size 2048 --address 3,3 -o out.qrn", "graph.qrn", "out.qrn"),
    "partition": ("quern-partition IN/graph.qrn -o out.qrn", "graph.qrn", "out.qrn"),
    "shard": ("quern-shard IN/graph.qrn -o out.qrn", "graph.qrn", "out.qrn"),
    "shard-in": ("quern-shard IN/with-in.qrn --shard-vertices 256 -o out.qrn", "with-in.qrn", "out.qrn"),
    "symmetrize": ("quern-transform IN/graph.qrn --symmetrize --relabel degree -o out.qrn", "graph.qrn", "out.qrn"),
    "transpose": ("quern-transform IN/graph.qrn --transpose --in-edges=also --remove-duplicates -o out.qrn", "graph.qrn", "out.qrn"),
    "egonet": ("quern-transform IN/graph.qrn --egonet 0 --hops 2 -o out.qrn", "graph.qrn", "out.qrn"),
    "induced": ("quern-transform IN/graph.qrn --induced IN/list -o out.qrn", "graph.qrn", "out.qrn"),
    "archive": ("quern-archive create IN/graph.qrn -o out.qra", "graph.qrn", "out.qra"),
    "archive-undirected": ("quern-archive create IN/undirected.qrn -o out.qra", "undirected.qrn", "out.qra"),
    "archive-pages": ("quern-archive create IN/slotted-pages.qrn -o out.qra", "slotted-pages.qrn", "out.qra"),
    "extract": ("quern-archive extract IN/graph.qra -o out.qrn", "graph.qra", "out.qrn"),
    "extract-undirected": ("quern-archive extract IN/undirected.qra -o out.qrn", "undirected.qra", "out.qrn"),
    "extract-member": ("quern-archive extract IN/bundle.tar graph.qrn", "bundle.tar", "graph.qrn"),
    "verify": ("quern-verify IN/graph.qrn", "graph.qrn", None),
    "verify-archive": ("quern-verify IN/undirected.qra", "undirected.qra", None),
    "info": ("quern-info IN/graph.qrn --json", "graph.qrn", None),
    "statistics": ("quern-info IN/graph.qrn --stats", "graph.qrn", None),
    "contract": ("quern-transform IN/graph.qrn --contract IN/groups -o out.qrn", "groups", "out.qrn"),
    "kcore": ("quern-transform IN/graph.qrn --kcore 3 --random-weights 1,9,7 -o out.qrn", "graph.qrn", "out.qrn"),
    "stripe": ("quern-transform IN/shards.qrn --stripe . --stripe . -o out.qrn", "shards.qrn", "out.qrn"),
    "unstripe": ("quern-transform IN/striped.qrn -o out.qrn", "striped.qrn.stripe-0", "out.qrn"),
    "verify-striped": ("quern-verify IN/striped.qrn", "striped.qrn.stripe-1", None),
    "run-striped": ("quern-run pagerank IN/striped.qrn --iterations 3 --device cpu -o out.tsv", "striped.qrn.stripe-0", "out.tsv"),
    "tree": ("quern-verify --weighted --tree IN/graph.qrn IN/parents.tsv", "graph.qrn", None),
    "tree-of": ("quern-verify --weighted --tree IN/graph.qrn IN/parents.tsv", "parents.tsv", None),
    "against": ("quern-verify IN/values.tsv --against IN/reference.tsv", "reference.tsv", None),
}
COMMANDS.update({"relabel-" + order: ("quern-transform IN/graph.qrn --relabel %s -o out.qrn" % order, "graph.qrn", "out.qrn")
                 for order in ("degree", "random", "rcm", "llp", "gorder")})
COMMANDS.update({"export-" + name: ("quern-export IN/graph.qrn --format %s -o out" % name, "graph.qrn", "out")
                 for name in ("edges", "csv", "npz", "npy", "pairs", "adjacency", "galois", "gapbs", "dimacs", "graphalytics",
                              "webgraph")})
COMMANDS["export-metis"] = ("quern-export IN/symmetric-graph.qrn --format metis -o out", "symmetric-graph.qrn", "out")
COMMANDS["export-parts"] = ("quern-export IN/graph.qrn --format edges --parts 3 -o out", "graph.qrn", "out")
LAYOUTS = {"blocked-csr": ("quern-block", "-d", "both"), "hybrid": ("quern-hybrid", "-d", "both"), "packed": ("quern-pack",),
           "slotted-pages": ("quern-page",), "edge-partitions": ("quern-partition",), "shards": ("quern-shard",)}
COMMANDS.update({"import-" + layout: ("quern-import IN/%s.qrn -o out.qrn" % layout, layout + ".qrn", "out.qrn")
                 for layout in LAYOUTS})
for file in ("web.graph", "web.offsets", "web.names"):
    COMMANDS["import-" + file] = ("quern-import IN/web.graph --names IN/web.names -o out.qrn", file, "out.qrn")
COMMANDS["import-text"] = ("quern-import IN/edges.txt -o out.qrn", "edges.txt", "out.qrn")
FORMATS = ("matrix-market", "adjacency", "npz", "npy", "galois", "gapbs", "dimacs", "arcs", "metis", "json", "json-lines", "gml",
           "graphml", "gexf", "csv")
COMMANDS.update({"import-" + format: ("quern-import IN/%s -o out.qrn" % format, format, "out.qrn") for format in FORMATS})
COMMANDS.update({
    "import-names": ("quern-import IN/dated.csv --ids strings -o out.qrn", "dated.csv", "out.qrn"),
    "import-gzip": ("quern-import IN/edges.txt.gz -o out.qrn", "edges.txt.gz", "out.qrn"),
    "import-zip": ("quern-import IN/edges.zip --parts 2 -o out", "edges.zip", "out"),
    "import-spilled": ("quern-import IN/edges.txt --memory 12M --undirected -o out.qrn", "edges.txt", "out.qrn"),
    "import-graphml-properties": ("quern-import IN/graphml --properties all -o out.qrn", "graphml", "out.qrn"),
})
PROGRAMS = {"bfs": "--source 1", "sssp": "--source 1", "pagerank": "--iterations 3", "cc": "", "kcore": "", "spmv": "--vector IN/vector",
            "neighborhood": "--source 1 --hops 2", "radius": "", "heat": "--source 1 --iterations 3", "degree": ""}
OWN = {"bc": ("graph", "blocked-csr", "slotted-pages", "edge-partitions"), "tc": ("graph", *LAYOUTS), "closeness": ("graph", "packed", "slotted-pages"),
       "cross-edges": ("graph", "slotted-pages"), "harmonic": ("graph", "blocked-csr"), "path": ("graph",)}
OWN.update({program: ("graph",) for program in ("scc", "cdlp", "lcc", "leiden", "mis", "coloring", "hits", "similarity", "sample",
                                                "walk")})
OPTIONS = {"bc": "--source 1", "cdlp": "--iterations 3", "closeness": "--samples 70", "harmonic": "--samples 70",
           "path": "--source 1 --target 17", "sample": "--sources IN/list", "walk": "--length 5"}
SYMMETRIC = ("cc", "kcore", "tc", "leiden", "mis", "coloring")


def add_run(program, layout, options):
    input, output = ("symmetric-" if program in SYMMETRIC else "") + layout + ".qrn", None if program == "tc" else "out.tsv"
    COMMANDS["run-%s-%s" % (program, layout)] = (
        "quern-run %s IN/%s %s --device cpu%s" % (program, input, options, " -o out.tsv" if output else ""), input, output)


for program, options in PROGRAMS.items():
    for layout in ("graph", *LAYOUTS):
        add_run(program, layout, options)
for program, layouts in OWN.items():
    for layout in layouts:
        add_run(program, layout, OPTIONS.get(program, ""))
FILES = {"rwr --sources": "list", "cross-edges --groups": "groups", "similarity --pairs": "pairs"}
COMMANDS.update({"run-with-" + file: ("quern-run %s IN/%s IN/graph.qrn --device cpu -o out.tsv" % (words, file), file, "out.tsv")
                 for words, file in FILES.items()})
COMMANDS["run-with-vector"] = ("quern-run spmv --vector IN/vector IN/graph.qrn --device cpu -o out.tsv", "vector", "out.tsv")
COMMANDS["run-several"] = ("quern-run degree,scc,pagerank IN/graph.qrn --iterations 3 --device cpu -o out", "graph.qrn", "out")
COMMANDS["run-several-told"] = ("quern-run degree,pagerank IN/undirected.qrn --iterations 3 --device cpu", "undirected.qrn", None)
for layout in ("graph", "packed", "slotted-pages"):
    COMMANDS["run-columns-" + layout] = (
        "quern-run sssp IN/%s.qrn --sources 1,2,3 --device cpu -o out.tsv" % layout, layout + ".qrn", "out.tsv")
COMMANDS["run-cc-directed"] = ("quern-run cc IN/graph.qrn --device cpu -o out.tsv", "graph.qrn", "out.tsv")
for program in ("bfs", "sssp"):
    for layout in ("graph", *LAYOUTS):
        COMMANDS["parents-%s-%s" % (program, layout)] = (
            "quern-run %s IN/%s.qrn --source 1 --device cpu --parents out.tsv" % (program, layout), layout + ".qrn", "out.tsv")
COMMANDS.update({"%s-properties" % tool: ("quern-%s IN/dated.qrn -o out.qrn" % tool, "dated.qrn", "out.qrn")
                 for tool in ("pack", "page", "shard")})
COMMANDS.update({
    "restore-properties": ("quern-import IN/dated.qrn -o out.qrn", "dated.qrn", "out.qrn"),
    "transform-properties": ("quern-transform IN/dated.qrn --transpose --relabel degree -o out.qrn", "dated.qrn", "out.qrn"),
    "export-properties": ("quern-export IN/dated.qrn --format csv -o out.csv", "dated.qrn", "out.csv"),
    "export-graphml": ("quern-export IN/dated.qrn --format graphml -o out", "dated.qrn", "out"),
    "verify-properties": ("quern-verify IN/dated.qrn", "dated.qrn", None),
    "archive-properties": ("quern-archive create IN/dated.qrn -o out.qra", "dated.qrn", "out.qra"),
    "extract-properties": ("quern-archive extract IN/dated.qra -o out.qrn", "dated.qra", "out.qrn"),
    "extract-set": ("quern-archive extract IN/set.qra -o out.qrn", "set.qra", "out.qrn"),
    "split": ("quern-transform IN/graph.qrn --parts 3 -o out", "graph.qrn", "out"),
    "split-properties": ("quern-transform IN/dated.qrn --parts 2 -o out", "dated.qrn", "out"),
    "import-set": ("quern-import IN/edges.txt --parts 2 -o out", "edges.txt", "out"),
    "import-properties": ("quern-import IN/dated.csv --properties all -o out.qrn", "dated.csv", "out.qrn"),
    "import-properties-set": ("quern-import IN/dated.csv --properties all --parts 2 -o out", "dated.csv", "out"),
    "import-vertices-set": ("quern-import IN/dated.csv --vertices IN/vertices.csv --parts 2 -o out", "vertices.csv", "out"),
})
SETS = {"unite": ("quern-transform IN/%s -o out.qrn", "out.qrn"),
        "archive-set": ("quern-archive create IN/%s -o out.qra", "out.qra"), "verify-set": ("quern-verify IN/%s", None),
        "info-set": ("quern-info IN/%s --json", None), "export-set": ("quern-export IN/%s --format csv -o out", "out"),
        "run-set-bfs": ("quern-run bfs IN/%s --source 1 --device cpu -o out.tsv", "out.tsv"),
        "run-set-cc": ("quern-run cc IN/%s --device cpu -o out.tsv", "out.tsv"),
        "run-set-pagerank": ("quern-run pagerank IN/%s --device cpu --iterations 3 -o out.tsv", "out.tsv"),
        "run-set-parts": ("quern-run bfs IN/%s --sources 1,2 --device cpu --parts npy -o out", "out"),
        "pack-set": ("quern-pack IN/%s -o out", "out"),
        "run-set-scc": ("quern-run scc IN/%s --device cpu -o out.tsv", "out.tsv")}
for name, (words, output) in SETS.items():
    of = "symmetric-set" if name == "run-set-cc" else "set"
    for file in ("part-00001.qrn", "vertices.qrn") if name != "info-set" else ("vertices.qrn",):
        COMMANDS["%s-%s" % (name, file.split(".")[0])] = (words % of, of + "/" + file, output)


def make_inputs(folder, seed):
    folder.mkdir()
    graph = folder / "graph.qrn"
    run("quern-generate", "rmat", "--scale", "12", "--degree", "8", "--weights", "1,9", "--seed", seed, "-q", "-o", graph)
    run("quern-transform", graph, "--in-edges=also", "-q", "-o", folder / "with-in.qrn")
    run("quern-transform", graph, "--symmetrize", "-q", "-o", folder / "undirected.qrn")
    run("quern-transform", folder / "undirected.qrn", "--remove-self-loops", "--remove-duplicates", "-q",
        "-o", folder / "symmetric-graph.qrn")
    for layout, command in LAYOUTS.items():
        for kind in ("", "symmetric-"):
            run(*command, folder / (kind + "graph.qrn"), "-q", "-o", folder / (kind + layout + ".qrn"))
    run("quern-transform", folder / "shards.qrn", "--stripe", folder, "--stripe", folder, "-q", "-o", folder / "striped.qrn")
    for name in ("graph", "undirected"):
        run("quern-archive", "create", folder / (name + ".qrn"), "-q", "-o", folder / (name + ".qra"))
    run("quern-archive", "create", graph, folder / "shards.qrn", "-q", "-o", folder / "bundle.tar")
    run("quern-run", "sssp", graph, "--source", "1", "--device", "cpu", "-q", "--parents", folder / "parents.tsv", "-o", folder / "values.tsv")
    shutil.copy(folder / "values.tsv", folder / "reference.tsv")
    run("quern-export", graph, "--format", "edges", "-q", "-o", folder / "edges.txt")
    (folder / "dated.csv").write_text("src,dst,weight,since,note\n" + "".join(
        "%d,%d,%d,%d,n%d\n" % (i * (seed + 1) % 997, i * i % 1013, i % 7, i, i % 13) for i in range(9000)))
    (folder / "vertices.csv").write_text("id,size\n" + "".join("%d,%d\n" % (i, i * (seed + 1)) for i in range(1013)))
    run("quern-import", folder / "dated.csv", "--properties", "all", "-q", "-o", folder / "dated.qrn")
    run("quern-archive", "create", folder / "dated.qrn", "-q", "-o", folder / "dated.qra")
    run("quern-transform", graph, "--remove-duplicates", "-q", "-o", folder / "simple.qrn")
    for format in FORMATS:
        run("quern-export", folder / ("symmetric-graph.qrn" if format == "metis" else "simple.qrn"), "--format", format, "-q",
            "-o", folder / format)
    run("quern-export", folder / "simple.qrn", "--format", "webgraph", "-q", "-o", folder / "web")
    for end in ("graph", "offsets", "properties"):
        shutil.copy(folder / "web" / ("web." + end), folder)
    (folder / "web.names").write_text("".join("%d\torg.w%04d.%d\n" % (i, i, seed) for i in range(2**12)))
    run("gzip", "-kn", folder / "edges.txt")
    shutil.make_archive(folder / "edges", "zip", folder, "edges.txt")
    run("quern-transform", folder / "dated.qrn", "--parts", "3", "-q", "-o", folder / "set")
    run("quern-archive", "create", folder / "set", "-q", "-o", folder / "set.qra")
    run("quern-transform", folder / "symmetric-graph.qrn", "--parts", "3", "-q", "-o", folder / "symmetric-set")
    (folder / "vector").write_text("".join("%d %d\n" % (i, i % 7) for i in range(2000)))
    (folder / "pairs").write_text("".join("%d %d\n" % (i * (seed + 1) % 997, i * i % 1013) for i in range(2000)))
    (folder / "groups").write_text("".join("%d %d\n" % (i, i * seed % 31) for i in range(2000)))
    (folder / "list").write_text("".join("%d\n" % i for i in range(2000)))


# What is written over an input, of its own bytes and those of another one of the kind. The frame stays where the tool
# has read it already; an empty one cuts the file.
def ones(old, other):
    return old[:4096] + b"\xff" * (len(old) - 4096)


def shifted(old, other):
    return old[:4096] + old[4097:]


def noise(old, other):
    return old[:4096] + random.Random(len(old)).randbytes(len(old) - 4096)


def another(old, other):
    return other


def nothing(old, other):
    return b""


KINDS = (another, ones, shifted, noise, nothing)


class Overwrites:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.folder.mkdir()
        for name, seed in (("old", 1), ("new", 2)):
            make_inputs(self.folder / name, seed)
        self.inputs = self.folder / "in"
        shutil.copytree(self.folder / "old", self.inputs)
        self.problems, self.ended, self.known = [], {}, {}

    def start(self, name, work, **overwrite):
        words, _, output = COMMANDS[name]
        words = words.replace("IN/", str(self.inputs) + "/").split() + ["-T2"] + (["-q"] if output else [])
        env = dict(os.environ, QUERN_NO_SYNC="1", LD_PRELOAD=str(SHIM))
        env.update({("QUERN_OVERWRITE_" + key).rstrip("_"): str(value) for key, value in overwrite.items()})
        return subprocess.run(words, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)

    def result(self, finished, found):
        """Of programs that send within an iteration how many there are depends on threads; tables of several have times."""
        return finished.returncode, re.sub(rb"^(iterations|  \S+ +cpu) .*$", b"", timeless(finished.stdout), flags=re.MULTILINE), found

    def input_of(self, name, version):
        return (self.folder / version / COMMANDS[name][1]).read_bytes()

    def place(self, name, there):
        """The input that the command reads, always at one place, as its name is in outputs; all others are the old ones."""
        path = self.inputs / COMMANDS[name][1]
        path.write_bytes(there)
        return path

    def right(self, name, kind=None):
        """What the command gives of what was there before, or is there after it was written over with a kind, how many
        moments it has, and how often it opens the input."""
        if (name, kind) not in self.known:
            work, count, there = self.folder / "work", self.folder / "count", self.input_of(name, "old")
            if kind:
                over = kind(there, self.input_of(name, "new"))
                there = over[:len(there)] + there[len(over):] if over else there[:len(there) // 2]
            work.mkdir()
            count.write_bytes(bytes(4096))
            finished = self.start(name, work, FILE=self.place(name, there), COUNT=count)
            self.known[name, kind] = self.result(finished, contents(work)), *struct.unpack_from("QQ", count.read_bytes())
            shutil.rmtree(work)
            self.place(name, self.input_of(name, "old"))
        return self.known[name, kind]

    def run(self, name, kind, nth, back=0, again=0, opening=0):
        before = self.input_of(name, "old")
        work, over, path = self.folder / "work", self.folder / "over", self.place(name, before)
        work.mkdir()
        over.write_bytes(kind(before, self.input_of(name, "new")))
        case = "%s, %s at moment %d, back after %d, again %d" % (name, kind.__name__, nth, back, again)
        try:
            finished = self.start(name, work, FILE=path, WITH=over, _=nth, BACK=back, AGAIN=again, OPENING=opening)
        except subprocess.TimeoutExpired:
            self.problems.append(case + ": does not end")
            return
        finally:
            found = contents(work)
            shutil.rmtree(work)
            self.place(name, before)
        key = (COMMANDS[name][0].split()[0], finished.returncode)
        self.ended[key] = self.ended.get(key, 0) + 1
        problem = None
        if finished.returncode < 0:
            problem = "ends by signal %d" % -finished.returncode
        elif finished.returncode in (0, 1):
            if self.result(finished, found) not in (self.right(name)[0], self.right(name, kind)[0]):
                problem = "exits %d with another result" % finished.returncode
        elif finished.returncode not in (3, 5):
            problem = "exits %d" % finished.returncode
        elif found:
            problem = "leaves %s" % sorted(found)
        if problem:
            self.problems.append("%s: %s\n    %s" % (case, problem, finished.stderr.decode(errors="replace")[-300:]))
        return finished.returncode

    def run_any(self, name, chance):
        nth = chance.randint(1, max(self.right(name)[1], 1))
        how = chance.random()
        self.run(name, chance.choice(KINDS), nth, back=chance.randint(1, 20) if how < 0.2 else 0, again=how > 0.8)

    def table(self):
        """How the runs ended, as lines of Markdown."""
        tools, codes = (sorted({key[i] for key in self.ended}) for i in (0, 1))
        lines = ["| tool | " + " | ".join("exit %d" % code for code in codes) + " |", "|---|" + "---:|" * len(codes)]
        for tool in tools:
            lines.append("| `%s` | " % tool + " | ".join("{:,}".format(self.ended.get((tool, code), 0))
                                                           for code in codes) + " |")
        return "\n".join(lines)


def commands_by_tool():
    tools = {}
    for name, (words, _, _) in COMMANDS.items():
        tools.setdefault(words.split()[0], []).append(name)
    return tools


def cases(count):
    """So many overwrites of each tool: a command's name, and what decides all else."""
    for names in commands_by_tool().values():
        for i in range(count):
            yield names[i % len(names)], "%s %d" % (names[i % len(names)], i)


def have_shim():
    if BIN.parent.name != "build":
        raise unittest.SkipTest("inputs are written over in release programs alone")
    if not SHIM.exists():
        raise AssertionError("%s is not built; run scons unit-tests" % SHIM)


# What ended by a signal once, or with a wrong result, and what it took.
ONCE = {"run-spmv-blocked-csr": ones, "run-heat-blocked-csr": ones, "run-radius-blocked-csr": ones,
        "parents-sssp-blocked-csr": ones, "parents-bfs-blocked-csr": noise, "against": another,
        "tree": ones}
LATE = ("run-tc-graph", "run-tc-blocked-csr", "run-tc-slotted-pages", "run-several-told")  # with the result, figures are told
LISTS = ("run-with-vector", "run-with-list", "run-with-groups", "run-with-pairs", "contract", "tree-of")


class SomeOverwrites(unittest.TestCase):
    """The same on every machine, however fast: moments all over what failed once, and one of some commands."""
    tier, timeout = "medium", 300

    def test_some(self):
        have_shim()
        campaign, chance = Overwrites("campaign"), random.Random(5)
        for name, kind in ONCE.items():
            for tenth in range(1, 11):
                campaign.run(name, kind, campaign.right(name)[1] * tenth // 11)
        for name in chance.sample(sorted(COMMANDS), 100):
            campaign.run_any(name, chance)
        for name in LATE:
            for moment in range(campaign.right(name)[1] - 24, campaign.right(name)[1], 2):
                campaign.run(name, noise, moment)
        for name in LISTS:  # which cannot be read then: what is wrong is that they changed
            self.assertEqual(campaign.run(name, noise, 2, opening=campaign.right(name)[2]), 5, name)
        self.assertEqual(campaign.problems, [], "\n".join(campaign.problems))


class ManyOverwrites(unittest.TestCase):
    """500 of every tool. shards.py does it on many cores."""
    tier, timeout = "long", 7200

    def test_many(self):
        have_shim()
        campaign = Overwrites("campaign")
        for name, seed in cases(500):
            campaign.run_any(name, random.Random(seed))
        print(campaign.table())
        self.assertEqual(campaign.problems, [], "%d problems\n%s" % (len(campaign.problems), "\n".join(campaign.problems)))


if __name__ == "__main__":
    unittest.main()
