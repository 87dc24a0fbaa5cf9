#!/usr/bin/env python3
"""What docs/papers.md has no times of yet: the rules for a search's direction, streamed rates beside those recorded, Garaph's
GPU alone, PageRank asynchronously, and what the second renaming is worth. Three minutes on an H200; papers.json, for
bench/report.py, is left in $OUT."""

import io
import json
import os
import shutil
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import gpu
import gpu_streaming
import papers
import records

out = Path(os.environ.get("OUT", "."))
sys.argv = ["papers.py", "--passes=1", "--seconds=160", "--output=%s" % (out / "papers-rest"), *sys.argv[1:]]
bench = papers.Papers(papers.arguments())
bench.kernels()
scale = bench.options.scale
name = papers.title(scale, bench.options.degree)
log = io.StringIO()


def step(what, action):
    with redirect_stdout(log):
        bench.each(what, action)
    print("%6.1f s  %s" % (time.monotonic() - bench.begin, what), flush=True)


graph = bench.input(scale)
# 2: the direction by the shares and by the working set, beside what --direction auto, push and pull take as a user runs them
step("direction rules", lambda: papers.direction_rules(bench, graph))
for algorithm in ("bfs", "sssp", "bc"):
    step("%s by auto" % algorithm, lambda a=algorithm: papers.directions(bench, a, "auto", graph))
# the streamed rates, beside those recorded before (97 % are asked for)
before = {(r["row"], r["column"]): r["value"] for r in records.load("gpu-streaming")}
rates = []


def rate(layout, algorithm, row, options):
    container = bench.build(layout, graph)[0] if layout != "graph" else graph
    column = gpu.LAYOUT_TITLES[layout]
    resident = bench.report(algorithm, container, options)
    budget = gpu_streaming.budget_of(bench, algorithm, container, resident)
    figures = []
    for _ in range(2):
        report = bench.report(algorithm, container, ["--device-memory=%d" % budget, "--streams=16", *options])
        figures.append(1e-9 * report["streaming"]["moved_bytes"] / gpu_streaming.moving_seconds(report))
    rates.append((row, column, max(figures), before.get((row, column))))
    bench.put("gpu-streaming", gpu.graph_title("rmat", scale) + ", a quarter of the topology as device memory", row, column,
              max(figures), "GB/s")
for layout, algorithm, row, options in (
        ("slotted-pages", "pagerank", "PageRank, 20 iterations", ["--iterations=20", "--tolerance=0"]),
        ("slotted-pages", "bfs", "BFS", []), ("slotted-pages", "sssp", "SSSP", []),
        ("edge-partitions", "pagerank", "PageRank, 20 iterations", ["--iterations=20", "--tolerance=0"]),
        ("graph", "pagerank", "PageRank, 20 iterations", ["--iterations=20", "--tolerance=0"])):
    step("rate of %s on %s" % (algorithm, layout), lambda l=layout, a=algorithm, r=row, o=options: rate(l, a, r, o))
# 12: Garaph streamed, the GPU alone beside both; PageRank asynchronously, where both share it
shards = bench.build("shards", graph)[0]
for algorithm in ("pagerank", "sssp"):
    step("Garaph, %s streamed" % algorithm, lambda a=algorithm: papers.garaph_streamed(bench, a, shards, graph, name))


def asynchronous():
    memory, _ = papers.budget_for(bench, "pagerank", shards, graph)
    for mode in ("synchronous", "asynchronous"):
        report = bench.report("pagerank", shards, ["--device=both", "--device-memory=%d" % memory, "--tolerance=1e-6", "--mode=" + mode])
        rates.append(("PageRank to 1e-6, both, " + mode, "%d iterations, ms" % report["iterations"], 1e3 * report["seconds"]["kernel"], None))
step("PageRank asynchronously", asynchronous)
# 5: what the second renaming is worth, streamed and resident
for count in (32, 1, 1024):
    parts = bench.build("edge-partitions", graph, "--partitions=%d" % count)[0]
    row = "%d partitions" % count if count > 1 else "one partition"
    for algorithm in ("bfs", "sssp", "cc"):
        def renamed(a=algorithm, p=parts, r=row):
            bench.put("papers-graphie-partitions", name, r, papers.TITLES[a], 1e3 * papers.seconds_of(a, bench.go(a, p, graph)), "ms")
            papers.renamed_streams(bench, a, p, graph, name, r)
        step("%s, %s" % (algorithm, row), renamed)
    parts.unlink()

report = {"checks": bench.results["checks"], "skipped": bench.results["skipped"], **records.stamp(papers.tables(bench))}
(out / "papers.json").write_text(json.dumps(report, indent=1) + "\n")
shutil.rmtree(out / "papers-rest", ignore_errors=True)
lines = {}
for table, rows in report["tables"].items():
    for each in rows:
        lines.setdefault((table.removeprefix("papers-"), each["row"]), []).append("%s %.4g" % (each["column"].replace("connected components", "cc"), each["value"]))
for (table, row), cells in lines.items():
    print("%s | %s: %s" % (table, row, "; ".join(cells)))
for row, column, value, old in rates:
    print("%s, %s: %.4g%s" % (row, column, value, " (before %.4g: %.1f %%)" % (old, 100 * value / old) if old else ""))
wrong = [check for check in report["checks"] if not check["right"]]
print("%d right, %d wrong, %d not run" % (len(report["checks"]) - len(wrong), len(wrong), len(report["skipped"])))
for check in wrong[:5]:
    print("WRONG %s: %s" % (check["what"], str(check["detail"])[:200]))
for what in report["skipped"]:
    print("not run: " + what[:80])
