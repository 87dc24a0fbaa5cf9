#include "tools/run/several.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/container/figures.h"
#include "kernels/ranks/ranks.h"
#include "results/summary.h"
#include "runtime/choose.h"
#include "runtime/deliver/files.h"
#include "runtime/deliver/report.h"
#include "runtime/placement.h"
#include "support/atomic_file.h"
#include "support/atomic_folder.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/text/fold.h"
#include "support/text/terminal.h"
#include "support/text/url.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/run/report.h"

#define MOST 64
#define NAME_BYTES 64

struct work {
  const struct qn_several_options *options;
  const struct qn_algorithm *algorithms[MOST]; /* [count] */
  unsigned count;
  struct qn_placement placement;
  enum qn_device_choice device;    /* for all of them; QN_DEVICE_AUTO: for each, */
  bool shares_start;               /* of which all together pay for the device */
  struct qn_atomic_folder *folder; /* NULL: nothing is written */
  json_t *runs;
};

/* ---- What is asked for ----------------------------------------------------- */

static enum qn_status add_name(struct work *work, const char *name, size_t length,
                               struct qn_error *error) {
  char asked[NAME_BYTES];
  if (work->count == MOST)
    return qn_fail(error, QN_USAGE, "at most %d algorithms at a time", MOST);
  snprintf(asked, sizeof asked, "%.*s", (int)length, name);
  const struct qn_run_options named = {.algorithm = asked};
  const struct qn_algorithm *algorithm;
  enum qn_status status = qn_run_algorithm(&named, &algorithm, error);
  if (status)
    return status;
  for (unsigned i = 0; i < work->count; i++)
    if (work->algorithms[i] == algorithm)
      return qn_fail(error, QN_USAGE, "%s is named twice", algorithm->name);
  work->algorithms[work->count++] = algorithm;
  return QN_OK;
}

static enum qn_status find_names(struct work *work, struct qn_error *error) {
  enum qn_status status = QN_OK;
  const char *rest = work->options->algorithms;
  for (bool more = true; more && !status;) {
    const size_t length = strcspn(rest, ",");
    status = add_name(work, rest, length, error);
    more = rest[length] != '\0';
    rest += length + more;
  }
  return status;
}

/* Does one of the algorithms have the option? */
static bool is_taken(const struct work *work, const char *name) {
  for (unsigned i = 0; i < work->count; i++)
    if (qn_algorithm_takes(work->algorithms[i], name))
      return true;
  return false;
}

static enum qn_status check_options(const struct work *work, struct qn_error *error) {
  const struct qn_run_options *run = work->options->run;
  for (uint32_t i = 0; i < run->num_said; i++)
    if (!is_taken(work, run->said[i].name))
      return qn_fail(error, QN_USAGE, "none of %s has --%s", work->options->algorithms,
                     run->said[i].name);
  return QN_OK;
}

/* The options of one algorithm, which borrow all. */
static struct qn_run_options options_of(const struct work *work,
                                        const struct qn_algorithm *algorithm) {
  struct qn_run_options options = *work->options->run;
  options.algorithm = algorithm->name;
  options.skips_others = true;
  return options;
}

static enum qn_status open_input(struct work *work, struct qn_run_input *input,
                                 struct qn_error *error) {
  const struct qn_several_options *options = work->options;
  struct qn_run_options *each;
  enum qn_status status = qn_alloc(&each, work->count, sizeof *each, "options", error);
  if (status)
    return status;
  for (unsigned i = 0; i < work->count; i++)
    each[i] = options_of(work, work->algorithms[i]);
  status = qn_run_input_open_for_all(options->file, each, work->count, options->exchange,
                                     options->trust, input, error);
  work->device = options->run->device;
  if (!status && work->device == QN_DEVICE_AUTO) {
    const struct qn_choice choice = qn_run_weigh(input, each, work->count);
    work->shares_start = choice.weighed && qn_choice_is_device(&choice);
    if (choice.weighed && !work->shares_start)
      work->device = QN_DEVICE_CPU;
  }
  qn_free(each);
  return status;
}

/* Does this process write and tell? */
static bool leads(const struct work *work) {
  return !work->options->exchange || work->options->exchange->rank == 0;
}

/* ---- A run ----------------------------------------------------------------- */

static enum qn_status write_values(struct work *work, const struct qn_run *run,
                                   struct qn_error *error) {
  char name[NAME_BYTES + 8];
  struct qn_results_options options = {
      .path = name, .ranks = qn_ranks_writers(), .inputs = {work->options->file}};
  qn_run_options_files(work->options->run, options.inputs + 1, QN_RESULTS_INPUTS - 1);
  struct qn_results *results;
  enum qn_status status = QN_OK;
  if (!work->options->output || run->algorithm->counts)
    return QN_OK;
  snprintf(name, sizeof name, "%s.tsv", run->algorithm->name);
  if (leads(work))
    status = qn_atomic_folder_add(work->folder, name, &options.path, error);
  if (!status)
    status = qn_results_create(&options, &work->placement.input, &results, error);
  return status ? status
                : qn_results_commit(results, &work->placement.input, run->kernel->algorithm,
                                    &run->result, error);
}

static enum qn_status note_run(struct work *work, const struct qn_run *run,
                               struct qn_error *error) {
  const struct qn_labels labels = qn_run_input_labels(&work->placement.input);
  const struct qn_run_result *result = &run->result;
  json_t *summary;
  enum qn_status status =
      qn_summary_create(&labels, run->algorithm, result, work->options->top, &summary, error);
  if (status)
    return status;
  json_t *json =
      json_pack("{s:s, s:s, s:s, s:I, s:b, s:f, s:f, s:o}", "algorithm", run->algorithm->name,
                "device", qn_processor_name(run->kernel->processor), "kernel", run->kernel->name,
                "iterations", (json_int_t)result->stats.iterations, "converged",
                result->stats.converged, "prepare_seconds", result->stats.prepare_seconds,
                "kernel_seconds", result->stats.kernel_seconds, "result", summary);
  if (json && run->kernel->processor != QN_CPU)
    json_object_set_new(json, "uploaded_bytes",
                        json_integer((json_int_t)run->device.report.figures.uploaded_bytes));
  return json_array_append_new(work->runs, json) ? qn_fail_memory(error, "a report", 0) : QN_OK;
}

static enum qn_status run_one(struct work *work, const struct qn_algorithm *algorithm,
                              struct qn_error *error) {
  struct qn_run_options options = options_of(work, algorithm);
  struct qn_run run = {0};
  options.store = work->placement.store;
  options.device = work->device;
  options.shares_start = work->shares_start;
  enum qn_status status = qn_run_start(&work->placement.input, &options, &run, error);
  qn_progress_end();
  status = qn_ranks_agree(status);
  if (!status)
    status = write_values(work, &run, error);
  if (!status && leads(work))
    status = note_run(work, &run, error);
  qn_run_destroy(&run);
  return qn_ranks_agree(status);
}

/* ---- Report ---------------------------------------------------------------- */

static void print_table(const struct work *work, const struct qn_run_input *input,
                        uint64_t undirected, FILE *out) {
  struct qn_page page;
  FILE *stream = qn_page_begin(&page, out);
  char vertices[32], edges[QN_EDGES_TEXT];
  size_t i;
  json_t *run;
  char shown[QN_PATH_SHOWN];
  fprintf(stream, "%s: %s vertices, %s\n", qn_path_shown(work->options->file, shown, sizeof shown),
          qn_count_text(input->info->num_vertices, vertices, sizeof vertices),
          qn_edges_text(input->info->directedness, input->info->num_edges, undirected, edges));
  const char *const gap = qn_terminal_width() < 62 ? "\n   " : "";
  fprintf(stream, "  %-16s %-6s %10s%s %12s %12s\n", "", "device", "iterations", gap, "prepare s",
          "kernel s");
  json_array_foreach(work->runs, i, run) {
#define TEXT(key) json_string_value(json_object_get(run, key))
#define SECONDS(key) json_real_value(json_object_get(run, key))
    fprintf(stream, "  %-16s %-6s %10" JSON_INTEGER_FORMAT "%s %12.6f %12.6f\n", TEXT("algorithm"),
            TEXT("device"), json_integer_value(json_object_get(run, "iterations")), gap,
            SECONDS("prepare_seconds"), SECONDS("kernel_seconds"));
#undef TEXT
#undef SECONDS
  }
  json_t *ranks = qn_ranks_json(input->set);
  qn_ranks_print(ranks, stream);
  json_decref(ranks);
  qn_page_end(&page, 4);
}

/* As of one run (tools/run.c): what is read of the input comes before it is looked at again. */
static enum qn_status report(const struct work *work, const struct qn_run_input *input,
                             double begin, struct qn_error *error) {
  const uint64_t undirected = qn_undirected_edges(input->container, input->info->num_edges);
  enum qn_status status = qn_used_files_check_all(error);
  if (status)
    return status;
  if (!work->options->json) {
    if (!work->options->quiet)
      print_table(work, input, undirected, stdout);
    return QN_OK;
  }
  json_t *json = json_pack(
      "{s:s, s:I, s:I, s:i, s:O, s:f}", "layout", qn_layout_name(input->info->layout), "vertices",
      (json_int_t)input->info->num_vertices, "edges", (json_int_t)input->info->num_edges, "threads",
      (int)qn_threads(), "runs", work->runs, "seconds", qn_seconds() - begin);
  if (!json)
    return qn_fail_memory(error, "a report", 0);
  json_t *ranks = qn_ranks_json(input->set);
  if (ranks)
    json_object_set_new(json, "ranks", ranks);
  qn_tool_print_json(json);
  return QN_OK;
}

static enum qn_status run_all(struct work *work, const struct qn_run_input *input,
                              struct qn_error *error) {
  enum qn_status status = qn_ranks_agree(qn_placement_create(input, NULL, &work->placement, error));
  for (unsigned i = 0; i < work->count && !status; i++)
    status = run_one(work, work->algorithms[i], error);
  return status;
}

enum qn_status qn_run_several(const struct qn_several_options *options, struct qn_error *error) {
  const double begin = qn_seconds();
  struct work work = {.options = options, .runs = json_array()};
  struct qn_run_input input = {0};
  enum qn_status status =
      work.runs ? find_names(&work, error) : qn_fail_memory(error, "a report", 0);
  if (!status)
    status = check_options(&work, error);
  if (!status)
    status = open_input(&work, &input, error);
  if (!status && options->output && leads(&work))
    status = qn_atomic_folder_create(options->output, false, &work.folder, error);
  status = qn_ranks_agree(status);
  if (!status)
    status = run_all(&work, &input, error);
  if (!status && work.folder) {
    qn_outputs_hold();
    status = qn_atomic_folder_commit(work.folder, error);
    work.folder = NULL;
  }
  qn_atomic_folder_abort(work.folder);
  if (!status && leads(&work))
    status = report(&work, &input, begin, error);
  if (!status && options->output && leads(&work) && fflush(stdout) == 0 && !ferror(stdout))
    status = qn_outputs_release(true, error);
  qn_placement_destroy(&work.placement);
  qn_run_input_close(&input);
  json_decref(work.runs);
  return status;
}
