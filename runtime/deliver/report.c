#include "runtime/deliver/report.h"

#include <inttypes.h>

#include "formats/container/figures.h"
#include "kernels/ranks/ranks.h"
#include "results/summary.h"
#include "results/values.h"
#include "runtime/checkpoint.h"
#include "runtime/sets/divide.h"
#include "runtime/update.h"
#include "runtime/watch/joint_report.h"
#include "support/sizes.h"
#include "support/threads.h"

static bool sees_some_edges(const struct qn_algorithm *algorithm) {
  return algorithm->shape == QN_SHAPE_WALKS || algorithm->shape == QN_SHAPE_SAMPLE;
}

/* How many of `things` (edges, bytes of the graph) were walked in a second of the kernels' time, if
 * all are walked once, or, by kernels that do so, once an iteration of this process. */
static double per_second(const struct qn_run *run, uint64_t things) {
  const struct qn_run_result *result = &run->result;
  if (sees_some_edges(run->algorithm))
    return 0;
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

json_t *qn_ranks_json(const struct qn_run_set *set) {
  const struct qn_collective *ranks = qn_ranks_collective();
  const struct qn_ranks_figures figures = qn_ranks_figures();
  if (!ranks)
    return NULL;
  return json_pack("{s:i, s:I, s:I, s:I, s:f, s:o*}", "count", (int)ranks->num_ranks, "exchanges",
                   (json_int_t)figures.exchanges, "sent_bytes", (json_int_t)figures.sent,
                   "received_bytes", (json_int_t)figures.received, "seconds", figures.seconds,
                   "division", set ? qn_division_json(set) : NULL);
}

/* The vertices that a search began with; NULL for walks and samples, which have many. */
static json_t *sources_json(const struct qn_run_input *input, const struct qn_run *run) {
  const struct qn_run_inputs *inputs = &run->inputs;
  if ((inputs->num_sources == 0 && !inputs->is_wide) || sees_some_edges(run->algorithm))
    return NULL;
  json_t *sources = json_array();
  if (inputs->is_wide)
    json_array_append_new(sources, qn_id_json(&input->ids, inputs->wide_source));
  for (uint32_t i = 0; i < inputs->num_sources; i++)
    json_array_append_new(sources, qn_id_json(&input->ids, inputs->sources[i]));
  return sources;
}

/* What an earlier result has saved; NULL without. */
static json_t *update_json(const struct qn_run *run) {
  const struct qn_update *update = run->update;
  if (!update)
    return NULL;
  return json_pack("{s:I, s:I, s:I, s:I, s:I}", "generation", (json_int_t)update->generation,
                   "added_edges", (json_int_t)update->added_edges, "added_vertices",
                   (json_int_t)update->added_vertices, "begun", (json_int_t)update->num_started,
                   "active", (json_int_t)update->num_active);
}

/* A number that is left out if it is 0. */
static json_t *count_json(uint64_t count) {
  return count ? json_integer((json_int_t)count) : NULL;
}

json_t *qn_run_report_json(const struct qn_run_input *input, const struct qn_run *run,
                           const struct qn_watch *watch, const struct qn_report_times *times,
                           json_t *summary) {
  const uint64_t num_edges = input->info->num_edges;
  const struct qn_stream_plan *plan = &run->device.report.plan;
  json_t *devices = devices_json(run);
  json_t *seconds =
      json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "map", input->map_seconds,
                "validate", input->validate_seconds, "find", run->find_seconds, "device",
                run->device_seconds, "prepare", run->result.stats.prepare_seconds, "kernel",
                run->result.stats.kernel_seconds, "processors", run->processor_seconds, "write",
                times->write, "report", times->report, "total", qn_seconds() - times->begin);
  json_t *report =
      json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:b, s:o, s:f, s:O}", "algorithm",
                run->algorithm->name, "layout", qn_layout_name(run->kernel->layout), "device",
                qn_processor_name(run->kernel->processor), "kernel", run->kernel->name, "threads",
                (int)qn_threads(), "vertices", (json_int_t)input->info->num_vertices, "edges",
                (json_int_t)num_edges, "iterations", (json_int_t)run->result.stats.iterations,
                "converged", run->result.stats.converged, "seconds", seconds, "edges_per_second",
                per_second(run, num_edges), "result", summary);
  const struct {
    const char *key;
    json_t *part; /* NULL: left out */
  } parts[] = {
      {"undirected_edges", count_json(qn_undirected_edges(input->container, num_edges))},
      {"parameters", qn_arguments_json(run->algorithm, &run->arguments)},
      {"accelerator", device_json(run, times->device_start)},
      {"strategy", devices ? json_string(qn_strategy_name(plan->strategy)) : NULL},
      {"peer_to_peer", devices ? json_boolean(plan->peers) : NULL},
      {"devices", devices},
      {"choice", qn_choice_json(&run->choice)},
      {"sharing", qn_sharing_json(&run->sharing, run->num_devices)},
      {"checkpoint", checkpoint_json(run)},
      {"parents", parents_json(run)},
      {"update", update_json(run)},
      {"streaming", qn_watch_json(watch)},
      {"ranks", qn_ranks_json(input->set)},
      {"joint", qn_watch_joint_json(watch)},
      {"storage", qn_watch_storage_json(watch)},
      {"samples", count_json(run->inputs.num_samples)},
      {"sources", sources_json(input, run)},
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].part)
      json_object_set_new(report, parts[i].key, parts[i].part);
  return report;
}
