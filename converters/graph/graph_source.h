/* A container of any layout, opened as the graph that it holds. */
#pragma once

#include <quern/graph.h>

struct qn_graph_source {
  struct qn_container *container;
  struct qn_graph graph; /* in place for the graph layout, restored in memory for others */
};

/* Map `path` (quern/open.h), check everything that indexing with its contents relies on,
 * and give the graph back. A zeroed source may be closed; the graph lives until then. */
enum qn_status qn_graph_source_open(const char *path, struct qn_graph_source *source,
                                    struct qn_error *error);
/* The same for a container mapped already, which the source owns from now on, even on failure. */
enum qn_status qn_graph_source_take(struct qn_container *container, struct qn_graph_source *source,
                                    struct qn_error *error);
/* The same of a container that stays whose it is, and outlives the graph; qn_graph_unmap ends that.
 */
enum qn_status qn_graph_source_view(struct qn_container *container, struct qn_graph *graph,
                                    struct qn_error *error);
void qn_graph_source_close(struct qn_graph_source *source);
