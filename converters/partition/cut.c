#include "converters/partition/cut.h"

#include <inttypes.h>

#include "converters/partition/column.h"
#include "converters/transform/run.h"
#include "support/memory.h"

/* The same graph, in memory or with --memory in a file, with the vertices of a part beside one
 * another. */
static enum qn_status order_by_parts(const struct qn_container *container,
                                     const struct qn_graph *graph,
                                     const struct qn_part_column *parts, uint64_t num_parts,
                                     const char *tool, struct qn_container **out,
                                     struct qn_error *error) {
  struct qn_vertex_groups groups;
  struct qn_transform_options options;
  struct qn_transform_report report = {0};
  enum qn_status status = qn_vertex_groups_create(parts->count, &groups, error);
  if (status)
    return status;
  groups.num_named = parts->count;
  groups.num_groups = num_parts;
  for (uint64_t v = 0; v < parts->count; v++)
    groups.of[v] = qn_part_get(parts, v);
  qn_transform_options_begin(&options);
  options.transform.relabel = QN_RELABEL_GROUPS;
  options.transform.groups = &groups;
  status = qn_transform_run(&options, container, graph, tool, NULL, false, &report, out, error);
  json_decref(report.provenance);
  qn_vertex_groups_destroy(&groups);
  return status;
}

/* Where each part begins among the vertices in their new order, and the last ends. */
static enum qn_status find_bounds(const struct qn_part_column *parts, uint64_t num_parts,
                                  uint64_t **bounds, struct qn_error *error) {
  enum qn_status status =
      qn_alloc_zeroed(bounds, num_parts + 1, sizeof **bounds, "bounds of parts", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < parts->count; v++)
    (*bounds)[qn_part_get(parts, v) + 1]++;
  for (uint64_t part = 0; part < num_parts; part++)
    (*bounds)[part + 1] += (*bounds)[part];
  return QN_OK;
}

static enum qn_status split(const struct qn_container *ordered, const struct qn_part_column *parts,
                            uint64_t num_parts, const struct qn_set_options *options,
                            const char *tool, const char *path, bool force, struct qn_set **out,
                            struct qn_error *error) {
  struct qn_set_options by_parts = *options;
  struct qn_graph graph;
  uint64_t *bounds = NULL;
  enum qn_status status = qn_graph_view(ordered, &graph, error);
  if (!status)
    status = find_bounds(parts, num_parts, &bounds, error);
  by_parts.num_parts = num_parts;
  by_parts.bounds = bounds;
  if (!status)
    status = qn_set_split(ordered, &graph, &by_parts, tool, path, force, out, error);
  qn_free(bounds);
  return status;
}

enum qn_status qn_partition_cut(const struct qn_container *container, const struct qn_graph *graph,
                                const char *column, const struct qn_set_options *options,
                                const char *tool, const char *path, bool force, struct qn_set **out,
                                struct qn_error *error) {
  struct qn_container *ordered = NULL;
  struct qn_part_column parts;
  uint64_t num_parts;
  bool of_edges = false;
  enum qn_status status =
      qn_part_column_read(container, column, &parts, &num_parts, &of_edges, error);
  if (!status && of_edges)
    status = qn_fail(error, QN_USAGE,
                     "the property '%s' is of edges: a set is cut by a partition of the vertices",
                     column);
  if (!status && num_parts > QN_SET_MAX_PARTS)
    status =
        qn_fail(error, QN_USAGE, "the property '%s' has %" PRIu64 " parts; a set has at most %d",
                column, num_parts, QN_SET_MAX_PARTS);
  if (!status)
    status = order_by_parts(container, graph, &parts, num_parts, tool, &ordered, error);
  if (!status)
    status = split(ordered, &parts, num_parts, options, tool, path, force, out, error);
  qn_container_unmap(ordered);
  qn_part_column_release(&parts);
  return status;
}
