#!/usr/bin/env python3
"""Graphs like LDBC SNB's and OGB's MAG, of ten types of edges, go in from CSV and from Parquet and come out as both, equal value by value.

    bench/sets/typed.py --edges 10000000 --bin build/bin [--graph snb|mag] [--scratch /tmp] [--json FILE]

Needs NumPy, PyArrow and the package (PYTHONPATH=python). What each step took and its most memory are printed. Exit code 1: something differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import pyarrow
import pyarrow.csv
import pyarrow.parquet

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))

SNB = ({"Person": 1, "Post": 6, "Comment": 12, "Forum": 2, "Tag": 1, "Place": .1},
       [("Person", "knows", "Person", 3), ("Person", "likes", "Post", 3), ("Person", "likes", "Comment", 3), ("Forum", "hasMember", "Person", 4),
        ("Post", "hasCreator", "Person", 1), ("Comment", "hasCreator", "Person", 2), ("Comment", "replyOf", "Post", 1), ("Post", "hasTag", "Tag", 1),
        ("Person", "hasInterest", "Tag", 1), ("Person", "isLocatedIn", "Place", 1)])
MAG = ({"author": 11, "paper": 7, "institution": .1, "field_of_study": .6},
       [("author", "affiliated_with", "institution", 1), ("author", "writes", "paper", 5), ("paper", "cites", "paper", 4),
        ("paper", "has_topic", "field_of_study", 4), ("paper", "written_by", "author", 2), ("paper", "cited_by", "paper", 2),
        ("field_of_study", "topic_of", "paper", 1), ("author", "knows", "author", 1), ("institution", "employs", "author", .5),
        ("field_of_study", "part_of", "field_of_study", .5)])
WORDS = numpy.array(["graph", "ünïcode", "日本語", "a b", "50%", "x-y", "'q'", "semi;colon", "tab"], object)


def make(shape, edges, dice):
    """Tables of vertices by type, and of edges by (source, name, target). Ids are sparse numbers; parallel edges differ by what they have."""
    sizes, kinds = shape
    unit = edges / 10 / sum(sizes.values())
    vertices = {}
    for name, size in sizes.items():
        count = max(3, int(size * unit))
        ids = numpy.unique(dice.integers(0, 2**45, count))
        dice.shuffle(ids)
        words = WORDS[dice.integers(0, len(WORDS), len(ids))]
        vertices[name] = {"id": ids, "title": numpy.array(["%s %d" % pair for pair in zip(words, ids % 1000)], object), "size": dice.integers(-9, 9, len(ids)),
                          "score": dice.random(len(ids))}
    whole, tables = sum(kind[3] for kind in kinds), {}
    for source, name, target, share in kinds:
        count = int(edges * share / whole)
        ends = [vertices[end]["id"][(dice.random(count) ** 2 * len(vertices[end]["id"])).astype("i8")] for end in (source, target)]
        tables[source, name, target] = {"source": ends[0], "target": ends[1], "since": dice.integers(1990, 2030, count), "strength": dice.random(count)}
    return vertices, tables


def write_ldbc(vertices, edges, folder):
    """Tables between bars, as LDBC's generator in Spark writes them; what quern-import takes them by."""
    how = pyarrow.csv.WriteOptions(delimiter="|")
    for name, columns in vertices.items():
        (folder / "dynamic" / name).mkdir(parents=True)
        pyarrow.csv.write_csv(pyarrow.table(columns), folder / "dynamic" / name / "part-0.csv", how)
    for (source, name, target), columns in edges.items():
        ends = [source + "1Id", target + "2Id"] if source == target else [source + "Id", target + "Id"]
        table = pyarrow.table(columns).rename_columns(ends + list(columns)[2:])
        (folder / "dynamic" / "_".join((source, name, target))).mkdir()
        pyarrow.csv.write_csv(table, folder / "dynamic" / "_".join((source, name, target)) / "part-0.csv", how)
    return ["--types", folder]


def write_csv(vertices, edges, folder):
    """The same as plain tables."""
    folder.mkdir()
    named = []
    for name, columns in vertices.items():
        pyarrow.csv.write_csv(pyarrow.table(columns), folder / (name + ".csv"))
        named += ["--vertex-table", "%s=%s" % (name, folder / (name + ".csv"))]
    for (source, name, target), columns in edges.items():
        file = folder / ("-".join((source, name, target)) + ".csv")
        pyarrow.csv.write_csv(pyarrow.table(columns), file)
        named += ["--edge-table", "%s:%s:%s=%s" % (name, source, target, file)]
    return named


def write_parquet(vertices, edges, folder):
    folder.mkdir()
    for name, columns in vertices.items():
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / (name + ".vertices.parquet"))
    for type, columns in edges.items():
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / ("-".join(type) + ".edges.parquet"))
    return ["--types", folder]


def order(columns):
    return numpy.lexsort([columns[name] for name in reversed(list(columns))])


def differences(path, vertices, edges):
    """What a set has other than the tables."""
    from quern import _types
    types, found = _types.TypedSet(path, verify=True), []
    if set(types.counts) != set(vertices) or set(types.edge_types) != set(edges):
        return ["types"]
    ids = {}
    for name, columns in vertices.items():
        graph, by_id = types.vertices(name), numpy.argsort(columns["id"])
        ids[name] = numpy.asarray(graph.ids).astype("u8")
        found += [(name, "id")] * (not numpy.array_equal(ids[name], columns["id"][by_id].astype("u8")))
        for key in ("title", "size", "score"):
            values = graph.vertex_properties[key]
            same = list(values) == list(columns[key][by_id]) if key == "title" else numpy.array_equal(values, columns[key][by_id])
            found += [(name, key)] * (not same)
    for type, columns in edges.items():
        graph, begins = types.edges(type), types.begins(type)
        got = {"source": ids[type[0]][graph.sources() - begins[0]].astype("i8"), "target": ids[type[2]][graph.column_indices - begins[1]].astype("i8"),
               "since": numpy.asarray(graph.edge_properties["since"]), "strength": numpy.asarray(graph.edge_properties["strength"])}
        ours, theirs = order(columns), order(got)
        found += [("-".join(type), key) for key in got if not numpy.array_equal(columns[key][ours], got[key][theirs])]
    return found


class Steps:
    def __init__(self, tools):
        self.tools, self.done = tools, []

    def run(self, name, tool, *arguments):
        """A tool, and what it took."""
        begun = time.monotonic()
        child = subprocess.Popen([str(self.tools / tool), *map(str, arguments), "-q"], env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit("%s failed with %d" % (name, child.returncode))
        self.done.append({"step": name, "seconds": round(time.monotonic() - begun, 2), "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
                          "most_mib": used.ru_maxrss // 1024})
        print(json.dumps(self.done[-1]), flush=True)


def measure(name, shape, edges, tools, scratch):
    steps, differing = Steps(tools), {}
    with tempfile.TemporaryDirectory(prefix="quern-typed-", dir=scratch) as folder:
        at = Path(folder)
        vertices, tables = make(shape, edges, numpy.random.default_rng(32))
        given = {"csv": (write_ldbc if name == "snb" else write_csv)(vertices, tables, at / "csv"),
                 "parquet": write_parquet(vertices, tables, at / "parquet")}
        total = sum(len(columns["source"]) for columns in tables.values())
        print(json.dumps({"graph": name, "edges": total, "vertices": sum(len(columns["id"]) for columns in vertices.values())}), flush=True)
        for form in given:
            steps.run("import " + form, "quern-import", *given[form], "-o", at / ("from-" + form))
            steps.run("export " + form, "quern-export", at / ("from-" + form), "--format", "neo4j" if form == "csv" else "parquet", "-o", at / ("out-" + form))
            steps.run("import again " + form, "quern-import", "--types", at / ("out-" + form), "-o", at / ("again-" + form))
            for made in "from-" + form, "again-" + form:
                differing[made] = differences(at / made, vertices, tables)
                print(json.dumps({"compared": made, "differences": differing[made]}), flush=True)
    return {"graph": name, "edges": total, "steps": steps.done, "differences": differing}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, default=10**6)
    parser.add_argument("--graph", choices=["snb", "mag"], help="one of the two")
    parser.add_argument("--bin", default=str(SOURCE / "build/bin"))
    parser.add_argument("--scratch")
    parser.add_argument("--json")
    given = parser.parse_args()
    records = [measure(name, shape, given.edges, Path(given.bin).resolve(), given.scratch)
               for name, shape in (("snb", SNB), ("mag", MAG)) if given.graph in (None, name)]
    if given.json:
        Path(given.json).write_text(json.dumps(records, indent=2) + "\n")
    return int(any(found for record in records for found in record["differences"].values()))


if __name__ == "__main__":
    sys.exit(main())
