/* How the way back from any layout to the graph ends. */
#pragma once

#include <quern/graph.h>

/* The out-edges of `graph` are restored; the rest is as the layout's view has it. */
static inline void qn_graph_restored(struct qn_graph *graph, enum qn_directedness directedness,
                                     const struct qn_ids *ids) {
  graph->directedness = directedness;
  graph->ids = *ids;
  graph->has_transpose = directedness == QN_UNDIRECTED;
  if (graph->has_transpose)
    graph->in = graph->out;
}
