"""What bench/gpu.py --stream measures: runs whose topology does not fit into the device memory that they may use, a quarter of the
topology's size where the vertices leave room for it, beside resident runs and the measured rate of pinned copies. Results are
compared with the CPU's on plain CSR."""

STREAMED_LAYOUTS = ("slotted-pages", "edge-partitions", "shards", "graph", "blocked-csr", "hybrid", "packed")
STREAMED_ALGORITHMS = ("pagerank", "cc", "bfs", "sssp")
# The first one is compared with the CPU's result, and the others' times with the first one's, if their plans differ: a plan has
# no more streams than a quarter of the memory has room for in full batches, whatever is asked for.
VARIANTS = (("16 streams", ["--streams=16"]), ("1 stream", ["--streams=1"]), ("32 streams", ["--streams=32"]),
            ("no cache", ["--cache-memory=0"]))


def pinned_rate(results):
    """Bytes a second from pinned memory to the device; None without limits."""
    rates = [figure["value"] for figure in results.get("limits", {}).get("limits", [])
             if figure["what"] == "pinned host to device"]
    return 1e9 * max(rates) if rates else None


def moving_seconds(report):
    return sum(iteration["seconds"] for iteration in report["streaming"]["iterations"])


def budget_of(bench, algorithm, container, resident):
    """--device-memory for a run: a quarter of the topology, or what the vertices need and a sixteenth of it or some units."""
    try:
        probe = bench.report(algorithm, container,
                             ["--iterations=1", "--device-memory=%d" % (resident["accelerator"]["memory_bytes"] * 0.9)])
    except RuntimeError as error:  # of a graph of a few units that may be what one of them takes
        if "even streaming" not in str(error):
            raise
        probe = {}
    if "streaming" not in probe:
        return resident["accelerator"]["memory_bytes"]
    topology, attributes = probe["streaming"]["topology_bytes"], probe["streaming"]["attribute_bytes"]
    least = 4 * (probe["streaming"]["unit_bytes"] + 64)
    return max(topology // 4, attributes + max(topology // 16, least))


def figures(report, resident, rate):
    streaming, seconds = report["streaming"], moving_seconds(report)
    new_units = streaming["active_units"] - streaming["cache_hits"]
    transfer = streaming["moved_bytes"] / rate if rate else 0
    bound = max(transfer, resident["accelerator"]["kernel_seconds"])
    return {"seconds": seconds, "moved_bytes": streaming["moved_bytes"], "hits": streaming["cache_hits"],
            "active_units": streaming["active_units"], "iterations": report["iterations"],
            "resident_seconds": resident["accelerator"]["kernel_seconds"],
            "bytes_per_second": streaming["moved_bytes"] / max(seconds, 1e-12),
            "share_direct": streaming["direct_bytes"] / max(streaming["moved_bytes"], 1),
            "share_of_pinned": streaming["moved_bytes"] / max(seconds, 1e-12) / rate if rate else None,
            "times_bound": seconds / bound if bound else None,
            "bytes_over_active": streaming["moved_bytes"] / (new_units * streaming["unit_bytes"]) if new_units else 1.0,
            "share_of_everything": streaming["moved_bytes"] / (streaming["topology_bytes"] * max(report["iterations"], 1))}


def plan_of(report):
    """What of a streamed run's report was decided before it began."""
    return {key: report["streaming"][key] for key in ("streams", "batch_bytes", "cache_bytes")}


def measure(bench, algorithm, layout, kind, scale):
    graph = bench.graph(kind, scale)
    container = bench.layout(layout, graph)
    resident = bench.report(algorithm, container)
    budget = budget_of(bench, algorithm, container, resident)
    rate, first = pinned_rate(bench.results), None
    for variant, options in VARIANTS[:1] if bench.options.recorded else VARIANTS:
        files = ["-f", "-o", bench.work / "streamed.npy"] if variant == VARIANTS[0][0] else []
        report = bench.report(algorithm, container, ["--device-memory=%d" % budget, *options, *files])
        if "streaming" not in report:  # so small a graph that the buffers would take more than it does
            return
        case = {"algorithm": algorithm, "layout": layout, "kind": kind, "scale": scale, "variant": variant}
        if plan_of(report) == first:
            bench.results["same_plan"].append(dict(case, streams=first["streams"]))
            continue
        first = first or plan_of(report)
        result = {**case, "device_memory": budget, "plan": {key: value for key, value in report["streaming"].items()
                                                    if key != "iterations"}}
        result.update(figures(report, resident, rate))
        bench.results["streaming"].append(result)
        print("%8.3f ms  %6.2f GB/s  %5s of pinned  %-9s %-16s %s %d, %s" % (
            1e3 * result["seconds"], 1e-9 * result["bytes_per_second"],
            "%.0f %%" % (100 * result["share_of_pinned"]) if rate else "", algorithm, layout, kind, scale, variant), flush=True)
        if files:
            bench.compare("streamed %s on %s, %s %d" % (algorithm, layout, kind, scale), bench.expected(algorithm, graph),
                          bench.work / "streamed.npy")


def stream_all(bench):
    kernels = bench.kernels()
    bench.results["streaming"], bench.results["same_plan"] = [], []
    for scale in sorted(bench.options.scales):
        for algorithm in STREAMED_ALGORITHMS:
            for layout in STREAMED_LAYOUTS:
                if (layout, algorithm) in kernels:
                    bench.attempt("streaming %s %s %d" % (algorithm, layout, scale),
                                  lambda a=algorithm, l=layout, s=scale: measure(bench, a, l, "rmat", s))


def table(results, same_plan):
    lines = ["| graph | algorithm | layout | run | streams | s | GB moved | not gathered | GB/s | of pinned | times max(transfer, resident) | "
             "moved / active | of streaming all | hits |", "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for run in results:
        lines.append("| %s %d | %s | %s | %s | %d | %.4f | %.3f | %.0f %% | %.2f | %s | %s | %.2f | %.3f | %d of %d |" % (
            run["kind"], run["scale"], run["algorithm"], run["layout"], run["variant"], run["plan"]["streams"],
            run["seconds"],
            1e-9 * run["moved_bytes"], 100 * run["share_direct"], 1e-9 * run["bytes_per_second"],
            "%.0f %%" % (100 * run["share_of_pinned"]) if run["share_of_pinned"] else "",
            "%.2f" % run["times_bound"] if run["times_bound"] else "", run["bytes_over_active"], run["share_of_everything"],
            run["hits"], run["active_units"]))
    lines += ["", "Not compared, as the plan is that of the first row of the same algorithm and layout: %s." % "; ".join(
        "%s on %s, %s %d, %s (%d streams)" % (run["algorithm"], run["layout"], run["kind"], run["scale"], run["variant"],
                                               run["streams"]) for run in same_plan)] if same_plan else []
    return lines + [""]
