"""What bench/gpu.py --devices measures: PageRank on one device, and shared by two with either strategy, resident and with little
memory on each; and the main algorithms on one, on two, and as Quern chooses. Results are compared with the CPU's on plain CSR."""

import json

LAYOUTS = ("slotted-pages", "edge-partitions")
DEALT = ("graph", "packed")  # whose rows are dealt: there is one strategy
TEAMS = (("one device", ["--device=cuda"]), ("two, performance", ["--devices=0,1", "--strategy=performance"]),
         ("two, scalability", ["--devices=0,1", "--strategy=scalability"]))
SHARED = {"pagerank": "PageRank, an iteration", "cc": "connected components", "sssp": "SSSP", "bfs": "BFS"}
CHOICES = (("one device", ["--device=cuda"]), ("two", ["--devices=0,1", "--all-devices"]), ("two, as chosen", ["--devices=0,1"]))
MEMORY_SCALE, MEMORY = 23, 700 << 20  # of each device, where runs are to stream a graph of that scale


def memory_for(scale):
    return MEMORY * 2**scale // 2**MEMORY_SCALE


def measure(bench, layout, team, memory, scale):
    graph = bench.graph("rmat", scale)
    container, result = bench.layout(layout, graph), bench.work / "shared.npy"
    words = [bench.runner(), "pagerank", container, *dict(TEAMS)[team], "--trust", "--json", "-q", "--iterations=20", "--tolerance=0",
             *(["--device-memory=%d" % memory] if memory else [])]
    reports = sorted((json.loads(bench.run(words)) for _ in range(bench.options.repeat)),
                     key=lambda report: report["seconds"]["kernel"])
    report = reports[len(reports) // 2]
    row = {"layout": layout, "team": team, "scale": scale, "device_memory": memory,
           "seconds": report["seconds"]["kernel"] / report["iterations"]}
    bench.results["devices"].append(row)
    print("%8.3f ms an iteration  %-16s %s%s" % (1e3 * row["seconds"], layout, team, ", streamed" if memory else ""), flush=True)
    bench.run([*words, "-f", "-o", result])
    bench.compare("pagerank on %s, %s%s" % (layout, team, ", streamed" if memory else ""), bench.expected("pagerank", graph), result)


def share(bench, algorithm, layout, memory, scale):
    """One run by each choice, with a little more memory: what does not shrink with the graph."""
    memory = memory and memory + (64 << 10)
    graph = bench.graph("rmat", scale)
    container, result = bench.layout(layout, graph), bench.work / "shared.npy"
    for choice, said in CHOICES:
        report = json.loads(bench.run([bench.runner(), algorithm, container, *said, "--trust", "--json", "-q", *bench.said(algorithm, container),
                                       *(["--device-memory=%d" % memory] if memory else []), "-f", "-o", result]))
        walks = report["iterations"] if algorithm == "pagerank" else 1
        row = {"algorithm": algorithm, "layout": layout, "choice": choice, "scale": scale, "device_memory": memory,
               "seconds": report["seconds"]["kernel"] / walks}
        bench.results["sharing"].append(row)
        what = "%s on %s, %s%s" % (algorithm, layout, choice, ", streamed" if memory else "")
        print("%8.3f ms  %s" % (1e3 * row["seconds"], what), flush=True)
        bench.compare(what, bench.expected(algorithm, graph), result)


def sharing_row(row, title):
    """Its name in the table."""
    return "%s, %s, %s" % (SHARED[row["algorithm"]], title, "%d MiB of each device" % (row["device_memory"] >> 20)
                           if row["device_memory"] else "resident")


def devices_all(bench):
    bench.results["devices"], bench.results["sharing"] = [], []
    for scale in bench.options.scales:
        for algorithm in SHARED:  # whose results on the CPU are kept
            for layout in (*DEALT, *LAYOUTS):
                for memory in (None, memory_for(scale)):
                    bench.sections.do("%s on %s by choices%s" % (algorithm, layout, ", streamed" if memory else ""),
                                      lambda a=algorithm, l=layout, m=memory, s=scale: share(bench, a, l, m, s))
        for layout in (*DEALT, *LAYOUTS):
            for memory in (None, memory_for(scale)):
                for team, _ in (TEAMS[:2] if layout in DEALT else TEAMS):
                    bench.sections.do("%s, %s%s" % (layout, team, ", streamed" if memory else ""),
                                      lambda l=layout, t=team, m=memory, s=scale: measure(bench, l, t, m, s))


def table(results):
    lines = ["| scale | layout | memory of each device | devices | ms an iteration |", "|---|---|---|---|---|"]
    for run in results:
        lines.append("| %d | %s | %s | %s | %.3f |" % (run["scale"], run["layout"], "%d MiB" % (run["device_memory"] >> 20)
                                                      if run["device_memory"] else "all", run["team"], 1e3 * run["seconds"]))
    return lines + [""]
