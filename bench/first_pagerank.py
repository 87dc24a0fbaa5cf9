#!/usr/bin/env python3
"""What a data scientist does first, in Python: from a file of edges to PageRank and the five vertices that rank highest. A fresh process for
each library and turn, in turn: wall-clock time, processor time of all threads, and the most memory that it took.

    PYTHONPATH=python bench/first_pagerank.py [--scale 20] [--turns 3] [--only WORD,...] [--json FILE]

Every library reads the same edges, as text or as Parquet, directed, with ids that are numbers, without self-loops and parallel edges (for
which networkit computes other ranks); all iterate until ranks change by less than 1e-6 in sum, with damping 0.85, and must find the same
five. A library that is not installed is left out.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import records

BIN = records.ROOT / "build/bin"
THREADS = 2

# Each sets `top`, the five vertices of the largest ranks; `path` is the file. Power iteration on a SciPy matrix, for what only reads:
POWER = """
import numpy as np, scipy.sparse as sparse
n = 1 + int(max(source.max(), target.max()))
out = np.bincount(source, minlength=n)
matrix = sparse.csr_array((np.ones(len(source), "f4"), (target, source)), shape=(n, n))
rank, change = np.full(n, 1 / n), 1
while change >= 1e-6:
    share = np.divide(rank, out, out=np.zeros(n), where=out > 0)
    new = 0.15 / n + 0.85 * (matrix @ share + rank[out == 0].sum() / n)
    rank, change = new, np.abs(new - rank).sum()
top = np.argsort(-rank, kind="stable")[:5]
"""
RUN = """
import numpy as np
found = graph.run("pagerank", tolerance=1e-6, iterations=1000, threads=%d)
order = np.argsort(-np.asarray(found.values), kind="stable")[:5]
top = order if graph.ids is None else graph.ids[order]
""" % THREADS
WAYS = {
    ("Quern", "text"): "import quern\ngraph = quern.read(path)\n" + RUN,
    ("Quern", "Parquet"): "import quern\ngraph = quern.read_parquet(path)\n" + RUN,
    ("polars and SciPy", "text"): """
import polars
table = polars.read_csv(path, separator="\\t", has_header=False, new_columns=["source", "target"])
source, target = table["source"].to_numpy(), table["target"].to_numpy()
""" + POWER,
    ("polars and SciPy", "Parquet"): """
import polars
table = polars.read_parquet(path)
source, target = table["source"].to_numpy(), table["target"].to_numpy()
""" + POWER,
    ("igraph", "text"): """
import igraph, numpy as np
graph = igraph.Graph.Read_Edgelist(path, directed=True)
top = np.argsort(-np.asarray(graph.pagerank(damping=0.85)), kind="stable")[:5]
""",
    ("networkit", "text"): """
import networkit, numpy as np
networkit.setNumberOfThreads(%d)
graph = networkit.graphio.EdgeListReader("\\t", 0, directed=True).read(path)
found = networkit.centrality.PageRank(graph, 0.85, 1e-6, distributeSinks=networkit.centrality.SinkHandling.DistributeSinks)
top = np.argsort(-np.asarray(found.run().scores()), kind="stable")[:5]
""" % THREADS,
    ("NetworkX", "text"): """
import networkx
graph = networkx.read_edgelist(path, delimiter="\\t", nodetype=int, create_using=networkx.MultiDiGraph)
found = networkx.pagerank(graph, alpha=0.85, tol=1e-6 / len(graph))
top = sorted(found, key=lambda vertex: (-found[vertex], vertex))[:5]
""",
}
# What holds every edge in Python objects takes minutes and tens of gigabytes at scale 20.
MOST_SCALE = {"NetworkX": 17}


def is_there(code):
    modules = [line.split()[1].split(",")[0] for line in code.splitlines() if line.startswith("import ")]
    return not subprocess.run([sys.executable, "-c", "import " + ", ".join(modules)], stderr=subprocess.DEVNULL).returncode


def turn(code, path):
    """Seconds, processor seconds and bytes of a process that runs the code; and what it found."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(THREADS), POLARS_MAX_THREADS=str(THREADS), OMP_WAIT_POLICY="passive")
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", "path = %r\n%s\nprint(sorted(int(v) for v in top))" % (str(path), code)],
                               stdout=subprocess.PIPE, text=True, env=environment)
    found = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("first_pagerank: a process failed")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, found


def write_inputs(scale, folder):
    """The same edges, in no order, as text and (where pyarrow is) as Parquet."""
    graph, text = folder / "g.qrn", folder / "edges.tsv"
    subprocess.run([BIN / "quern-generate", "rmat", "--scale", str(scale), "--degree", "16", "--seed", "1", "--duplicates", "remove",
                    "--self-loops", "remove", "-q", "-o", graph], check=True)
    subprocess.run([BIN / "quern-transform", graph, "--relabel", "random", "-q", "-o", folder / "r.qrn"], check=True)
    subprocess.run([BIN / "quern-export", folder / "r.qrn", "--format", "edges", "-q", "-o", text], check=True)
    files = {"text": text}
    try:
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        return files
    table = pyarrow.csv.read_csv(text, pyarrow.csv.ReadOptions(column_names=["source", "target"]),
                                 pyarrow.csv.ParseOptions(delimiter="\t"))
    pyarrow.parquet.write_table(table, folder / "edges.parquet")
    return {**files, "Parquet": folder / "edges.parquet"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", help="of the libraries, those with one of these words in their names")
    parser.add_argument("--json")
    options = parser.parse_args()
    words = options.only.split(",") if options.only else [""]
    graph = "R-MAT, scale %d" % options.scale
    found = []
    with tempfile.TemporaryDirectory() as name:
        files = write_inputs(options.scale, Path(name))
        ways = {way: code for way, code in WAYS.items() if way[1] in files and any(word in way[0] for word in words)
                and options.scale <= MOST_SCALE.get(way[0], 64) and is_there(code)}
        turns = {way: [] for way in ways}
        for _ in range(options.turns):
            for way, code in ways.items():
                turns[way].append(turn(code, files[way[1]]))
        answers = {each[3] for several in turns.values() for each in several}
        if len(answers) > 1:
            sys.exit("first_pagerank: the libraries found different vertices: %s" % answers)
        for (library, kind), several in turns.items():
            row = "%s, from %s" % (library, kind)
            for column, values, unit in (("time", [each[0] for each in several], "s"),
                                         ("processor", [each[1] for each in several], "s"),
                                         ("memory", [each[2] / 1e9 for each in several], "GB")):
                found.append(records.record(row, column, statistics.median(values), unit, graph))
                print("%-32s %-10s %8.3g %s" % (row, column, found[-1]["value"], unit))
    if options.json:
        Path(options.json).write_text(json.dumps(records.stamp({"first-pagerank": found})))


if __name__ == "__main__":
    main()
