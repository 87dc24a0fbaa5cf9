#include "runtime/layouts.h"

#include <stddef.h>

#include "formats/graph.h"

static enum qn_status graph_map(const struct qn_container *container, void *view,
                                struct qn_error *error) {
  return qn_graph_view(container, view, error);
}

static enum qn_status graph_check(const struct qn_container *container, const void *view,
                                  struct qn_error *error) {
  return qn_graph_check(container, view, error);
}

static uint64_t graph_out_degree(const void *view, uint64_t vertex) {
  const struct qn_graph *graph = view;
  return graph->out.row_offsets[vertex + 1] - graph->out.row_offsets[vertex];
}

static const struct qn_layout_view views[] = {
    {QN_LAYOUT_GRAPH, sizeof(struct qn_graph), graph_map, graph_check, graph_out_degree,
     "quern-import"},
};

enum qn_status qn_layout_view_find(enum qn_layout layout, const struct qn_layout_view **out,
                                   struct qn_error *error) {
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
    *out = &views[i];
    if (views[i].layout == layout)
      return QN_OK;
  }
  *out = NULL;
  return qn_fail(error, QN_UNSUPPORTED, "this build has no kernels for the layout %s",
                 qn_layout_name(layout));
}
