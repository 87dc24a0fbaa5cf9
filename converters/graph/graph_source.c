#include "converters/graph/graph_source.h"

#include <quern/layouts.h>
#include <quern/open.h>

/* The rules that readers of the view rely on, and no damage. */
static enum qn_status check(struct qn_container *container, const struct qn_graph *graph,
                            const struct qn_layout_operations *operations, struct qn_error *error) {
  enum qn_status status = operations ? operations->verify(container, error)
                                     : qn_graph_check_all(container, graph, error);
  return qn_container_confirm(container, status, qn_container_verify, error);
}

enum qn_status qn_graph_source_view(struct qn_container *container, struct qn_graph *graph,
                                    struct qn_error *error) {
  const struct qn_layout_operations *operations;
  enum qn_status status;
  if (qn_container_info(container)->layout == QN_LAYOUT_GRAPH) {
    status = qn_graph_view(container, graph, error);
    return status ? status : check(container, graph, NULL, error);
  }
  if ((status = qn_layout_operations(container, &operations, error)) ||
      (status = check(container, graph, operations, error)))
    return status;
  return operations->restore(container, graph, error);
}

enum qn_status qn_graph_source_open(const char *path, struct qn_graph_source *source,
                                    struct qn_error *error) {
  struct qn_container *container;
  *source = (struct qn_graph_source){0};
  enum qn_status status = qn_container_open(path, 0, &container, error);
  return status ? status : qn_graph_source_take(container, source, error);
}

enum qn_status qn_graph_source_take(struct qn_container *container, struct qn_graph_source *source,
                                    struct qn_error *error) {
  *source = (struct qn_graph_source){.container = container};
  enum qn_status status = qn_graph_source_view(container, &source->graph, error);
  if (status)
    qn_graph_source_close(source);
  return status;
}

void qn_graph_source_close(struct qn_graph_source *source) {
  qn_graph_unmap(&source->graph);
  qn_container_unmap(source->container);
  *source = (struct qn_graph_source){0};
}
