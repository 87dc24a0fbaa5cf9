"""What bench/gpu.py --devices measures: PageRank on one device, and shared by two with either strategy, resident and with little
memory on each. Results are compared with the CPU's on plain CSR."""

import json

LAYOUTS = ("slotted-pages", "edge-partitions")
TEAMS = (("one device", ["--device=cuda"]), ("two, performance", ["--devices=0,1", "--strategy=performance"]),
         ("two, scalability", ["--devices=0,1", "--strategy=scalability"]))
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


def devices_all(bench):
    bench.results["devices"] = []
    for scale in bench.options.scales:
        for layout in LAYOUTS:
            for memory in (None, memory_for(scale)):
                for team, _ in TEAMS:
                    bench.sections.do("%s, %s%s" % (layout, team, ", streamed" if memory else ""),
                                      lambda l=layout, t=team, m=memory, s=scale: measure(bench, l, t, m, s))


def table(results):
    lines = ["| scale | layout | memory of each device | devices | ms an iteration |", "|---|---|---|---|---|"]
    for run in results:
        lines.append("| %d | %s | %s | %s | %.3f |" % (run["scale"], run["layout"], "%d MiB" % (run["device_memory"] >> 20)
                                                      if run["device_memory"] else "all", run["team"], 1e3 * run["seconds"]))
    return lines + [""]
