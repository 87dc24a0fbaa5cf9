"""What bench/gpu.py --stream measures beside streaming: shards on the CPU alone, the device alone and both (--device both), with
all of the device's memory and with the quarter of the topology's size that streaming is measured with."""

import json

import gpu_streaming

ALGORITHMS = ("pagerank", "cc", "bfs", "sssp")
DEVICES = ("cpu", "cuda", "both")


def seconds_of(bench, algorithm, container, device, extra):
    """Of the algorithm, by the host's clock: the median; and the last report."""
    reports = [json.loads(bench.run([bench.runner(), algorithm, container, "--device=" + device, "--trust", "--json", "-q", *extra]))
               for _ in range(bench.options.repeat)]
    reports.sort(key=lambda report: report["seconds"]["kernel"])
    return reports[len(reports) // 2]


def measure(bench, algorithm, kind, scale):
    container = bench.layout("shards", bench.graph(kind, scale))
    resident = bench.report(algorithm, container)
    budget = gpu_streaming.budget_of(bench, algorithm, container, resident)
    for memory in (None, budget):
        result = {"algorithm": algorithm, "kind": kind, "scale": scale, "device_memory": memory}
        for device in DEVICES:
            extra = ["--device-memory=%d" % memory] if memory and device != "cpu" else []
            try:
                report = seconds_of(bench, algorithm, container, device, extra)
            except RuntimeError as error:
                if memory and "not enough device memory" in str(error):
                    return  # side by side takes a little more than streaming does
                raise
            result[device] = report["seconds"]["kernel"]
            if device == "both":
                result.update({key: report["joint"][key] for key in ("cpu_iterations", "device_iterations", "both_iterations")})
        bench.results["joint"].append(result)
        print("%8.3f ms on both, %8.3f ms CPU, %8.3f ms device  %-9s %s %d%s" % (
            1e3 * result["both"], 1e3 * result["cpu"], 1e3 * result["cuda"], algorithm, kind, scale,
            ", streamed" if memory else ""), flush=True)


def joint_all(bench):
    bench.results["joint"] = []
    for scale in sorted(bench.options.scales):
        for algorithm in ALGORITHMS:
            if ("shards", algorithm) in bench.kernels():
                bench.attempt("side by side %s %d" % (algorithm, scale),
                              lambda a=algorithm, s=scale: measure(bench, a, "rmat", s))


def table(results):
    lines = ["| graph | algorithm | device memory | CPU, s | device, s | both, s | both / better alone | iterations by CPU, device, both |",
             "|---|---|---|---|---|---|---|---|"]
    for run in results:
        lines.append("| %s %d | %s | %s | %.4f | %.4f | %.4f | %.2f | %d, %d, %d |" % (
            run["kind"], run["scale"], run["algorithm"], "%d MB" % (run["device_memory"] >> 20) if run["device_memory"] else "all",
            run["cpu"], run["cuda"], run["both"], run["both"] / max(min(run["cpu"], run["cuda"]), 1e-12),
            run["cpu_iterations"], run["device_iterations"], run["both_iterations"]))
    return lines + [""]
