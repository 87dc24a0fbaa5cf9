#!/usr/bin/env python3
"""Formats whose vertices have names: how fast quern-import reads them, on one thread and on several, in turn.

    scons -j2 tools && bench/named_formats.py [--scale 17] [--megabytes 64] [--threads 1 2] [--only pajek gexf]

Each file is made once, of an R-MAT graph's edges in the order in which they were generated, until it has as many bytes; elements
that the format declares come first, lists are sorted. "read" is parsing and naming, "import" the whole way to a sorted container,
both in MB of the file a second of the wall clock; "processor" is the whole import by its processor time, which a machine with much
else to do gives. Medians of the runs.
The table goes to the terminal, JSON to build/bench/named_formats.json."""

import argparse
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parent.parent
FIELDS = ("read", "import", "processor")


def csv(edges, name):
    yield from ("%s,%s\n" % (name(a), name(b)) for a, b in edges)


def json_lines(edges, name):
    yield from (json.dumps({"source": name(a), "target": name(b)}) + "\n" for a, b in edges)


def node_link(edges, name):
    nodes = ", ".join(json.dumps({"id": name(v)}) for v in vertices_of(edges))
    yield '{"directed": true, "multigraph": true, "graph": {}, "nodes": [%s], "links": [\n' % nodes
    for i, (a, b) in enumerate(edges):
        yield "%s%s" % (", " if i else "", json.dumps({"source": name(a), "target": name(b)}))
    yield "]}\n"


def graphml(edges, name):
    yield '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n<graph edgedefault="directed">\n'
    yield from ('  <node id="%s" />\n' % name(v) for v in vertices_of(edges))
    yield from ('  <edge source="%s" target="%s" />\n' % (name(a), name(b)) for a, b in edges)
    yield "</graph>\n</graphml>\n"


def gexf(edges, name):
    yield '<?xml version="1.0"?>\n<gexf version="1.3">\n<graph defaultedgetype="directed">\n<nodes>\n'
    yield from ('  <node id="%s" label="%s" />\n' % (name(v), name(v)) for v in vertices_of(edges))
    yield "</nodes>\n<edges>\n"
    yield from ('  <edge id="%d" source="%s" target="%s" />\n' % (i, name(a), name(b)) for i, (a, b) in enumerate(edges))
    yield "</edges>\n</graph>\n</gexf>\n"


def gml(edges, _):
    yield "graph [\n  directed 1\n"
    yield from ("  node [\n    id %d\n  ]\n" % v for v in vertices_of(edges))
    yield from ("  edge [\n    source %d\n    target %d\n  ]\n" % edge for edge in edges)
    yield "]\n"


def dot(edges, name):
    yield "digraph {\n"
    yield from ("%s -> %s;\n" % (name(a), name(b)) for a, b in edges)
    yield "}\n"


def pajek(edges, _):
    yield "*Vertices %d\n*Arcs\n" % (max(map(max, edges)) + 1)
    yield from ("%d %d\n" % (a + 1, b + 1) for a, b in edges)


def lgl(edges, name):
    for vertex, row in rows_of(edges):
        yield "# %s\n" % name(vertex)
        yield from (name(b) + "\n" for b in row)


def n_triples(edges, name):
    yield from ("<http://example.org/%s> <http://example.org/knows> <http://example.org/%s> .\n" % (name(a), name(b))
                for a, b in edges)


def neighbors(edges, name):
    yield from ("%s %s\n" % (name(vertex), " ".join(map(name, row))) for vertex, row in rows_of(edges))


def hyperedges(edges, name):
    yield from (" ".join(map(name, row)) + "\n" for _, row in rows_of(edges))


def vertices_of(edges):
    return sorted(set(itertools.chain.from_iterable(edges)))


def rows_of(edges):
    for vertex, row in itertools.groupby(sorted(edges), key=lambda edge: edge[0]):
        yield vertex, (edge[1] for edge in row)


# Name in the table: (format, how it is written, bytes an edge or so, whether vertices are called by numbers).
FORMATS = {
    "csv": ("named-edges", csv, 16, False),
    "n-triples": ("n-triples", n_triples, 84, False),
    "json-lines": ("json", json_lines, 42, False),
    "json-lines, numbers": ("json", json_lines, 38, True),
    "node-link": ("json", node_link, 44, False),
    "node-link, numbers": ("json", node_link, 40, True),
    "graphml": ("graphml", graphml, 48, False),
    "graphml, numbers": ("graphml", graphml, 46, True),
    "gexf": ("gexf", gexf, 58, False),
    "gml": ("gml", gml, 54, True),
    "dot": ("dot", dot, 20, False),
    "dot, numbers": ("dot", dot, 18, True),
    "pajek": ("pajek", pajek, 14, True),
    "lgl": ("lgl", lgl, 8, False),
    "neighbors": ("neighbors", neighbors, 8, False),
    "neighbors, numbers": ("neighbors", neighbors, 7, True),
    "hyperedges": ("hyperedges", hyperedges, 8, False),
}


def processor_seconds():
    """Of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Bench:
    def __init__(self, options):
        self.options = options
        options.folder.mkdir(parents=True, exist_ok=True)
        self.edges = []

    def run(self, *words):
        done = subprocess.run([str(word) for word in words], env=dict(os.environ, QUERN_NO_SYNC="1"), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit("bench: %s: %s" % (" ".join(map(str, words)), done.stderr.decode(errors="replace")))
        return done.stdout

    def generated(self, count):
        """The first edges of the graph."""
        if len(self.edges) < count:
            text = self.run(self.options.tools / "quern-generate", "rmat", "--scale", self.options.scale, "--degree",
                            (count >> self.options.scale) + 1, "-q", "--format", "edges", "-o", "-")
            lines = (line.split() for line in text.splitlines() if not line.startswith(b"#"))
            self.edges = [(int(line[0]), int(line[1])) for line in lines]
        return self.edges[:count]

    def file(self, name):
        _, write, edge_bytes, numbers = FORMATS[name]
        path = self.options.folder / ("named-%s-%d.text" % (name.replace(", ", "-"), self.options.scale))
        size = self.options.megabytes * 10**6
        if not path.exists() or path.stat().st_size < size // 2:
            edges = self.generated(size // edge_bytes)
            with open(path, "w") as file:
                file.writelines(write(edges, str if numbers else "v{}".format))
        return path

    def once(self, name, path, threads):
        before = processor_seconds()
        report = json.loads(self.run(self.options.tools / "quern-import", path, "--format", FORMATS[name][0], "-T", threads, "-qf",
                                     "--json", "-o", self.options.folder / "named-back.qrn"))
        size = path.stat().st_size
        return {"read": 1e-6 * size / report["seconds"]["read"], "import": 1e-6 * size / report["seconds"]["total"],
                "processor": 1e-6 * size / (processor_seconds() - before)}

    def measure(self, name):
        path, threads = self.file(name), self.options.threads
        runs = [[self.once(name, path, count) for count in threads] for _ in range(self.options.repeat)]
        rows = {count: {field: statistics.median(run[i][field] for run in runs) for field in FIELDS}
                for i, count in enumerate(threads)}
        for leftover in [self.options.folder / "named-back.qrn"] + ([] if self.options.keep else [path]):
            leftover.unlink()
        return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=17, help="2^N vertices (17)")
    parser.add_argument("--megabytes", type=int, default=64, help="size of each file (64)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="in turn (1 2)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts (3)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/bench", help="for the files (build/bench)")
    parser.add_argument("--tools", type=Path, default=ROOT / "build/bin", help="where the tools are (build/bin)")
    parser.add_argument("--keep", action="store_true", help="the files, for the next time")
    parser.add_argument("--only", nargs="+", choices=FORMATS, metavar="FORMAT", help="of: %s" % "; ".join(FORMATS))
    options = parser.parse_args()
    bench, table = Bench(options), []
    print("%-22s" % "" + "".join("%30s" % ("%d thread%s: " % (n, "" if n == 1 else "s") + ", ".join(FIELDS)) for n in options.threads))
    for name in options.only or FORMATS:
        rows = bench.measure(name)
        print("%-22s" % name + "".join("%10.1f %9.1f %9.1f" % tuple(row[field] for field in FIELDS) for row in rows.values()),
              flush=True)
        table += [records.record(name, "%s, %d thread%s" % (field, count, "" if count == 1 else "s"), row[field], "MB/s",
                                 "R-MAT, scale %d, %d MB" % (options.scale, options.megabytes))
                  for count, row in rows.items() for field in FIELDS]
    (ROOT / "build/bench").mkdir(parents=True, exist_ok=True)
    (ROOT / "build/bench/named_formats.json").write_text(json.dumps(
        {"scale": options.scale, "megabytes": options.megabytes, **records.stamp({"named-formats": table})}, indent=2) + "\n")


if __name__ == "__main__":
    main()
