"""What bench/gpu.py --rows measures: the rows in which a peer was ahead of Quern once, on the same graphs, beside what Quern took then
and what the best peer took. Those two are of one H200, when both were run side by side. Results of graphs up to scale 23 are compared
with the CPU's."""

import collections
import time

Row = collections.namedtuple("Row", "title kind scale algorithm layout memory before peer", defaults=(None, None, None))

ROWS = [
    Row("BFS, streamed, half of the topology cached", "rmat", 23, "bfs", "graph", "half", 51, 35),
    Row("BFS, streamed, nothing cached", "rmat", 23, "bfs", "graph", "nothing", None, 35),
    Row("SSSP, streamed, half of the topology cached", "rmat", 23, "sssp", "graph", "half", 237, 170),
    Row("SSSP, streamed, nothing cached", "rmat", 23, "sssp", "graph", "nothing", None, 170),
    Row("connected components, streamed from pages", "rmat", 23, "cc", "slotted-pages", "nothing", 182),
    Row("connected components, streamed", "rmat", 23, "cc", "graph", "nothing", 23),
    Row("SpMV on plain CSR, whole weights, an iteration", "rmat", 23, "spmv", "graph", None, 2.41, 1.96),
    Row("BFS, the whole command", "rmat", 23, "bfs", "graph", "command", 470),
    Row("triangles, scale 21", "rmat", 21, "tc", "graph", None, 54.8, 39.6),
    Row("triangles, scale 23", "rmat", 23, "tc", "graph", None),
    Row("betweenness, one source", "rmat", 23, "bc", "graph", None, 14.8, 19),
    Row("betweenness, one source, uniform", "uniform", 23, "bc", "graph", None, 21.0, 11.6),
    Row("BFS, scale 26, streamed, half of the topology cached", "rmat", 26, "bfs", "graph", "half", 342, 239),
    Row("BFS, scale 26, streamed, nothing cached", "rmat", 26, "bfs", "graph", "nothing", None, 239),
]
SHARES = {"half": (1 / 2, []), "nothing": (1 / 4, ["--cache-memory=0"])}  # of the topology as device memory


def options_of(bench, row, container, resident):
    """How much memory the run may use, beside what its vertices need."""
    if row.memory not in SHARES:
        return []
    share, options = SHARES[row.memory]
    probe = bench.report(row.algorithm, container,
                         ["--iterations=1", "--device-memory=%d" % (resident["accelerator"]["memory_bytes"] * 0.9)])
    if "streaming" not in probe:
        raise RuntimeError("the graph fits into the device's memory")
    topology, attributes = probe["streaming"]["topology_bytes"], probe["streaming"]["attribute_bytes"]
    return ["--device-memory=%d" % (attributes + share * topology), *options]


def seconds_of(bench, row, container, options):
    """The median of the algorithm alone, or of the command from its start to its end."""
    taken = []
    for _ in range(bench.options.repeat):
        begun = time.monotonic()
        result = ["-f", "-o", bench.work / "row.npy"] if row.algorithm != "tc" else []
        report = bench.report(row.algorithm, container, [*options, *result])
        whole = time.monotonic() - begun
        walks = report["iterations"] if row.algorithm == "spmv" else 1
        taken.append((whole if row.memory == "command" else report["accelerator"]["kernel_seconds"] / walks, report))
    taken.sort(key=lambda each: each[0])
    return taken[len(taken) // 2]


def measure(bench, row, scale):
    graph = bench.graph(row.kind, scale)
    container = bench.layout(row.layout, graph)
    resident = bench.report(row.algorithm, container) if row.memory in SHARES else None
    seconds, report = seconds_of(bench, row, container, options_of(bench, row, container, resident))
    moved = report.get("streaming", {}).get("moved_bytes", 0) + report.get("streaming", {}).get("read_bytes", 0)
    bench.results["rows"].append(dict(row._asdict(), scale=scale, seconds=seconds, moved_bytes=moved))
    print("%9.2f ms  %6.2f GB moved  %s" % (1e3 * seconds, 1e-9 * moved, row.title), flush=True)
    if row.algorithm != "tc" and scale < 26:
        bench.compare(row.title, bench.expected(row.algorithm, graph), bench.work / "row.npy")


def rows_all(bench):
    bench.results["rows"] = []
    bench.weights = "1,255"
    kept = None
    for row in ROWS:
        scale = 9 if bench.options.emulator else row.scale
        if kept not in (None, (row.kind, scale)):
            for file in bench.work.glob("%s%d*" % kept):
                file.unlink()
        kept = (row.kind, scale)
        bench.sections.do(row.title, lambda r=row, s=scale: measure(bench, r, s))


def table(results):
    lines = ["| row | ms | GB moved | before, ms | best peer, ms |", "|---|---|---|---|---|"]
    for row in results:
        lines.append("| %s | %.2f | %.2f | %s | %s |" % (row["title"], 1e3 * row["seconds"], 1e-9 * row["moved_bytes"],
                                                         row["before"] or "", row["peer"] or ""))
    return lines + [""]
