#!/usr/bin/env python3
"""The algorithms of GAP and LDBC Graphalytics, and the others that networkit or igraph have, in one run beside them where they can
be imported, and beside gapbs where it is built. All are called from Python, in turn, on the same graphs in memory.

    PYTHONPATH=python bench/suites.py [--scales 18,20] [--also NAME=FILE]... [--only WORD,...] [--gapbs FOLDER] [--json FILE]

A call's wall-clock time and the processor time of all its threads are the medians of --turns turns, in which libraries alternate; what
takes longer than --patience seconds is called once. --leiden NAME=FILE... compares communities from ten seeds instead.
"""

import argparse
import functools
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that wait for work take no processor time
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import numpy as np

import quern
import records

try:
    import networkit
except ImportError:
    networkit = None
try:
    import igraph
except ImportError:
    igraph = None

THREADS = 2
NUM_SOURCES, NUM_SAMPLES, NUM_PAIRS, NUM_WALKS, LENGTH = 4, 64, 100000, 10000, 80
TOLERANCE = 1e-6
SEEDS = range(1, 11)


# ---- Graphs ------------------------------------------------------------------------------------

class Graphs:
    """A graph as each library has it, made when it is first asked for: `simple` undirected, without loops and parallel edges and with
    whole weights from 1 to 255; `directed` as it comes."""

    def __init__(self, name, simple, directed):
        self.name = name
        self.paths = {False: simple, True: directed}
        degrees = np.diff(self.open(False).row_offsets)
        self.most = int(degrees.max())
        chosen = np.random.default_rng(1).choice(np.flatnonzero(degrees), NUM_SAMPLES, replace=False)
        self.samples = [int(vertex) for vertex in chosen]
        self.sources = self.samples[:NUM_SOURCES]

    @functools.lru_cache(maxsize=None)
    def open(self, directed):
        return quern.open(self.paths[directed])

    @functools.lru_cache(maxsize=None)
    def placed(self, directed):
        return self.open(directed).on("cpu", threads=THREADS)

    @functools.lru_cache(maxsize=None)
    def edges(self, directed):
        """Arrays of ends and weights, of an undirected edge once."""
        graph = self.open(directed)
        source, target = np.asarray(graph.sources()), np.asarray(graph.column_indices)
        weights = graph.weights if graph.weights is not None else np.ones(len(source), "u4")
        kept = slice(None) if directed else source <= target
        return source[kept], target[kept], np.asarray(weights)[kept].astype(float)

    @functools.lru_cache(maxsize=None)
    def networkit(self, directed, weighted=False):
        source, target, weights = self.edges(directed)
        ends = (source.astype("u8"), target.astype("u8"))
        return networkit.GraphFromCoo((weights, ends) if weighted else ends, n=self.open(directed).num_vertices, weighted=weighted,
                                      directed=directed)

    @functools.lru_cache(maxsize=None)
    def igraph(self, directed):
        source, target, weights = self.edges(directed)
        graph = igraph.Graph(n=self.open(directed).num_vertices, edges=np.stack([source, target], 1), directed=directed)
        graph.es["weight"] = weights
        return graph

    @functools.lru_cache(maxsize=None)
    def pairs(self):
        source, target, _ = self.edges(False)
        chosen = np.random.default_rng(2).choice(len(source), min(NUM_PAIRS, len(source)), replace=False)
        return [(int(source[i]), int(target[i])) for i in chosen]

    @functools.lru_cache(maxsize=None)
    def file(self, what):
        """Samples or pairs as a file."""
        path = Path(self.paths[False]).with_suffix("." + what)
        lines = self.samples if what == "samples" else ["%d %d" % pair for pair in self.pairs()]
        path.write_text("".join("%s\n" % line for line in lines))
        return str(path)


# ---- Algorithms --------------------------------------------------------------------------------

def ours(algorithm, directed=False, sources=False, **options):
    """As the ids of these graphs are 0, 1, ..., a vertex is called by its number."""
    def call(graphs):
        if sources:
            for vertex in graphs.sources:
                graphs.placed(directed).run(algorithm, source=vertex, progress=False, **options)
        else:
            graphs.placed(directed).run(algorithm, progress=False, **options)
    return call


def nk(make, directed=False, weighted=False, sources=False):
    def call(graphs):
        graph = graphs.networkit(directed, weighted)
        for vertex in graphs.sources if sources else [None]:
            (make(graph, vertex) if sources else make(graph)).run()
    return call


def ig(compute, directed=False, sources=False):
    def call(graphs):
        for vertex in graphs.sources if sources else [None]:
            compute(graphs.igraph(directed), *[vertex] * sources)
    return call


def pagerank(graph):
    made = networkit.centrality.PageRank(graph, 0.85, TOLERANCE)
    made.norm = networkit.centrality.Norm.L1_NORM
    return made


def of_pairs(graphs):
    index = networkit.linkprediction.JaccardIndex(graphs.networkit(False))
    index.runOn(graphs.pairs())


def walk(graphs):
    graph = graphs.igraph(False)
    for vertex in graphs.samples * (NUM_WALKS // NUM_SAMPLES):
        graph.random_walk(vertex, LENGTH)


def case(row, our, networkit=None, igraph=None, gapbs=None):
    return {"row": row, "Quern": our, "networkit": networkit, "igraph": igraph, "gapbs": gapbs}


BFS = case("BFS, %d sources" % NUM_SOURCES, ours("bfs", sources=True),
           nk(lambda graph, source: networkit.distance.BFS(graph, source, False), sources=True),
           ig(lambda graph, source: graph.distances([source]), sources=True), "bfs")
SSSP = case("SSSP, %d sources" % NUM_SOURCES, ours("sssp", sources=True),
            nk(lambda graph, source: networkit.distance.Dijkstra(graph, source, False), weighted=True, sources=True),
            ig(lambda graph, source: graph.distances([source], weights="weight"), sources=True), "sssp")
PAGERANK = case("PageRank, to 1e-6", ours("pagerank", tolerance=TOLERANCE), nk(pagerank), ig(lambda graph: graph.pagerank()), "pr")
COMPONENTS = case("connected components", ours("cc"), nk(lambda graph: networkit.components.ParallelConnectedComponents(graph)),
                  ig(lambda graph: graph.connected_components()), "cc")
BETWEENNESS = case("betweenness, %d sources" % NUM_SOURCES,
                   lambda graphs: graphs.placed(False).run("bc", source=graphs.sources, progress=False),
                   nk(lambda graph: networkit.centrality.EstimateBetweenness(graph, NUM_SOURCES, False, True)),
                   lambda graphs: graphs.igraph(False).betweenness(sources=graphs.sources), "bc")
TRIANGLES = case("triangles", ours("tc"), None, ig(lambda graph: graph.transitivity_undirected()), "tc")
CLUSTERING = case("clustering coefficients", ours("lcc"),
                  nk(lambda graph: networkit.centrality.LocalClusteringCoefficient(graph, True)),
                  ig(lambda graph: graph.transitivity_local_undirected(mode="zero")))
# The others' propagate in another manner: vertices see new labels at once, and it ends when few change.
LABELS = case("label propagation", ours("cdlp"), nk(lambda graph: networkit.community.PLP(graph)),
              ig(lambda graph: graph.community_label_propagation()))

SUITES = {
    "GAP": [BFS, SSSP, PAGERANK, COMPONENTS, BETWEENNESS, TRIANGLES],
    "Graphalytics": [BFS, PAGERANK, COMPONENTS, LABELS, CLUSTERING, SSSP],
}

OTHERS = [
    case("path", lambda graphs: graphs.placed(False).run("path", source=graphs.samples[0], target=graphs.samples[1],
                                                         progress=False),
         lambda graphs: networkit.distance.BidirectionalDijkstra(graphs.networkit(False, True), *graphs.samples[:2], True).run(),
         lambda graphs: graphs.igraph(False).get_shortest_path(*graphs.samples[:2], weights="weight")),
    case("bfs from %d sources" % NUM_SAMPLES,
         lambda graphs: graphs.placed(False).run("bfs", sources=graphs.file("samples"), progress=False),
         lambda graphs: networkit.distance.SPSP(graphs.networkit(False), graphs.samples).run(),
         lambda graphs: graphs.igraph(False).distances(graphs.samples)),
    case("bfs from %d sources, one after another" % NUM_SAMPLES,
         lambda graphs: [graphs.placed(False).run("bfs", source=vertex, progress=False) for vertex in graphs.samples]),
    case("personalised PageRank", lambda graphs: graphs.placed(False).run("rwr", source=graphs.sources, tolerance=TOLERANCE,
                                                                         progress=False),
         None, lambda graphs: graphs.igraph(False).personalized_pagerank(reset_vertices=graphs.sources)),
    case("hits, directed", ours("hits", directed=True), None,
         ig(lambda graph: (graph.hub_score(), graph.authority_score()), directed=True)),
    case("katz", lambda graphs: graphs.placed(False).run("katz", alpha=1 / (1 + graphs.most), progress=False),
         nk(lambda graph: networkit.centrality.KatzCentrality(graph, 0, 1, TOLERANCE))),
    case("eigenvector", ours("eigenvector"), nk(lambda graph: networkit.centrality.EigenvectorCentrality(graph, TOLERANCE)),
         ig(lambda graph: graph.eigenvector_centrality())),
    case("closeness, %d searches" % NUM_SAMPLES, ours("closeness", samples=NUM_SAMPLES), None,
         lambda graphs: graphs.igraph(False).closeness(graphs.samples)),
    case("harmonic, %d searches" % NUM_SAMPLES, ours("harmonic", samples=NUM_SAMPLES), None,
         lambda graphs: graphs.igraph(False).harmonic_centrality(graphs.samples)),
    case("scc, directed", ours("scc", directed=True),
         nk(lambda graph: networkit.components.StronglyConnectedComponents(graph), directed=True),
         ig(lambda graph: graph.connected_components(mode="strong"), directed=True)),
    case("kcore", ours("kcore"), nk(lambda graph: networkit.centrality.CoreDecomposition(graph)), ig(lambda graph: graph.coreness())),
    case("mis", ours("mis"), lambda graphs: networkit.independentset.Luby().run(graphs.networkit(False))),
    case("coloring", ours("coloring"), None, ig(lambda graph: graph.vertex_coloring_greedy())),
    case("similarity of %d pairs" % NUM_PAIRS,
         lambda graphs: graphs.placed(False).run("similarity", pairs=graphs.file("pairs"),
                                                 progress=False),
         of_pairs, lambda graphs: graphs.igraph(False).similarity_jaccard(pairs=graphs.pairs(), loops=False)),
    case("walks, %d of %d steps" % (NUM_WALKS // NUM_SAMPLES * NUM_SAMPLES, LENGTH),
         lambda graphs: graphs.placed(False).run("walk", sources=graphs.file("samples"), walks=NUM_WALKS // NUM_SAMPLES,
                                                 length=LENGTH, progress=False), None, walk),
]


# ---- Times -------------------------------------------------------------------------------------

def measured(call):
    """Wall-clock and processor milliseconds."""
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - processor)


def gapbs_graph(folder, weighted, graphs):
    """As its own programs keep it."""
    path = Path(graphs.paths[False]).with_suffix(".wsg" if weighted else ".sg")
    if not path.exists():
        edges = path.with_suffix(".wel" if weighted else ".el")
        np.savetxt(edges, np.stack(graphs.edges(False)[:3 if weighted else 2], 1), fmt="%d")
        subprocess.run([Path(folder) / "converter", "-f", edges, "-s", "-b", path] + ["-w"] * weighted, check=True,
                       stdout=subprocess.DEVNULL)
        edges.unlink()
    return str(path)


def gapbs_call(folder, program, graphs):
    """Milliseconds that gapbs says its trials took; its processor time is that of the whole process, so it is left out."""
    words = [str(Path(folder) / program), "-f", gapbs_graph(folder, program == "sssp", graphs),
             "-n", str(NUM_SOURCES if program in ("bfs", "sssp") else 1)]
    words += {"pr": ["-t", str(TOLERANCE), "-i", "1000"], "bc": ["-i", str(NUM_SOURCES)], "sssp": ["-d", "16"]}.get(program, [])
    text = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True, env=dict(os.environ, OMP_NUM_THREADS=str(THREADS)))
    return 1e3 * sum(float(each) for each in re.findall(r"(?m)^Trial Time:\s+(\S+)", text.stdout))


def measure(each, graphs, options):
    """Names of libraries to times of their turns, in which they alternate."""
    calls = {"Quern": each["Quern"], "networkit": networkit and each["networkit"], "igraph": igraph and each["igraph"]}
    times, slow = {name: [] for name, call in calls.items() if call}, set()
    for turn in range(-1, options.turns):  # the first makes graphs, and does not count unless there is none but it
        for name in times:
            if name in slow:
                continue
            found = measured(lambda: calls[name](graphs))
            if turn >= 0:
                times[name].append(found)
            elif found[0] > 1e3 * options.patience:
                times[name].append(measured(lambda: calls[name](graphs)))
                slow.add(name)
    if options.gapbs and each["gapbs"]:
        times["gapbs"] = [(gapbs_call(options.gapbs, each["gapbs"], graphs), None) for _ in range(options.turns)]
    return times


def versions(options):
    """Names of libraries to what their columns are called, in order."""
    of = {"Quern": "Quern"}
    of.update({each.__name__: "%s %s" % (each.__name__, each.__version__) for each in (networkit, igraph) if each})
    if options.gapbs:
        of["gapbs"] = "gapbs " + subprocess.run(["git", "-C", options.gapbs, "rev-parse", "--short=7", "HEAD"], text=True,
                                                stdout=subprocess.PIPE, check=True).stdout.strip()
    return of


def time_records(title, cases, graphs, options):
    called = versions(options)
    for each in cases:
        if options.only and not any(word in each["row"] for word in options.only.split(",")):
            continue
        times = measure(each, graphs, options)
        for name, turns in times.items():
            for column, values in ((called[name], [wall for wall, _ in turns]),
                                   (called[name] + ", processor", [used for _, used in turns])):
                if None not in values:
                    yield records.record(each["row"], column, statistics.median(values), "ms", title)
        print("%-32s %s" % (each["row"], "  ".join("%s %.4g (%.4g)" % (name, *(statistics.median(part or 0 for part in parts)
                                                                           for parts in zip(*turns)))
                                                   for name, turns in times.items())), flush=True)


def in_columns(cells, options):
    """Times of all libraries come before the processor times."""
    order = [name + suffix for suffix in ("", ", processor") for name in versions(options).values()]
    return sorted(cells, key=lambda cell: order.index(cell["column"]))


# ---- Communities -------------------------------------------------------------------------------

def leiden_records(name, file):
    """Modularity and processor time of ten seeds each."""
    directed = quern.read(file)
    graphs = Graphs.__new__(Graphs)
    simple = directed.transform(symmetrize=True, remove_self_loops=True, remove_duplicates=True)
    graphs.open = lambda directed: simple
    ends = graphs.edges(False)[:2]
    count = simple.num_vertices
    other = igraph.Graph(n=count, edges=np.stack(ends, 1))
    third = networkit.GraphFromCoo(tuple(each.astype("u8") for each in ends), n=count, directed=False)

    def by_quern(seed, **limit):
        return simple.run("leiden", seed=seed, progress=False, threads=THREADS, **limit).values

    def by_igraph(seed):
        igraph.set_random_number_generator(random)
        random.seed(seed)
        return other.community_leiden("modularity", n_iterations=-1).membership

    def by_networkit(seed):
        networkit.setSeed(seed, False)
        made = networkit.community.ParallelLeiden(third)
        made.run()
        return made.getPartition().getVector()

    ways = {"Quern": by_quern, "Quern, 3 iterations": lambda seed: by_quern(seed, iterations=3), "networkit": by_networkit,
            "igraph": by_igraph}
    found = {library: [] for library in ways}
    for seed in SEEDS:
        for library, by in ways.items():
            kept = []
            wall, used = measured(lambda: kept.append(by(seed)))
            groups = np.unique(np.asarray(kept[0]), return_inverse=True)[1]
            found[library].append((other.modularity(groups.tolist()), wall, used))
    for library, turns in found.items():
        modularity, wall, used = (statistics.median(part) for part in zip(*turns))
        yield records.record(library, "modularity", 1e4 * modularity, "1e-4", name)
        yield records.record(library, "time", wall, "ms", name)
        yield records.record(library, "processor time", used, "ms", name)


# ---- ---------------------------------------------------------------------------------------------

def rmat(folder, scale):
    paths = [folder / ("suites-rmat%d%s.qrn" % (scale, suffix)) for suffix in ("", "-directed")]
    if not paths[0].exists():
        quern.generate("rmat", scale, degree=16, weights=(1, 255), directed=False, self_loops="remove", duplicates="remove",
                       path=str(paths[0]), progress=False)
    if not paths[1].exists():
        quern.generate("rmat", scale, degree=16, path=str(paths[1]), progress=False)
    return Graphs("R-MAT, scale %d" % scale, *map(str, paths))


def real(folder, name, file):
    """Numbered from 0 on, and with weights if it has none."""
    paths = [folder / ("suites-%s%s.qrn" % (name, suffix)) for suffix in ("", "-directed")]
    read = quern.read(file, progress=False)
    source, target = np.asarray(read.sources()), np.asarray(read.column_indices)
    quern.from_arrays(source, target, num_vertices=read.num_vertices, path=str(paths[1]), force=True, progress=False)
    weights = np.random.default_rng(3).integers(1, 256, len(source), dtype="u4")
    quern.from_arrays(source, target, weights, num_vertices=read.num_vertices, directed=False, self_loops="remove", duplicates="min",
                      path=str(paths[0]), force=True, progress=False)
    return Graphs(name, *map(str, paths))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scales", default="18", help="of R-MAT graphs (18)")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=FILE", help="a graph that quern-import reads")
    parser.add_argument("--leiden", action="append", default=[], metavar="NAME=FILE", help="communities of such graphs, and nothing else")
    parser.add_argument("--only", help="what has one of these words in its name")
    parser.add_argument("--tables", default="GAP,Graphalytics,others")
    parser.add_argument("--gapbs", metavar="FOLDER", help="where bfs, sssp, pr, cc, bc and tc are")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--patience", type=float, default=5, help="seconds")
    parser.add_argument("--folder", type=Path, default=records.ROOT / "build/bench", help="for graphs (build/bench)")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if networkit:
        networkit.setNumberOfThreads(THREADS)
    tables = {}
    for word in options.leiden:
        tables.setdefault("leiden", []).extend(leiden_records(*word.split("=", 1)))
        for cell in tables["leiden"]:
            if cell["graph"] == word.split("=", 1)[0]:
                print(cell["graph"], cell["row"], cell["column"], cell["value"], flush=True)
    kinds = {**SUITES, "others": OTHERS}
    for graphs in [] if options.leiden else [rmat(options.folder, int(scale)) for scale in options.scales.split(",") if scale] + [
            real(options.folder, *word.split("=", 1)) for word in options.also]:
        for kind in options.tables.split(","):
            print("%s, %s:" % (kind, graphs.name))
            title = graphs.name if kind == "others" else "%s, %s" % (kind, graphs.name)
            tables.setdefault("peers" if kind == "others" else "suites", []).extend(
                in_columns(time_records(title, kinds[kind], graphs, options), options))
    print("load: %.1f, %.1f, %.1f; %d MiB" % (*os.getloadavg(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024))
    if options.json:
        Path(options.json).write_text(json.dumps(records.stamp(tables), indent=1) + "\n")


if __name__ == "__main__":
    main()
