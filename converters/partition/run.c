#include "converters/partition/run.h"

#include <inttypes.h>
#include <string.h>

#include "converters/partition/edges.h"
#include "converters/partition/given.h"
#include "converters/partition/vertices.h"
#include "support/checked.h"
#include "support/context.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include <quern/metadata.h>

struct run {
  const struct qn_partition_options *options;
  const struct qn_container *container;
  const struct qn_graph *graph;
  bool of_edges;
  struct qn_part_column parts;
};

/* ---- Memory ----------------------------------------------------------------- */

static uint64_t greater(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Bytes that a method keeps at most: see the structs of its stream, map_vertices and
 * copy_to_reverses. */
static uint64_t kept_bytes(const struct qn_partition_options *options, uint64_t num_vertices) {
  const uint64_t of_sizes = 40 * options->num_parts;
  const uint64_t replicas = qn_replicas_bytes(num_vertices, options->num_parts);
  if (options->method == QN_PARTITION_HDRF)
    return of_sizes + greater(4 * num_vertices + replicas, 8 * num_vertices);
  if (options->method == QN_PARTITION_2PSL)
    return of_sizes + greater(16 * num_vertices + replicas, 36 * num_vertices);
  return of_sizes + 4 * num_vertices;
}

enum qn_status qn_partition_plan(const struct qn_partition_options *options,
                                 const struct qn_container *container,
                                 const struct qn_memory_options *memory, const char *output,
                                 struct qn_memory_plan *plan, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const uint64_t width = qn_part_bytes(options->num_parts);
  const bool restored = info->layout != QN_LAYOUT_GRAPH;
  const bool of_edges = qn_partition_is_of_edges(options->method);
  const uint64_t graph_bytes =
      8 * info->num_vertices + (4 + qn_weight_bytes(info->weight_type)) * info->num_edges;
  struct qn_work_estimate estimate = {.kept = kept_bytes(options, info->num_vertices)};
  uint64_t bulk = of_edges ? width * info->num_edges : 0;
  if (!of_edges && info->directedness == QN_DIRECTED) /* in-edges */
    bulk += 8 * info->num_vertices + 4 * info->num_edges;
  if (restored)
    bulk += graph_bytes;
  estimate.usual = estimate.most = estimate.kept + bulk;
  estimate.least = estimate.kept;
  estimate.temporary = bulk;
  estimate.output = info->file_bytes + width * (of_edges ? info->num_edges : info->num_vertices);
  return qn_memory_plan_make(memory, output, &estimate, plan, error);
}

/* ---- Partitioning ----------------------------------------------------------- */

static enum qn_status check_parts(const struct run *run, struct qn_error *error) {
  const struct qn_csr *out = &run->graph->out;
  const uint64_t count = run->of_edges ? qn_count_edges_once(run->graph) : out->num_vertices;
  if (run->options->num_parts <= count || run->options->num_parts == 1)
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "--partition %" PRIu64 ": there are %" PRIu64 " %s, and at most as many parts",
                 run->options->num_parts, count, run->of_edges ? "edges" : "vertices");
}

/* Parts of vertices are found in 4 bytes each, and written in fewer where those will do. */
static enum qn_status narrow(struct qn_part_column *parts, unsigned bytes, struct qn_error *error) {
  struct qn_part_column narrow = {.count = parts->count, .bytes = bytes};
  if (bytes == parts->bytes)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&narrow.values, narrow.count, narrow.bytes, "parts of vertices", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < parts->count; i++)
    qn_part_set(&narrow, i, qn_part_get(parts, i));
  qn_pages_free(parts->values, parts->count, parts->bytes);
  *parts = narrow;
  return QN_OK;
}

static enum qn_status find_parts(const struct run *run, const struct qn_neighbors *neighbors,
                                 struct qn_error *error) {
  const struct qn_partition_options *options = run->options;
  const uint64_t num_vertices = run->graph->out.num_vertices;
  if (options->method == QN_PARTITION_GIVEN)
    return qn_partition_read(options->file, &run->graph->ids, options->num_parts, run->parts.values,
                             error);
  if (!qn_partition_is_by_library(options->method))
    return qn_partition_vertices(run->graph, neighbors, options, run->parts.values, error);
  if (!options->library)
    return qn_fail(error, QN_UNSUPPORTED, "--by %s is for quern-transform and for Python",
                   qn_partition_method_name(options->method));
  enum qn_status status =
      options->library(options, options->user, num_vertices, run->parts.values, error);
  return status ? status
                : qn_partition_check(run->parts.values, num_vertices, options->num_parts, error);
}

static enum qn_status partition_vertices(struct run *run, struct qn_partition_report *report,
                                         struct qn_error *error) {
  const uint64_t num_parts = run->options->num_parts;
  struct qn_neighbors neighbors = {0};
  enum qn_status status = qn_neighbors_open(run->graph, &neighbors, error);
  const double begun = qn_seconds();
  if (!status)
    status = find_parts(run, &neighbors, error);
  report->seconds = qn_seconds() - begun;
  if (!status)
    status = qn_partition_measure_vertices(&neighbors, run->graph->directedness != QN_UNDIRECTED,
                                           &run->parts, num_parts, &report->figures, error);
  qn_neighbors_close(&neighbors);
  return status;
}

static enum qn_status partition_edges(struct run *run, struct qn_partition_report *report,
                                      struct qn_error *error) {
  const double begun = qn_seconds();
  enum qn_status status = qn_partition_edges(run->graph, run->options, &run->parts, error);
  report->seconds = qn_seconds() - begun;
  return status ? status
                : qn_partition_measure_edges(run->graph, &run->parts, run->options->num_parts,
                                             &report->figures, error);
}

/* ---- The column ------------------------------------------------------------- */

/* Columns of a table, and one more. */
static enum qn_status add_column(const struct qn_property_table *table,
                                 const struct qn_property *column, struct qn_property_table *out,
                                 struct qn_error *error) {
  if (qn_property_find(table, column->name))
    return qn_fail(error, QN_USAGE,
                   "there is a property '%s' already; choose another name by --column",
                   column->name);
  enum qn_status status = qn_alloc(&out->columns, (uint64_t)table->count + 1, sizeof *out->columns,
                                   "properties", error);
  if (status)
    return status;
  if (table->count)
    memcpy(out->columns, table->columns, table->count * sizeof *out->columns);
  out->columns[table->count] = *column;
  out->count = table->count + 1;
  return QN_OK;
}

static struct qn_property column_of(const struct run *run) {
  static const enum qn_property_type types[] = {
      [1] = QN_PROPERTY_U8, [2] = QN_PROPERTY_U16, [4] = QN_PROPERTY_U32};
  struct qn_property column = {
      .type = types[run->parts.bytes], .count = run->parts.count, .values = run->parts.values};
  strncpy(column.name, run->options->column, sizeof column.name - 1);
  return column;
}

/* What the container says of itself, and how its parts were made. */
static enum qn_status make_metadata(const struct run *run, json_t **out, struct qn_error *error) {
  const struct qn_partition_options *options = run->options;
  json_t *metadata = NULL;
  enum qn_status status = qn_container_metadata(run->container, &metadata, error);
  if (status)
    return status;
  if (!metadata)
    metadata = json_object();
  json_t *said =
      json_pack("{s:s, s:I, s:s, s:f}", "of", run->of_edges ? "edges" : "vertices", "parts",
                (json_int_t)options->num_parts, "by", qn_partition_method_name(options->method),
                "imbalance", options->imbalance);
  if (said && !run->of_edges)
    json_object_set_new(said, "passes", json_integer((json_int_t)options->passes));
  json_t *partitions = json_object_get(metadata, "partitions");
  if (!json_is_object(partitions)) {
    json_object_set_new(metadata, "partitions", json_object());
    partitions = json_object_get(metadata, "partitions");
  }
  const bool failed = json_object_set_new(partitions, options->column, said) != 0;
  if (failed) {
    json_decref(metadata);
    return qn_fail_memory(error, "metadata", 0);
  }
  *out = metadata;
  return QN_OK;
}

/* The container's properties with the column, in `with`, whose other table is borrowed. */
static enum qn_status join_column(const struct run *run, const struct qn_properties *own,
                                  struct qn_properties *with, struct qn_error *error) {
  const struct qn_property column = column_of(run);
  *with = *own;
  return run->of_edges ? add_column(&own->of_edges, &column, &with->of_edges, error)
                       : add_column(&own->of_vertices, &column, &with->of_vertices, error);
}

static enum qn_status write_column(const struct run *run, const struct qn_properties *own,
                                   struct qn_writer *writer, struct qn_error *error) {
  struct qn_properties with;
  json_t *metadata = NULL;
  enum qn_status status = join_column(run, own, &with, error);
  if (status)
    return status;
  status = make_metadata(run, &metadata, error);
  if (!status)
    status = qn_properties_attach(run->container, &with, NULL, NULL, metadata, writer, error);
  json_decref(metadata);
  qn_free(run->of_edges ? with.of_edges.columns : with.of_vertices.columns);
  return status;
}

/* Before the work: is the name free, and what is there sound? */
static enum qn_status check_properties(const struct run *run, const struct qn_properties *own,
                                       struct qn_error *error) {
  struct qn_properties with;
  enum qn_status status = join_column(run, own, &with, error);
  if (!status)
    qn_free(run->of_edges ? with.of_edges.columns : with.of_vertices.columns);
  return status ? status : qn_properties_check(run->container, own, error);
}

/* ---- The whole -------------------------------------------------------------- */

static enum qn_status make_parts(struct run *run, struct qn_partition_report *report,
                                 struct qn_error *error) {
  const struct qn_csr *out = &run->graph->out;
  const unsigned bytes = qn_part_bytes(run->options->num_parts);
  run->parts.count = run->of_edges ? out->num_edges : out->num_vertices;
  run->parts.bytes = run->of_edges ? bytes : 4;
  enum qn_status status = run->of_edges
                              ? qn_bulk_alloc(&run->parts.values, run->parts.count,
                                              run->parts.bytes, "parts of edges", error)
                              : qn_pages_alloc(&run->parts.values, run->parts.count,
                                               run->parts.bytes, "parts of vertices", error);
  report->memory = kept_bytes(run->options, out->num_vertices);
  if (status)
    return status;
  return run->of_edges ? partition_edges(run, report, error)
                       : partition_vertices(run, report, error);
}

static enum qn_status write_file(struct run *run, const struct qn_properties *own, const char *path,
                                 bool replace, struct qn_container **out, struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = narrow(&run->parts, qn_part_bytes(run->options->num_parts), error);
  if (!status)
    status = qn_writer_create(path, replace, &writer, error);
  if (status)
    return status;
  status = write_column(run, own, writer, error);
  if (!status)
    status = qn_context_check(error);
  return qn_writer_end(writer, status, path, out, error);
}

enum qn_status qn_partition_run(const struct qn_partition_options *options,
                                const struct qn_container *container, const struct qn_graph *graph,
                                const char *path, bool replace, struct qn_partition_report *report,
                                struct qn_container **out, struct qn_error *error) {
  struct run run = {.options = options,
                    .container = container,
                    .graph = graph,
                    .of_edges = qn_partition_is_of_edges(options->method)};
  struct qn_properties own = {0};
  *report = (struct qn_partition_report){0};
  enum qn_status status = check_parts(&run, error);
  if (!status)
    status = qn_properties_view(container, &own, error);
  if (!status)
    status = check_properties(&run, &own, error);
  if (!status)
    status = make_parts(&run, report, error);
  if (!status)
    status = write_file(&run, &own, path, replace, out, error);
  qn_pages_free(run.parts.values, run.parts.count, run.parts.bytes);
  qn_properties_release(&own);
  return status;
}
