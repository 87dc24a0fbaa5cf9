#!/usr/bin/env python3
"""Every format out of and into a container: rates of quern-export and quern-import, medians.

    scons -j2 tools && bench/formats.py [--scale 22] [--threads 2] [--only adjacency pairs]

Files are made once, of an R-MAT graph of degree 16, and lie in the page cache; nothing is synced. Two runs count if they differ
by no more than 5 %, else the median of more. "read" is parsing alone, "in"
the whole import to a sorted container, "copy" how fast cp copies the file, and "in/copy" that rate as a share of it. Exported
edges are sorted by row, so that their import need not sort; those "in no order" must be. Packed inputs stand beside the
decompressor alone, on a part of the file. Real graphs, if they are there, are text repeated to a size that can be measured.
The table goes to the terminal, JSON to formats.json beside the files."""

import argparse
import array
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parent.parent

# Name in the table: (format, exported from which graph, options of export, options of import).
FORMATS = {
    "edges": ("edges", "plain", [], []),
    "edges, in no order": ("edges", "unsorted", [], []),
    "edges, u32": ("edges", "whole", [], []),
    "edges, f32": ("edges", "real", [], []),
    "edges, f32 and times": ("edges", "real", [], []),
    "csv": ("csv", "plain", [], []),
    "csv, f32": ("csv", "real", [], []),
    "matrix-market": ("matrix-market", "unique", [], []),
    "matrix-market, real": ("matrix-market", "unique real", [], []),
    "dimacs": ("dimacs", "whole", [], []),
    "graphalytics, f32": ("graphalytics", "real", [], []),
    "metis": ("metis", "simple", [], []),
    "metis, u32": ("metis", "simple whole", [], []),
    "adjacency": ("adjacency", "plain", [], []),
    "adjacency, u32": ("adjacency", "whole", [], []),
    "pairs, u32": ("pairs", "plain", ["--record", "u32"], ["--format", "pairs", "--record", "u32"]),
    "pairs, in no order": ("pairs", "unsorted", [], ["--format", "pairs", "--record", "u32"]),
    "pairs, u64, no order": ("pairs", "unsorted", [], ["--format", "pairs", "--record", "u64"]),
    "pairs, f32, no order": ("pairs", "unsorted", [], ["--format", "pairs", "--record", "u32,f32"]),
    "pairs, u64": ("pairs", "plain", ["--record", "u64"], ["--format", "pairs", "--record", "u64"]),
    "pairs, u32 and f32": ("pairs", "real", ["--record", "u32,f32"], ["--format", "pairs", "--record", "u32,f32"]),
    "npy": ("npy", "plain", [], []),
    "npy, in no order": ("npy", "unsorted", [], []),
    "npz": ("npz", "unique", [], []),
    "npz, f32": ("npz", "unique real", [], []),
    "gapbs": ("gapbs", "plain", [], []),
    "galois": ("galois", "plain", [], []),
    "webgraph": ("webgraph", "unique", [], []),
}
GRAPHS = {
    "plain": [],
    "whole": ["--weights", "1,255"],
    "real": ["--weights", "0.01,2.55"],
    "unique real": ["--weights", "0.01,2.55", "--duplicates", "remove"],
    "unique": ["--duplicates", "remove"],
    "simple": ["--undirected", "--self-loops", "remove", "--duplicates", "remove"],
    "simple whole": ["--weights", "1,255", "--undirected", "--self-loops", "remove", "--duplicates", "remove"],
}
BINARY = {"pairs", "npy", "npz", "gapbs", "galois", "webgraph"}
PACKERS = {"gzip": (["gzip", "-1", "-c"], ["zcat"]), "zstd": (["zstd", "-q", "-3", "-c"], ["zstd", "-q", "-dc"])}
PACKED_BYTES = 256 << 20  # of a file that is packed
REPEATED = {"cnr-2000": "cnr-2000/cnr-2000.graph", "web-Stanford": "web-Stanford/stanford.graph"}
REPEATED_BYTES = 512 << 20
STEADY = 1.05  # two runs that differ by no more are enough
GRAPHS_FOLDER = Path(os.environ.get("QUERN_TEST_GRAPHS", ROOT / "../shared/graphs"))


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = dict(os.environ, QUERN_NO_SYNC="1")

    def run(self, *words, **more):
        words = [str(word) for word in words]
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        if done.returncode:
            sys.exit("bench: %s: %s" % (" ".join(words), done.stderr.decode(errors="replace")))
        return done.stdout

    def tool(self, name, *words):
        return json.loads(self.run(self.options.tools / name, *words, "-T", self.options.threads, "--json", "-f"))

    def measured(self, measure, seconds=float):
        """Results of some runs: of two if they took about the same time."""
        results = [measure()]
        while len(results) < self.options.repeat:
            results.append(measure())
            times = [seconds(result) for result in results]
            if len(times) == 2 and max(times) <= STEADY * min(times):
                break
        return results

    def median(self, measure):
        return statistics.median(self.measured(measure))

    def timed(self, *words):
        begun = time.monotonic()
        self.run(*words)
        return time.monotonic() - begun

    def graph(self, name):
        path = self.folder / ("formats-%s-%d.qrn" % (name.replace(" ", "-"), self.options.scale))
        if not path.exists():
            self.run(self.options.tools / "quern-generate", "rmat", "--scale", self.options.scale, "--degree", 16, "-q", "-o",
                     path, *GRAPHS[name])
        return path

    def export(self, name, path):
        """Seconds to write `path`; None if no exporter does."""
        format_name, graph, options, _ = FORMATS[name]
        if graph == "unsorted":
            self.write_unsorted(name, path)
            return None
        source = self.graph(graph)
        seconds = self.median(lambda: self.tool("quern-export", source, "--format", format_name, *options, "-o",
                                                path)["seconds"]["write"])
        if not name.endswith("times"):
            return seconds
        self.add_times(path)
        return None

    def unsorted(self, ending, make):
        path = self.folder / ("formats-unsorted-%d.%s" % (self.options.scale, ending))
        if not path.exists():
            make(path.with_suffix(".part"))
            path.with_suffix(".part").rename(path)
        return path

    def write_unsorted(self, name, path):
        """The edges as they were generated, from text that all of these share."""
        format_name, _, _, options = FORMATS[name]
        text = self.unsorted("text", lambda path: self.run(
            self.options.tools / "quern-generate", "rmat", "--scale", self.options.scale, "--degree", 16, "-q", "-f", "-o", path,
            "--format", "edges"))
        if format_name == "edges":
            os.link(text, path)
            return
        pairs = self.unsorted("pairs", lambda path: to_pairs(text, path))
        if format_name == "npy":
            to_npy(pairs, path)
        elif options[-1] == "u32":
            os.link(pairs, path)
        else:
            widen(pairs, path, options[-1])

    def add_times(self, path):
        """A column more, as KONECT's lists have."""
        timed = path.with_suffix(".times")
        with open(timed, "wb") as file:
            subprocess.run(["sed", r"s/$/\t1234567890/", path], stdout=file, check=True)
        timed.rename(path)

    def measure(self, name):
        path = self.folder / ("formats.%s" % FORMATS[name][0])
        if path.exists():
            remove(path)
        row = {"format": name, "export_seconds": self.export(name, path)}
        self.measure_import(row, path, FORMATS[name][3])
        if name in self.options.packed:
            row["packed"] = {packer: self.packed(path, packer, FORMATS[name][3]) for packer in PACKERS}
        remove(path)
        return row

    def import_once(self, path, options):
        back = self.folder / "formats-back.qrn"
        named = next(file for ending in ("*.graph", "*.properties") for file in path.glob(ending)) if path.is_dir() else path
        report = self.tool("quern-import", named, *options, "-o", back, "-q")
        back.unlink()
        return report

    def copy_once(self, path):
        copy = self.folder / "formats.copy"
        seconds = self.timed("cp", "-r", path, copy)
        remove(copy)
        return seconds

    def measure_import(self, row, path, options):
        reports = self.measured(lambda: self.import_once(path, options), lambda report: report["seconds"]["total"])
        seconds = {part: statistics.median(report["seconds"][part] for report in reports) for part in ("read", "total")}
        row.update({"edges": reports[0]["ledger"]["edges_read"], "bytes": size_of(path), "read_seconds": seconds["read"],
                    "import_seconds": seconds["total"], "copy_seconds": self.median(lambda: self.copy_once(path))})

    def repeated(self, name):
        """The text of a real graph, several times."""
        graph, once, path = (self.folder / ("formats-repeated" + ending) for ending in (".qrn", ".once", ".text"))
        self.tool("quern-import", GRAPHS_FOLDER / REPEATED[name], "-q", "-o", graph)
        self.tool("quern-export", graph, "--format", "edges", "-o", once)
        text = once.read_bytes()
        with open(path, "wb") as file:
            for _ in range(max(1, REPEATED_BYTES // len(text))):
                file.write(text)
        row = {"format": name + " repeated", "export_seconds": None}
        self.measure_import(row, path, [])
        for file in (graph, once, path):
            file.unlink()
        return row

    def packed(self, path, packer, in_options):
        """Seconds of an import beside those of the decompressor alone."""
        pack, unpack = PACKERS[packer]
        part, packed = self.folder / "formats.part", self.folder / "formats.packed"
        with open(path, "rb") as file:
            part.write_bytes(file.read(PACKED_BYTES).rpartition(b"\n")[0] + b"\n")
        packed.write_bytes(self.run(*pack, part))
        part.unlink()
        alone = self.median(lambda: self.timed("sh", "-c", '"$@" >/dev/null', "sh", *unpack, packed))
        read, processor = [], []
        for _ in range(self.options.repeat):
            begun = processor_seconds()
            read.append(self.import_once(packed, in_options)["seconds"]["read"])
            processor.append(processor_seconds() - begun)
        packed.unlink()
        return {"decompressor_seconds": alone, "read_seconds": statistics.median(read),
                "processor_seconds": statistics.median(processor)}


def processor_seconds():
    """Of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def size_of(path):
    return sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else path.stat().st_size


def to_pairs(text, path):
    """Text edges as pairs of u32, in their order."""
    with open(text, "rb") as lines, open(path, "wb") as pairs:
        while block := lines.readlines(32 << 20):
            array.array("I", map(int, b"".join(block).split())).tofile(pairs)


def widen(pairs, path, record):
    """Pairs of u32 as u64, or with weights from 0 to 1 behind them."""
    weights = array.array("f", (i / 4096 for i in range(4096))).tobytes()
    with open(pairs, "rb") as file, open(path, "wb") as wide:
        while block := file.read(8 << 20):
            ends = array.array("I", block)
            if record == "u64":
                records = array.array("I", bytes(8 * len(ends)))
                records[0::2] = ends
            else:
                count = len(ends) // 2
                records = array.array("I", bytes(12 * count))
                records[0::3], records[1::3] = ends[0::2], ends[1::2]
                records[2::3] = array.array("I", (weights * (count // 4096 + 1))[:4 * count])
            records.tofile(wide)


def to_npy(pairs, path):
    """Pairs of u32 as an array of two rows."""
    count = pairs.stat().st_size // 8
    header = ("{'descr': '<u4', 'fortran_order': False, 'shape': (2, %d), }" % count).ljust(117) + "\n"
    with open(path, "wb") as rows:
        rows.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode())
        for end in 0, 1:
            with open(pairs, "rb") as file:
                while block := file.read(8 << 20):
                    array.array("I", block)[end::2].tofile(rows)


def rate(amount, seconds):
    return "" if seconds is None else "%.2f" % (amount / seconds) if amount / seconds < 10 else "%.1f" % (amount / seconds)


def print_row(row):
    edges, size = row["edges"] / 1e6, row["bytes"] / 1e9
    print("%-22s %8s %8s %8s %9s %9s %9s %9.2f" % (
        row["format"], rate(edges, row["export_seconds"]), rate(edges, row["read_seconds"]), rate(edges, row["import_seconds"]),
        rate(size, row["export_seconds"]), rate(size, row["read_seconds"]), rate(size, row["copy_seconds"]),
        row["copy_seconds"] / row["import_seconds"]), flush=True)
    for packer, seconds in row.get("packed", {}).items():
        print("    %-18s read in %.2f s, %s alone takes %.2f s" % (packer, seconds["read_seconds"], packer,
                                                                  seconds["decompressor_seconds"]), flush=True)


def format_records(rows, scale):
    """Binary formats are written by the byte, text by the edge."""
    graph = "R-MAT, scale %d" % scale
    for row in rows:
        edges, name = 1e-6 * row["edges"], row["format"]
        yield records.record(name, "parse", edges / row["read_seconds"], "M edges/s", graph)
        yield records.record(name, "import", edges / row["import_seconds"], "M edges/s", graph)
        if row["export_seconds"]:
            binary = name.split(",")[0] in BINARY
            amount, unit = (1e-9 * row["bytes"], "GB/s") if binary else (edges, "M edges/s")
            yield records.record(name, "write", amount / row["export_seconds"], unit, graph)


def packed_records(rows, scale):
    for row in rows:
        for packer, seconds in row.get("packed", {}).items():
            name = "%s of scale %d, %d MiB, %s" % (row["format"], scale, PACKED_BYTES >> 20, packer)
            yield records.record(name, "processor time", seconds["processor_seconds"], "s")
            yield records.record(name, "decompressor alone", seconds["decompressor_seconds"], "s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=20, help="2^N vertices (20)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads (all)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts, if two differ (3)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/bench", help="for the files (build/bench)")
    parser.add_argument("--tools", type=Path, default=ROOT / "build/bin", help="where the tools are (build/bin)")
    parser.add_argument("--only", nargs="+", choices=FORMATS, metavar="FORMAT", help="of: %s" % "; ".join(FORMATS))
    parser.add_argument("--packed", nargs="*", choices=FORMATS, default=["edges"], metavar="FORMAT",
                        help="also packed by gzip and zstd (edges)")
    options = parser.parse_args()
    bench = Bench(options)
    print("%-22s %8s %8s %8s %9s %9s %9s %9s" % ("", "out", "read", "in", "out", "read", "copy", "in/copy"))
    print("%-22s %26s %29s" % ("", "million edges a second", "GB a second"))
    rows = []
    for name in options.only or FORMATS:
        rows.append(bench.measure(name))
        print_row(rows[-1])
    for name in [] if options.only else REPEATED:
        if (GRAPHS_FOLDER / REPEATED[name]).exists():
            rows.append(bench.repeated(name))
            print_row(rows[-1])
    generated = [row for row in rows if row["format"] in FORMATS]
    tables = {"formats": list(format_records(generated, options.scale)), "packed": list(packed_records(generated, options.scale))}
    (options.folder / "formats.json").write_text(json.dumps(
        {"scale": options.scale, "threads": options.threads, "formats": rows, **records.stamp(tables)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
