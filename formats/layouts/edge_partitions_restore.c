/* The way back from edge partitions to the graph.
 *
 * Sources keep their vertices' order through both renamings, so edge e of the layout belongs to the
 * row that edge e of the graph belongs to; only within a row do edges move. Destinations of a row
 * are two runs, those that have out-edges and those that have none, each in vertex order: merging
 * them gives the sorted row, and equal destinations lie in the same run, in their order. */
#include "formats/graph/restored.h"
#include "support/search.h"
#include <quern/edge_partitions.h>

#include <string.h>

#define ROWS_AT_ONCE 512

/* Where a source begins its row begins, and so do the empty rows between it and the source before.
 */
static void restore_rows(const struct qn_edge_partitions *view, uint64_t *row_offsets) {
  struct qn_ep_divider divider = qn_ep_divider(view->range_size);
  const uint32_t *sources = view->sources;
  uint64_t num_edges = view->num_edges;
#pragma omp parallel
  {
    uint64_t filled =
        0; /* by this thread: more than there are only while the file is overwritten */
#pragma omp for
    for (uint64_t e = 0; e < num_edges; e++) {
      if ((e > 0 && sources[e] == sources[e - 1]) || filled > view->num_vertices)
        continue;
      uint32_t dense = qn_ep_dense(view, divider, sources[e]);
      uint64_t vertex = dense == 0 ? 0 : (uint64_t)view->new_to_old[dense - 1] + 1;
      for (; vertex <= view->new_to_old[dense]; vertex++, filled++)
        row_offsets[vertex] = e;
    }
  }
  uint64_t vertex =
      view->num_sources == 0 ? 0 : (uint64_t)view->new_to_old[view->num_sources - 1] + 1;
  for (; vertex <= view->num_vertices; vertex++)
    row_offsets[vertex] = num_edges;
}

/* The first edge of a row whose destination has no out-edges. */
static uint64_t first_sink(const struct qn_edge_partitions *view, uint64_t begin, uint64_t end) {
  const uint64_t sinks = view->num_partitions * view->range_size;
  return qn_lower_bound_u32(view->destinations, begin, end, sinks);
}

static void restore_row(const struct qn_edge_partitions *view, struct qn_ep_divider divider,
                        uint64_t begin, uint64_t end, uint32_t *columns, void *weights) {
  unsigned weight_bytes = qn_weight_bytes(view->weights.type);
  uint64_t middle = first_sink(view, begin, end), left = begin, right = middle;
  uint32_t left_column = 0, right_column = 0;
  if (left < middle)
    left_column = view->new_to_old[qn_ep_dense(view, divider, view->destinations[left])];
  if (right < end)
    right_column = view->new_to_old[qn_ep_dense(view, divider, view->destinations[right])];
  for (uint64_t e = begin; e < end; e++) {
    bool take_left = right == end || (left < middle && left_column < right_column);
    columns[e] = take_left ? left_column : right_column;
    if (weights)
      qn_weight_copy(weights, e, view->weights.data, take_left ? left : right, weight_bytes);
    if (take_left && ++left < middle)
      left_column = view->new_to_old[qn_ep_dense(view, divider, view->destinations[left])];
    if (!take_left && ++right < end)
      right_column = view->new_to_old[qn_ep_dense(view, divider, view->destinations[right])];
  }
}

enum qn_status qn_edge_partitions_restore(const struct qn_container *container,
                                          struct qn_graph *graph, struct qn_error *error) {
  struct qn_edge_partitions view;
  struct qn_graph_arrays arrays;
  memset(graph, 0, sizeof *graph);
  enum qn_status status = qn_edge_partitions_view(container, &view, error);
  if (!status)
    status = qn_graph_create(view.num_vertices, view.num_edges, view.weights.type, graph, &arrays,
                             error);
  if (status)
    return status;
  struct qn_ep_divider divider = qn_ep_divider(view.range_size);
  restore_rows(&view, arrays.row_offsets);
#pragma omp parallel for schedule(dynamic, ROWS_AT_ONCE)
  for (uint64_t v = 0; v < view.num_vertices; v++)
    restore_row(&view, divider, arrays.row_offsets[v], arrays.row_offsets[v + 1],
                arrays.column_indices, arrays.weights);
  qn_graph_restored(graph, view.directedness, &view.ids);
  return QN_OK;
}
