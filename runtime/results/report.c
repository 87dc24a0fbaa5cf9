#include "runtime/results/report.h"

#include <inttypes.h>

#include "formats/container/figures.h"
#include "runtime/checkpoint.h"
#include "runtime/sets/divide.h"
#include "runtime/sets/ranks.h"
#include "runtime/summary.h"
#include "runtime/values.h"
#include "runtime/watch/joint_report.h"
#include "support/sizes.h"
#include "support/threads.h"

/* How many of `things` (edges, bytes of the graph) were walked in a second of the kernels' time, if
 * all are walked once, or, by kernels that do so, once an iteration of this process. */
static double per_second(const struct qn_run *run, uint64_t things) {
  const struct qn_run_result *result = &run->result;
  if (run->algorithm->shape == QN_SHAPE_WALKS || run->algorithm->shape == QN_SHAPE_SAMPLE)
    return 0; /* they see some of the edges */
  uint64_t before = run->keeper ? qn_keeper_figures(run->keeper)->resumed : 0;
  bool all_active = run->kernel->traits & QN_KERNEL_ALL_ACTIVE;
  double walks = all_active ? (double)(result->stats.iterations - before) : 1;
  double seconds = run->kernel->processor == QN_CPU ? result->stats.kernel_seconds
                                                    : run->device.report.figures.kernel_seconds;
  return seconds > 0 ? (double)things * walks / seconds : 0;
}

/* What the accelerator did; NULL on the CPU. */
static json_t *device_json(const struct qn_run *run, double start_seconds) {
  const struct qn_device_figures *device = &run->device.report.figures;
  if (run->kernel->processor == QN_CPU)
    return NULL;
  return json_pack("{s:s, s:f, s:I, s:I, s:f, s:I, s:f, s:f}", "name", device->name,
                   "start_seconds", start_seconds, "memory_bytes", (json_int_t)device->memory_bytes,
                   "copied_bytes", (json_int_t)device->copied_bytes, "copy_seconds",
                   device->copy_seconds, "uploaded_bytes", (json_int_t)device->uploaded_bytes,
                   "kernel_seconds", device->kernel_seconds, "bytes_per_second",
                   per_second(run, device->uploaded_bytes));
}

/* How several devices shared the run; NULL where there was one. */
static json_t *devices_json(const struct qn_run *run) {
  const struct qn_device_report *told = &run->device.report;
  json_t *list = told->num_devices ? json_array() : NULL;
  for (unsigned i = 0; i < told->num_devices; i++) {
    const struct qn_device_share *share = &told->shares[i];
    const struct qn_stream_figures *moved = &share->moved;
    json_array_append_new(
        list,
        json_pack(
            "{s:i, s:s, s:I, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "index",
            share->index, "name", share->figures.name, "memory_bytes",
            (json_int_t)share->figures.memory_bytes, "attribute_bytes",
            (json_int_t)share->plan.attribute_bytes, "topology_bytes",
            (json_int_t)share->plan.topology_bytes, "units", (json_int_t)share->plan.num_units,
            "streams", share->plan.streams, "cache_bytes", (json_int_t)share->plan.cache_bytes,
            "active_units", (json_int_t)moved->active_units, "cache_hits",
            (json_int_t)moved->cache_hits, "moved_units", (json_int_t)moved->moved_units,
            "moved_bytes", (json_int_t)moved->moved_bytes, "uploaded_bytes",
            (json_int_t)share->figures.uploaded_bytes, "merged_bytes",
            (json_int_t)share->merged_bytes, "kernel_seconds", share->figures.kernel_seconds));
  }
  return list;
}

/* The checkpoints of the run; NULL without. */
static json_t *checkpoint_json(const struct qn_run *run) {
  if (!run->keeper)
    return NULL;
  const struct qn_checkpoint_figures *figures = qn_keeper_figures(run->keeper);
  return json_pack("{s:I, s:I, s:I, s:f}", "resumed_after", (json_int_t)figures->resumed, "written",
                   (json_int_t)figures->written, "bytes", (json_int_t)figures->bytes, "seconds",
                   figures->seconds);
}

/* How the parents were found; NULL if nobody wanted them. */
static json_t *parents_json(const struct qn_run *run) {
  const struct qn_run_statistics *stats = &run->parents.stats;
  if (!run->parents_kernel)
    return NULL;
  return json_pack("{s:s, s:s, s:b, s:I, s:f, s:f}", "device",
                   qn_processor_name(run->parents_kernel->processor), "kernel",
                   run->parents_kernel->name, "streamed", run->parents_device.report.plan.streams,
                   "iterations", (json_int_t)stats->iterations, "prepare_seconds",
                   stats->prepare_seconds, "kernel_seconds", stats->kernel_seconds);
}

json_t *qn_run_report_json(const struct qn_run_input *input, const struct qn_run *run,
                           const struct qn_watch *watch, const struct qn_report_times *times,
                           json_t *summary) {
  json_t *seconds = json_pack(
      "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "map", input->map_seconds, "validate",
      input->validate_seconds, "find", run->find_seconds, "device", run->device_seconds, "prepare",
      run->result.stats.prepare_seconds, "kernel", run->result.stats.kernel_seconds, "write",
      times->write, "report", times->report, "total", qn_seconds() - times->begin);
  json_t *report = json_pack(
      "{s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:b, s:o, s:f, s:O}", "algorithm",
      run->algorithm->name, "layout", qn_layout_name(run->kernel->layout), "device",
      qn_processor_name(run->kernel->processor), "kernel", run->kernel->name, "threads",
      (int)qn_threads(), "vertices", (json_int_t)input->info->num_vertices, "edges",
      (json_int_t)input->info->num_edges, "iterations", (json_int_t)run->result.stats.iterations,
      "converged", run->result.stats.converged, "seconds", seconds, "edges_per_second",
      per_second(run, input->info->num_edges), "result", summary);
  const uint64_t undirected = qn_undirected_edges(input->container, input->info->num_edges);
  if (undirected)
    json_object_set_new(report, "undirected_edges", json_integer((json_int_t)undirected));
  json_object_set_new(report, "parameters", qn_arguments_json(run->algorithm, &run->arguments));
  json_t *device = device_json(run, times->device_start), *streamed = qn_watch_json(watch);
  if (device)
    json_object_set_new(report, "accelerator", device);
  json_t *devices = devices_json(run);
  if (devices) {
    json_object_set_new(report, "strategy",
                        json_string(qn_strategy_name(run->device.report.plan.strategy)));
    json_object_set_new(report, "peer_to_peer", json_boolean(run->device.report.plan.peers));
    json_object_set_new(report, "devices", devices);
  }
  json_t *choice = qn_choice_json(&run->choice);
  if (choice)
    json_object_set_new(report, "choice", choice);
  json_t *sharing = qn_sharing_json(&run->sharing, run->num_devices);
  if (sharing)
    json_object_set_new(report, "sharing", sharing);
  json_t *checkpoint = checkpoint_json(run), *parents = parents_json(run);
  if (checkpoint)
    json_object_set_new(report, "checkpoint", checkpoint);
  if (parents)
    json_object_set_new(report, "parents", parents);
  if (streamed)
    json_object_set_new(report, "streaming", streamed);
  json_t *ranks = qn_ranks_json(input->set);
  if (ranks)
    json_object_set_new(report, "ranks", ranks);
  json_t *joint = qn_watch_joint_json(watch), *storage = qn_watch_storage_json(watch);
  if (joint)
    json_object_set_new(report, "joint", joint);
  if (storage)
    json_object_set_new(report, "storage", storage);
  json_t *sources = json_array();
  for (uint32_t i = 0; i < run->inputs.num_sources; i++)
    json_array_append_new(sources, qn_id_json(input, run->inputs.sources[i]));
  if (run->inputs.num_samples)
    json_object_set_new(report, "samples", json_integer(run->inputs.num_samples));
  if (run->inputs.num_sources && run->algorithm->shape != QN_SHAPE_WALKS &&
      run->algorithm->shape != QN_SHAPE_SAMPLE)
    json_object_set(report, "sources", sources);
  json_decref(sources);
  return report;
}

/* A number of iterations that was asked for is no failure to converge. */
static const char *convergence_note(const struct qn_run *run) {
  bool fixed =
      ((run->kernel->traits & QN_KERNEL_ALL_ACTIVE) && run->request.limits.tolerance == 0) ||
      qn_parameter_find(run->algorithm, "hops") < run->algorithm->num_parameters;
  return run->result.stats.converged || fixed ? "" : " (not converged)";
}

static void print_checkpoint(const json_t *checkpoint, FILE *stream) {
  if (!checkpoint)
    return;
#define NUMBER(key) json_integer_value(json_object_get(checkpoint, key))
  fprintf(stream, "checkpoint %" JSON_INTEGER_FORMAT " written in %.3f s", NUMBER("written"),
          json_real_value(json_object_get(checkpoint, "seconds")));
  if (NUMBER("resumed_after"))
    fprintf(stream, "; went on after iteration %" JSON_INTEGER_FORMAT, NUMBER("resumed_after"));
  putc('\n', stream);
#undef NUMBER
}

static void print_parents(const json_t *parents, FILE *stream) {
  if (!parents)
    return;
  json_int_t sweeps = json_integer_value(json_object_get(parents, "iterations"));
  fprintf(stream, "parents    found in %" JSON_INTEGER_FORMAT " %s, %.3f s\n", sweeps,
          sweeps == 1 ? "sweep" : "sweeps",
          json_real_value(json_object_get(parents, "prepare_seconds")) +
              json_real_value(json_object_get(parents, "kernel_seconds")));
}

static void print_devices(const json_t *report, FILE *stream) {
  const json_t *devices = json_object_get(report, "devices"), *device;
  size_t i;
  json_array_foreach((json_t *)devices, i, device) {
    char moved[32], merged[32], attributes[32];
#define NUMBER(key) (uint64_t) json_integer_value(json_object_get(device, key))
    fprintf(stream,
            "  %zu. %-8" JSON_INTEGER_FORMAT " %" PRIu64 " units, %s of values, %s moved, %" PRIu64
            " of %" PRIu64 " active units in the cache, %s exchanged, kernels %.6f s\n",
            i + 1, json_integer_value(json_object_get(device, "index")), NUMBER("units"),
            qn_size_text(NUMBER("attribute_bytes"), attributes, sizeof attributes),
            qn_size_text(NUMBER("moved_bytes"), moved, sizeof moved), NUMBER("cache_hits"),
            NUMBER("active_units"), qn_size_text(NUMBER("merged_bytes"), merged, sizeof merged),
            json_real_value(json_object_get(device, "kernel_seconds")));
#undef NUMBER
  }
}

void qn_run_report_print(const struct qn_run_input *input, const struct qn_run *run,
                         const json_t *report, bool explain, FILE *stream) {
  char vertices[32], edges[QN_EDGES_TEXT];
  const json_t *seconds = json_object_get(report, "seconds"), *sources;
#define TEXT(key) json_string_value(json_object_get(report, key))
#define COUNT(key, text)                                                                           \
  qn_count_text((uint64_t)json_integer_value(json_object_get(report, key)), text, sizeof text)
  fprintf(stream, "%s on %s (%s: %s), %s vertices, %s\n", TEXT("algorithm"), TEXT("layout"),
          TEXT("device"), TEXT("kernel"), COUNT("vertices", vertices),
          qn_edges_text(input->info->directedness, input->info->num_edges,
                        (uint64_t)json_integer_value(json_object_get(report, "undirected_edges")),
                        edges));
  if (explain && json_object_get(report, "choice"))
    qn_choice_print(json_object_get(report, "choice"), stream);
  const json_t *device = json_object_get(report, "accelerator");
  if (device) {
    char memory[32], copied[32];
#define SIZE(key, text)                                                                            \
  qn_size_text((uint64_t)json_integer_value(json_object_get(device, key)), text, sizeof text)
    fprintf(stream, "device     %s, %s in use, %s copied in %.3f s, kernels %.6f s\n",
            json_string_value(json_object_get(device, "name")), SIZE("memory_bytes", memory),
            SIZE("copied_bytes", copied), json_real_value(json_object_get(device, "copy_seconds")),
            json_real_value(json_object_get(device, "kernel_seconds")));
  }
  print_devices(report, stream);
  if (json_object_get(report, "streaming"))
    qn_watch_print(json_object_get(report, "streaming"), stream);
  if (json_object_get(report, "joint"))
    qn_joint_report_print(json_object_get(report, "joint"), stream);
  if (json_object_get(report, "storage"))
    qn_watch_print_storage(json_object_get(report, "storage"), stream);
  if ((sources = json_object_get(report, "sources")) && json_array_size(sources) == 1)
    fprintf(stream, "source     %s\n", json_string_value(json_array_get(sources, 0)));
  if (json_object_get(report, "samples"))
    fprintf(stream, "samples    %" JSON_INTEGER_FORMAT "\n",
            json_integer_value(json_object_get(report, "samples")));
  qn_summary_print(json_object_get(report, "result"), stream);
  fprintf(stream, "iterations %" JSON_INTEGER_FORMAT "%s\n",
          json_integer_value(json_object_get(report, "iterations")), convergence_note(run));
  print_parents(json_object_get(report, "parents"), stream);
  print_checkpoint(json_object_get(report, "checkpoint"), stream);
  const json_t *ranks = json_object_get(report, "ranks");
  qn_ranks_print(ranks, stream);
  if (explain && ranks)
    qn_division_print(json_object_get(ranks, "division"), stream);
#define SECONDS(key) json_real_value(json_object_get(seconds, key))
  fprintf(stream,
          "seconds    %.3f (map %.3f, validate %.3f, find %.3f, device %.3f, prepare %.3f, "
          "kernel %.3f, write %.3f, report %.3f)\n",
          SECONDS("total"), SECONDS("map"), SECONDS("validate"), SECONDS("find"), SECONDS("device"),
          SECONDS("prepare"), SECONDS("kernel"), SECONDS("write"), SECONDS("report"));
  const double rate = json_real_value(json_object_get(report, "edges_per_second"));
  if (rate > 0)
    fprintf(stream, "edges/s    %.*f million\n", rate < 1e8 ? 2 : 0, rate / 1e6);
}
