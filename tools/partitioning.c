#include "tools/partitioning.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/graph/graph_source.h"
#include "converters/partition/cut.h"
#include "converters/transform/run.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/sizes.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include "support/used_files.h"
#include "tools/package.h"
#include "tools/set_report.h"
#include <quern/open.h>

struct report {
  struct qn_partition_report made;
  struct qn_memory_plan plan;
  uint64_t num_vertices, num_edges;
  double seconds;
};

/* ---- Libraries -------------------------------------------------------------- */

static enum qn_status read_parts(int descriptor, uint64_t num_vertices, uint32_t *parts,
                                 struct qn_error *error) {
  const uint64_t bytes = num_vertices * sizeof *parts;
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t count = pread(descriptor, (char *)parts + done, bytes - done, (off_t)done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count ? qn_fail_errno(error, "cannot read what the library found")
                   : qn_fail(error, QN_SYSTEM, "the library gave fewer parts than vertices");
    done += (uint64_t)count;
  }
  return QN_OK;
}

/* The package opens the container by its name, and leaves the parts in a file that has none. */
static enum qn_status call_library(const struct qn_partition_options *options, void *user,
                                   uint64_t num_vertices, uint32_t *parts, struct qn_error *error) {
  const struct qn_partitioning *partitioning = user;
  char place[64], num_parts[24], imbalance[32], threads[16];
  int descriptor;
  if (strcmp(partitioning->input, "-") == 0 || qn_set_selection_is_any(partitioning->types))
    return qn_fail(error, QN_USAGE,
                   "--by %s takes a container that has a name, not standard input or types of a "
                   "set: write that to a file first",
                   qn_partition_method_name(options->method));
  enum qn_status status = qn_nameless_open(qn_default_temp_folder(), &descriptor, error);
  if (status)
    return status;
  snprintf(place, sizeof place, "/proc/%d/fd/%d", (int)getpid(), descriptor);
  snprintf(num_parts, sizeof num_parts, "%" PRIu64, options->num_parts);
  snprintf(imbalance, sizeof imbalance, "%.17g", options->imbalance);
  snprintf(threads, sizeof threads, "%u", qn_threads());
  const char *const arguments[] = {"parts",
                                   partitioning->input,
                                   qn_partition_method_name(options->method),
                                   num_parts,
                                   imbalance,
                                   options->weighted ? "weighted" : "edges",
                                   threads,
                                   place,
                                   NULL};
  status = qn_package_run("libraries that partition are called", arguments, error);
  if (!status)
    status = read_parts(descriptor, num_vertices, parts, error);
  close(descriptor);
  return status;
}

/* ---- The whole -------------------------------------------------------------- */

/* --parts-by alone, of a column that is there, takes what a transformation takes. */
static enum qn_status plan(const struct qn_partitioning *partitioning,
                           const struct qn_container *container, struct qn_memory_plan *plan,
                           struct qn_error *error) {
  struct qn_transform_options transform;
  if (partitioning->options->num_parts)
    return qn_partition_plan(partitioning->options, container, partitioning->memory,
                             partitioning->output, plan, error);
  qn_transform_options_begin(&transform);
  transform.transform.relabel = QN_RELABEL_GROUPS;
  return qn_transform_plan(&transform, container, partitioning->memory, partitioning->output, plan,
                           error);
}

static enum qn_status open_source(const struct qn_partitioning *partitioning,
                                  struct qn_graph_source *source, struct report *report,
                                  struct qn_error *error) {
  struct qn_container *container;
  enum qn_status status = qn_input_kept(partitioning->output, partitioning->input, error);
  if (!status)
    status = qn_input_kept(partitioning->output, partitioning->options->file, error);
  if (!status)
    status = qn_set_selection_is_any(partitioning->types)
                 ? qn_set_project_nameless(partitioning->input, partitioning->types,
                                           partitioning->input, &container, error)
                 : qn_container_open(partitioning->input, 0, &container, error);
  if (status)
    return status;
  status = plan(partitioning, container, &report->plan, error);
  if (status) {
    qn_container_unmap(container);
    return status;
  }
  status = qn_graph_source_take(container, source, error);
  report->num_vertices = source->graph.out.num_vertices;
  report->num_edges = source->graph.out.num_edges;
  return status;
}

/* Into the output, or if that is to be a set into memory: then the source is that from now on. */
static enum qn_status add_column(const struct qn_partitioning *partitioning,
                                 struct qn_graph_source *source, struct report *report,
                                 struct qn_error *error) {
  struct qn_partition_options options = *partitioning->options;
  struct qn_container *made = NULL;
  const bool cuts = partitioning->cut_by != NULL;
  options.library = call_library;
  options.user = (void *)partitioning;
  enum qn_status status = qn_partition_run(
      &options, source->container, &source->graph, cuts ? NULL : partitioning->output,
      partitioning->shared->force, &report->made, cuts ? &made : NULL, error);
  if (status || !cuts)
    return status;
  qn_graph_source_close(source);
  return qn_graph_source_take(made, source, error);
}

static enum qn_status make(const struct qn_partitioning *partitioning, struct report *report,
                           struct qn_set **set, struct qn_error *error) {
  struct qn_graph_source source = {0};
  enum qn_status status = open_source(partitioning, &source, report, error);
  if (!status && partitioning->options->num_parts)
    status = add_column(partitioning, &source, report, error);
  if (!status && partitioning->cut_by)
    status = qn_partition_cut(source.container, &source.graph, partitioning->cut_by,
                              partitioning->set, "quern-transform", partitioning->output,
                              partitioning->shared->force, set, error);
  qn_graph_source_close(&source);
  return status;
}

static void print_json(const struct qn_partitioning *partitioning, const struct report *report) {
  json_t *figures = qn_partition_figures_json(&report->made.figures);
  json_object_set_new(figures, "by",
                      json_string(qn_partition_method_name(partitioning->options->method)));
  json_object_set_new(figures, "column", json_string(partitioning->options->column));
  json_object_set_new(figures, "seconds", json_real(report->made.seconds));
  json_object_set_new(figures, "memory", json_integer((json_int_t)report->made.memory));
  qn_tool_print_json(json_pack(
      "{s:o, s:I, s:I, s:o, s:o, s:f}", "output", qn_json_text(partitioning->output), "vertices",
      (json_int_t)report->num_vertices, "edges", (json_int_t)report->num_edges, "partition",
      figures, "estimate", qn_memory_plan_json(&report->plan), "seconds", report->seconds));
}

static void print_summary(const struct qn_partitioning *partitioning, const struct report *report) {
  FILE *stream = qn_beside_output(partitioning->output);
  char memory[32];
  fprintf(stream, "%s: the column '%s' by %s, in %.2f s (partitioning %.2f s, %s)\n",
          partitioning->output, partitioning->options->column,
          qn_partition_method_name(partitioning->options->method), report->seconds,
          report->made.seconds, qn_size_text(report->made.memory, memory, sizeof memory));
  qn_partition_figures_print(&report->made.figures, stream);
}

enum qn_status qn_partitioning_run(const struct qn_partitioning *partitioning,
                                   struct qn_error *error) {
  struct report report = {0};
  struct qn_set *set = NULL;
  const double begun = qn_seconds();
  enum qn_status status = make(partitioning, &report, &set, error);
  const bool divides = !status && partitioning->options->num_parts;
  report.seconds = qn_seconds() - begun;
  if (divides && !partitioning->shared->json && !partitioning->shared->quiet)
    print_summary(partitioning, &report);
  if (!status && set)
    qn_set_report(set, partitioning->output, report.seconds, partitioning->shared);
  else if (divides && partitioning->shared->json)
    print_json(partitioning, &report);
  qn_set_close(set);
  return status;
}
