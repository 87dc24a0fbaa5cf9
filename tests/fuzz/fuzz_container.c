/* Opening, checking, describing and giving back a container of any bytes. Every input is tried as
 * it is and with checksums made to fit, so that the rules behind them are reached too. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/fuzz_seal.h"
#include <quern/container.h>
#include <quern/layouts.h>

/* Whatever passes the checks can be walked, and restored to a graph of the same size. */
static void walk(const struct qn_container *container, const struct qn_layout_operations *layout) {
  struct qn_error error;
  struct qn_graph graph;
  const struct qn_container_info *info = qn_container_info(container);
  if (layout->restore(container, &graph, &error))
    return;
  FUZZ_PROMISE(graph.out.num_vertices == info->num_vertices);
  uint64_t edges = 0;
  for (uint64_t v = 0; v < graph.out.num_vertices; v++)
    for (uint64_t e = graph.out.row_offsets[v]; e < graph.out.row_offsets[v + 1]; e++, edges++)
      FUZZ_PROMISE(graph.out.column_indices[e] < info->num_vertices);
  FUZZ_PROMISE(edges == info->num_edges);
  qn_graph_unmap(&graph);
}

static void open_and_use(const uint8_t *data, size_t size) {
  struct qn_error error;
  struct qn_container *container;
  const struct qn_layout_operations *layout;
  if (qn_container_map(fuzz_file(data, size), QN_MAP_ARCHIVE, &container, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return;
  }
  json_t *description;
  if (!qn_container_describe(container, &description, &error))
    json_decref(description);
  (void)qn_container_verify(container, &error);
  if (!(qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE) &&
      !qn_layout_operations(container, &layout, &error) && !layout->verify(container, &error))
    walk(container, layout);
  qn_container_unmap(container);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  open_and_use(data, size);
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    exit(5);
  memcpy(copy, data, size);
  if (fuzz_seal(copy, size))
    open_and_use(copy, size);
  free(copy);
  return 0;
}
