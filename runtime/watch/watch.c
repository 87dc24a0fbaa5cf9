#include "runtime/watch/watch.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "kernels/storage.h"
#include "runtime/watch/cost_model.h"
#include "runtime/watch/interrupt.h"
#include "runtime/watch/joint_report.h"
#include "runtime/watch/timeline.h"
#include "support/atomic_file.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/sizes.h"

struct qn_watch {
  struct qn_watch_options options;
  uint64_t num_vertices, edges_walked;
  struct qn_stream_plan plan;
  struct qn_stream_figures moved; /* in all iterations */
  struct qn_watched_files files;
  struct qn_cost_model model;
  struct qn_timeline timeline;
  struct qn_joint_report joint;
  struct qn_storage_rates storage; /* of what the graph lies on, if it exceeds memory */
  uint64_t notified, pulled;       /* iterations then */
  json_t *iterations;
  bool ends_itself; /* the run, when it is interrupted */
  bool catches;     /* signals, so that the timeline is whole however the run ends */
  struct qn_interrupts interrupts;
};

enum qn_status qn_watch_create(const struct qn_watch_options *options, bool replace,
                               struct qn_watch **out, struct qn_error *error) {
  struct qn_watch *watch;
  enum qn_status status = qn_alloc_zeroed(&watch, 1, sizeof *watch, "figures of the run", error);
  *out = NULL;
  if (status)
    return status;
  watch->options = *options;
  watch->iterations = json_array();
  if (options->trace)
    status = qn_timeline_create(&watch->timeline, options->trace, replace, error);
  if (status) {
    qn_watch_destroy(watch);
    return status;
  }
  *out = watch;
  return QN_OK;
}

static void release_signals(struct qn_watch *watch) {
  if (watch->catches)
    qn_interrupts_release(&watch->interrupts);
  watch->catches = false;
}

void qn_watch_destroy(struct qn_watch *watch) {
  if (!watch)
    return;
  release_signals(watch);
  qn_timeline_abort(&watch->timeline);
  qn_joint_report_end(&watch->joint);
  json_decref(watch->iterations);
  qn_free(watch);
}

/* What several devices are going to do. */
static void tell_devices(const struct qn_stream_plan *plan) {
  char attributes[32], messages[32] = "", bytes[32];
  const bool splits = plan->strategy == QN_SCALABILITY;
  if (plan->message_bytes)
    snprintf(messages, sizeof messages, " and %s on the host",
             qn_size_text(plan->message_bytes, bytes, sizeof bytes));
  qn_notice(
      "%u devices, strategy %s: %s of values on each%s, %s of the graph; they exchange values "
      "%s",
      plan->num_devices, qn_strategy_name(plan->strategy),
      qn_size_text(plan->attribute_bytes, attributes, sizeof attributes), messages,
      splits ? "each walks all" : "each walks a part",
      plan->peers ? "peer to peer" : "through the host's memory");
}

/* Has one device, beside the topology, only what edges combine into (GTS's WA)? */
static bool holds_receivers(const struct qn_stream_plan *plan) {
  return plan->num_devices == 0 && plan->strategy == QN_SCALABILITY;
}

/* For the cost model: how fast what is not in memory would come. */
static void explain_plan(struct qn_watch *watch, const struct qn_stream_plan *plan) {
  const struct qn_watched_files *files = &watch->files;
  const double rate = files->largest ? qn_storage_rate_ahead(files->largest, files->bytes) : 0;
  qn_cost_model_plan(&watch->model, plan, rate, qn_bytes_from_storage());
}

/* What a run that streams is going to do. */
static void on_plan(void *user, const struct qn_stream_plan *plan) {
  struct qn_watch *watch = user;
  char attributes[32], topology[32], buffers[32], staging[32], cache[32], expected[32], pinned[64];
  watch->plan = *plan;
  if (plan->num_devices > 0)
    tell_devices(plan);
  for (unsigned i = 0; i < plan->num_devices && watch->timeline.file; i++)
    qn_timeline_device(&watch->timeline, i);
  if (!plan->streams)
    return;
  if (watch->options.explain)
    explain_plan(watch, plan);
  qn_size_text(plan->attribute_bytes, attributes, sizeof attributes);
  qn_size_text(plan->topology_bytes, topology, sizeof topology);
  qn_size_text(plan->num_streams * plan->batch_bytes, buffers, sizeof buffers);
  qn_size_text(plan->num_stages * plan->batch_bytes, staging, sizeof staging);
  qn_size_text(plan->cache_bytes, cache, sizeof cache);
  qn_size_text(plan->topology_bytes > plan->cache_bytes ? plan->topology_bytes - plan->cache_bytes
                                                        : 0,
               expected, sizeof expected);
  if (plan->num_units == 0) {
    qn_notice("reading edges from the host: %s of them do not fit on the device beside %s for the "
              "vertices, and lie in pinned host memory",
              topology, attributes);
    return;
  }
  if (holds_receivers(plan))
    qn_notice("streaming: not all that vertices have fits on the device: what edges combine into "
              "stays there, %s; %s of the rest are read from host memory",
              attributes, qn_size_text(plan->message_bytes, pinned, sizeof pinned));
  qn_notice("streaming: %s of topology does not fit on %s beside %s for the vertices; "
            "%u streams with %s of buffers, %s of pinned host memory, a cache of %s; up to %s to "
            "move in an iteration; %s%s of the container is pinned%s%s",
            topology, plan->num_devices ? "each device" : "the device", attributes,
            plan->num_streams, buffers, staging, cache, expected, plan->pin_bytes ? "up to " : "",
            plan->pin_bytes ? qn_size_text(plan->pin_bytes, pinned, sizeof pinned) : "nothing",
            plan->pin_refusal ? ": " : "", plan->pin_refusal ? plan->pin_refusal : "");
}

static void on_device_event(struct qn_watch *watch, const struct qn_stream_event *event) {
  qn_cost_model_event(&watch->model, event);
  if (watch->timeline.file)
    qn_timeline_event(&watch->timeline, event);
}

static void on_event(void *user, const struct qn_stream_event *event) {
  struct qn_watch *watch = user;
  const double rate =
      event->end > event->begin ? (double)event->bytes / (event->end - event->begin) : 0;
  if (strcmp(event->what, QN_READ_IN_ORDER) == 0)
    watch->storage.in_order = rate;
  else if (strcmp(event->what, QN_READ_AT_RANDOM) == 0)
    watch->storage.at_random = rate;
  else
    on_device_event(watch, event);
}

static void show_line(const struct qn_watch *watch, const struct qn_iteration *iteration) {
  const struct qn_device_iteration device = qn_iteration_on_devices(iteration);
  const struct qn_stream_figures *moved = &device.moved;
  const double seconds = iteration->seconds > 0 ? iteration->seconds : 1e-9;
  char streamed[96] = "", rate[48] = "", bytes[32];
  if (watch->plan.streams)
    snprintf(streamed, sizeof streamed, ", %s moved, %.0f %% of %" PRIu64 " units cached",
             qn_size_text(moved->moved_bytes, bytes, sizeof bytes),
             moved->active_units ? 100.0 * (double)moved->cache_hits / (double)moved->active_units
                                 : 0.0,
             moved->active_units);
  if (watch->edges_walked)
    snprintf(rate, sizeof rate, ", %.1f million edges/s",
             1e-6 * (double)watch->edges_walked / seconds);
  qn_progress_line("iteration %" PRIu32 ": %.1f %% of vertices active%s%s", iteration->iteration,
                   watch->num_vertices
                       ? 100.0 * (double)iteration->num_active / (double)watch->num_vertices
                       : 0.0,
                   streamed, rate);
}

/* What an iteration moved, and to each of several devices. */
static json_t *iteration_json(const struct qn_iteration *iteration) {
  const struct qn_device_iteration device = qn_iteration_on_devices(iteration);
  const struct qn_stream_figures *moved = &device.moved;
  const struct qn_shared_iteration *shared = device.shared;
  json_t *json = json_pack(
      "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "iteration",
      (json_int_t)iteration->iteration, "active_vertices", (json_int_t)iteration->num_active,
      "active_units", (json_int_t)moved->active_units, "cache_hits", (json_int_t)moved->cache_hits,
      "moved_units", (json_int_t)moved->moved_units, "moved_bytes", (json_int_t)moved->moved_bytes,
      "direct_bytes", (json_int_t)moved->direct_bytes, "vain_bytes", (json_int_t)moved->vain_bytes,
      "seconds", iteration->seconds, "find_seconds", moved->find_seconds, "wait_seconds",
      moved->wait_seconds);
  if (!shared)
    return json;
  json_t *bytes = json_array();
  for (unsigned i = 0; i < shared->num_devices; i++)
    json_array_append_new(bytes, json_integer((json_int_t)shared->moved[i].moved_bytes));
  json_object_set_new(json, "moved_bytes_by_device", bytes);
  json_object_set_new(json, "merge_seconds", json_real(shared->merge_seconds));
  return json;
}

/* End an interrupted run here, with a timeline of what it did. */
static void leave_timeline(struct qn_watch *watch, uint32_t iteration) {
  struct qn_error error;
  const char *path = watch->options.trace;
  const bool whole = qn_timeline_commit(&watch->timeline, &error) == QN_OK;
  qn_progress_end();
  qn_notice(whole ? "interrupted after iteration %" PRIu32 "; what it did until then is in %s"
                  : "interrupted after iteration %" PRIu32 "; cannot write %s",
            iteration, path);
  qn_atomic_files_remove();
  _exit(QN_INTERRUPTED);
}

/* Before the first iteration's end there is nothing to keep, and signals do what they did. */
static void watch_signals(struct qn_watch *watch, uint32_t iteration) {
  if (!watch->timeline.file || watch->ends_itself)
    return;
  if (!watch->catches)
    qn_interrupts_catch(&watch->interrupts);
  watch->catches = true;
  if (qn_interrupted())
    leave_timeline(watch, iteration);
}

static void note_iteration(struct qn_watch *watch, const struct qn_iteration *iteration) {
  const struct qn_device_iteration device = qn_iteration_on_devices(iteration);
  show_line(watch, iteration);
  if (watch->options.explain && watch->plan.streams)
    qn_cost_model_iteration(&watch->model, iteration, qn_bytes_from_storage());
  if (watch->timeline.file)
    qn_timeline_iteration(&watch->timeline, iteration);
  if (device.joint)
    qn_joint_report_add(&watch->joint, iteration);
  watch->notified += strcmp(iteration->mode, "notify-pull") == 0;
  watch->pulled += strcmp(iteration->mode, "pull") == 0;
  if (!watch->plan.streams)
    return;
  qn_stream_figures_add(&watch->moved, &device.moved);
  json_array_append_new(watch->iterations, iteration_json(iteration));
}

static void on_iteration(void *user, const struct qn_iteration *iteration) {
  struct qn_watch *watch = user;
  note_iteration(watch, iteration);
  watch_signals(watch, iteration->iteration);
}

void qn_watch_attach(struct qn_watch *watch, struct qn_run_request *request,
                     const struct qn_watched_files *files, uint64_t num_vertices,
                     uint64_t edges_walked, bool ends_itself) {
  watch->ends_itself = ends_itself;
  watch->num_vertices = num_vertices;
  watch->edges_walked = edges_walked;
  watch->plan = (struct qn_stream_plan){0};
  watch->moved = (struct qn_stream_figures){0};
  watch->storage = (struct qn_storage_rates){0};
  watch->notified = watch->pulled = 0;
  watch->files = *files;
  qn_cost_model_begin(&watch->model, files->count);
  json_array_clear(watch->iterations);
  qn_joint_report_begin(&watch->joint, request->asynchronous);
  request->hooks.on_iteration = on_iteration;
  request->hooks.user = watch;
  request->device->streaming.measure = watch->options.explain;
  request->device->streaming.on_plan = on_plan;
  if (watch->options.explain || watch->options.trace)
    request->device->streaming.on_event = on_event;
  request->device->streaming.user = watch;
}

json_t *qn_watch_json(const struct qn_watch *watch) {
  const struct qn_stream_plan *plan = &watch->plan;
  const struct qn_stream_figures *moved = &watch->moved;
  if (!plan->streams)
    return NULL;
  json_t *json = json_pack(
      "{s:I, s:I, s:I, s:I, s:i, s:I, s:I, s:i, s:I, s:s?, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
      "s:f, "
      "s:f, s:O}",
      "attribute_bytes", (json_int_t)plan->attribute_bytes, "topology_bytes",
      (json_int_t)plan->topology_bytes, "units", (json_int_t)plan->num_units, "unit_bytes",
      (json_int_t)plan->unit_bytes, "streams", (int)plan->num_streams, "batch_bytes",
      (json_int_t)plan->batch_bytes, "staging_bytes",
      (json_int_t)(plan->num_stages * plan->batch_bytes), "readers", (int)plan->num_readers,
      "pin_bytes", (json_int_t)plan->pin_bytes, "pin_refusal", plan->pin_refusal, "cache_units",
      (json_int_t)plan->cache_units, "cache_bytes", (json_int_t)plan->cache_bytes, "active_units",
      (json_int_t)moved->active_units, "cache_hits", (json_int_t)moved->cache_hits, "moved_units",
      (json_int_t)moved->moved_units, "moved_bytes", (json_int_t)moved->moved_bytes, "direct_bytes",
      (json_int_t)moved->direct_bytes, "vain_bytes", (json_int_t)moved->vain_bytes, "find_seconds",
      moved->find_seconds, "wait_seconds", moved->wait_seconds, "iterations", watch->iterations);
  json_object_set_new(json, "values", json_string(holds_receivers(plan) ? "receivers" : "all"));
  json_object_set_new(json, "host_bytes", json_integer((json_int_t)plan->message_bytes));
  if (watch->options.explain)
    json_object_set_new(json, "cost_model", qn_cost_model_json(&watch->model, plan));
  return json;
}

json_t *qn_watch_storage_json(const struct qn_watch *watch) {
  const struct qn_storage_rates *rates = &watch->storage;
  if (rates->in_order <= 0 || rates->at_random <= 0)
    return NULL;
  return json_pack("{s:f, s:f, s:f, s:I, s:I}", "in_order_bytes_per_second", rates->in_order,
                   "at_random_bytes_per_second", rates->at_random, "ratio", qn_storage_ratio(rates),
                   "notified", (json_int_t)watch->notified, "pulled", (json_int_t)watch->pulled);
}

json_t *qn_watch_joint_json(const struct qn_watch *watch) {
  return qn_joint_report_json(&watch->joint);
}

enum qn_status qn_watch_commit(struct qn_watch *watch, struct qn_error *error) {
  enum qn_status status =
      watch->timeline.file ? qn_timeline_commit(&watch->timeline, error) : QN_OK;
  if (!status && watch->catches && qn_interrupted())
    status = qn_fail(error, QN_INTERRUPTED, "interrupted after the last iteration");
  release_signals(watch);
  return status;
}
