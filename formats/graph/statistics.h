/* Figures of graphs that take a look at every edge. */
#ifndef QN_FORMATS_GRAPH_STATISTICS_H
#define QN_FORMATS_GRAPH_STATISTICS_H

#include <quern/error.h>
#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Vertices that no edge begins or ends at. */
enum qn_status qn_graph_count_isolated(const struct qn_graph *graph, uint64_t *count,
                                       struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
