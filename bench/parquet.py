#!/usr/bin/env python3
"""Edges in Parquet files through the Python package, beside the same edges as binary pairs through the tool. Processor time,
the least of a few turns that alternate, as pyarrow's threads decode while the library's build.

    PYTHONPATH=python bench/parquet.py [--edges 8000000] [--json FILE]
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import library  # puts the package on the path
import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

import quern
import records

# What is written, and by what it is called.
FILES = {"Parquet of uint32": ("u4", {}), "Parquet of int64": ("i8", {}),
         "Parquet of int64, not compressed": ("i8", {"compression": "none", "use_dictionary": False})}
PAIRS = {"pairs of uint32": "u4", "pairs of uint64": "u8"}


def own(work, *given, **options):
    begin = time.process_time()
    work(*given, **options)
    return time.process_time() - begin


def decode(path):
    for _ in pyarrow.dataset.dataset(path, format="parquet").scanner(batch_size=1 << 17).to_reader():
        pass


def imported(path, form, output):
    before = library.of_children()
    library.subprocess.run([library.BIN / "quern-import", path, "--format", "pairs", "--record", form, "-q", "-f", "-o", output],
                           check=True)
    return library.of_children() - before


def measure(folder, edges, turns):
    graph = quern.generate("rmat", 20, degree=edges // 2**20 + 1)
    order = np.random.default_rng(1).permutation(graph.num_edges)[:edges]
    ends = graph.sources()[order], graph.column_indices[order]
    for number, (dtype, given) in enumerate(FILES.values()):
        table = pyarrow.table({name: values.astype(dtype) for name, values in zip(("source", "target"), ends)})
        pyarrow.parquet.write_table(table, folder / ("%d.parquet" % number), **given)
    for dtype in PAIRS.values():
        np.stack(ends, 1).astype(dtype).tofile(folder / dtype)
    times = {}
    for _ in range(turns):
        for name, dtype in PAIRS.items():
            times.setdefault((name, "import"), []).append(imported(folder / dtype, "u%d" % (8 * int(dtype[1])), folder / "g.qrn"))
        for number, name in enumerate(FILES):
            path = folder / ("%d.parquet" % number)
            times.setdefault((name, "decoding alone"), []).append(own(decode, path))
            times.setdefault((name, "import"), []).append(own(quern.read_parquet, path, path=folder / "p.qrn", force=True))
    return {cell: 1e9 * min(each) / edges for cell, each in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=8_000_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = measure(Path(name), options.edges, options.turns)
    for (row, column), value in sorted(found.items()):
        print("%-36s %-16s %8.1f ns an edge" % (row, column, value))
    if options.json:
        rows = [records.record(row, column, value, "ns an edge", "R-MAT") for (row, column), value in sorted(found.items())]
        Path(options.json).write_text(json.dumps(records.stamp({"parquet": rows})))


if __name__ == "__main__":
    main()
