#include "converters/graph_source.h"

#include "formats/layouts.h"

static enum qn_status open_graph(struct qn_graph_source *source, struct qn_error *error) {
  enum qn_status status = qn_graph_view(source->container, &source->graph, error);
  return status ? status : qn_graph_check(source->container, &source->graph, error);
}

enum qn_status qn_graph_source_open(const char *path, struct qn_graph_source *source,
                                    struct qn_error *error) {
  const struct qn_layout_operations *operations;
  *source = (struct qn_graph_source){0};
  enum qn_status status = qn_container_map(path, 0, &source->container, error);
  if (status)
    return status;
  if (qn_container_info(source->container)->layout == QN_LAYOUT_GRAPH)
    return open_graph(source, error);
  if ((status = qn_layout_operations(source->container, &operations, error)) ||
      (status = operations->check(source->container, error)))
    return status;
  return operations->restore(source->container, &source->graph, error);
}

void qn_graph_source_close(struct qn_graph_source *source) {
  qn_graph_unmap(&source->graph);
  qn_container_unmap(source->container);
  *source = (struct qn_graph_source){0};
}
