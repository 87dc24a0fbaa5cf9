#include "fuzz/use_container.h"

#include <jansson.h>

#include "fuzz/fuzz.h"
#include <quern/layouts.h>
#include <quern/properties.h>

static void walk_graph(const struct qn_container_info *info, const struct qn_csr *csr) {
  uint64_t edges = 0;
  FUZZ_PROMISE(csr->num_vertices == info->num_rows);
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++, edges++)
      FUZZ_PROMISE(csr->column_indices[e] < info->num_vertices);
  FUZZ_PROMISE(edges == info->num_edges);
}

/* Values lie within their sections, as many as there are. */
static bool walk_properties(const struct qn_container *container) {
  struct qn_properties properties;
  struct qn_error error;
  uint64_t sum = 0;
  if (qn_properties_view(container, &properties, &error))
    return false;
  const bool sound = !qn_properties_check(container, &properties, &error);
  for (int edges = 0; edges < 2 && sound; edges++) {
    const struct qn_property_table *table = edges ? &properties.of_edges : &properties.of_vertices;
    for (uint32_t i = 0; i < table->count; i++) {
      const struct qn_property *column = &table->columns[i];
      const uint64_t width = qn_property_value_bytes(column->type);
      const uint64_t bytes = column->offsets ? column->bytes : column->count * width;
      FUZZ_PROMISE(column->offsets || !column->count || bytes / column->count == width);
      for (uint64_t at = 0; at < bytes; at++)
        sum += ((const uint8_t *)column->values)[at];
    }
  }
  qn_properties_release(&properties);
  return sound && sum < UINT64_MAX;
}

bool fuzz_walk_container(const struct qn_container *container) {
  struct qn_error error;
  const struct qn_layout_operations *layout;
  struct qn_graph graph;
  if (qn_layout_operations(container, &layout, &error) || layout->verify(container, &error))
    return false;
  if (layout->restore(container, &graph, &error))
    return qn_container_info(container)->layout == QN_LAYOUT_CHECKPOINT;
  walk_graph(qn_container_info(container), &graph.out);
  qn_graph_unmap(&graph);
  return walk_properties(container);
}

bool fuzz_use_container(const char *path) {
  struct qn_error error;
  struct qn_container *container;
  json_t *description;
  if (qn_container_map(path, QN_MAP_ARCHIVE | QN_MAP_RECTANGULAR, &container, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return false;
  }
  if (!qn_container_describe(container, &description, &error))
    json_decref(description);
  bool sound = !qn_container_verify(container, &error) &&
               !(qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE);
  sound = sound && fuzz_walk_container(container);
  qn_container_unmap(container);
  return sound;
}
