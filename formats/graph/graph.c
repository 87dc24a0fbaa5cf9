/* The graph layout: its view on a container and its sections when written. */
#include <quern/graph.h>

#include <string.h>

#include "formats/container/view.h"
#include "support/memory.h"
#include "support/temp_file.h"

struct direction_names {
  const char *row_offsets;
  const char *column_indices;
  const char *weights;
};

static const struct direction_names OUT_NAMES = {"row_offsets", "column_indices", "weights"};
static const struct direction_names IN_NAMES = {"in_row_offsets", "in_column_indices",
                                                "in_weights"};

enum qn_status qn_weights_view(const struct qn_container *container, const char *name,
                               struct qn_weights *weights, struct qn_error *error) {
  uint64_t count = qn_container_info(container)->num_edges;
  return qn_weights_view_count(container, name, count, weights, error);
}

enum qn_status qn_weights_view_count(const struct qn_container *container, const char *name,
                                     uint64_t count, struct qn_weights *weights,
                                     struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const struct qn_section *section;
  *weights = (struct qn_weights){.type = info->weight_type};
  if (info->weight_type == QN_WEIGHT_NONE) {
    if (qn_container_section(container, name))
      return qn_container_violation(container, error, "G-6",
                                    "section %s is there, but the header says no weights", name);
    return QN_OK;
  }
  enum qn_status status =
      qn_container_require(container, name, qn_weight_element(info->weight_type),
                           qn_weight_bytes(info->weight_type), count, &section, error);
  if (!status)
    weights->data = section->data;
  return status;
}

static enum qn_status view_direction(const struct qn_container *container,
                                     const struct direction_names *names, struct qn_csr *csr,
                                     struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const struct qn_section *section;
  csr->num_vertices = info->num_rows;
  csr->num_edges = info->num_edges;
  enum qn_status status = qn_container_require(container, names->row_offsets, QN_ELEMENT_UNSIGNED,
                                               8, info->num_rows + 1, &section, error);
  if (status)
    return status;
  csr->row_offsets = section->data;
  status = qn_container_require(container, names->column_indices, QN_ELEMENT_UNSIGNED, 4,
                                info->num_edges, &section, error);
  if (status)
    return status;
  csr->column_indices = section->data;
  return qn_weights_view(container, names->weights, &csr->weights, error);
}

enum qn_status qn_graph_view(const struct qn_container *container, struct qn_graph *graph,
                             struct qn_error *error) {
  static const char *const known[] = {"row_offsets",    "column_indices",    "weights",
                                      "in_row_offsets", "in_column_indices", "in_weights",
                                      QN_LAST_SECTIONS};
  const struct qn_container_info *info = qn_container_info(container);
  memset(graph, 0, sizeof *graph);
  graph->directedness = info->directedness;
  enum qn_status status = qn_view_insist(container, QN_LAYOUT_GRAPH, error);
  if (!status)
    status = qn_container_check_sections(container, known, error);
  if (!status)
    status = qn_container_refuse_parameters(container, 0, error);
  if (!status)
    status = view_direction(container, &OUT_NAMES, &graph->out, error);
  if (!status)
    status = qn_ids_view(container, &graph->ids, error);
  if (status)
    return status;
  bool stored = qn_container_section(container, IN_NAMES.row_offsets) ||
                qn_container_section(container, IN_NAMES.column_indices) ||
                qn_container_section(container, IN_NAMES.weights);
  graph->has_transpose = stored || info->directedness == QN_UNDIRECTED;
  if (stored && info->directedness == QN_UNDIRECTED)
    return qn_container_violation(container, error, "G-10",
                                  "an undirected graph must not store a transpose");
  if (stored && qn_is_rectangular(info))
    return qn_container_violation(container, error, "G-10",
                                  "rows of some vertices alone must not store a transpose");
  if (stored)
    return view_direction(container, &IN_NAMES, &graph->in, error);
  graph->in = graph->out;
  return QN_OK;
}

QN_DEFINE_MAP(graph)

enum qn_status qn_graph_create(uint64_t num_vertices, uint64_t num_edges, enum qn_weight_type type,
                               struct qn_graph *graph, struct qn_graph_arrays *arrays,
                               struct qn_error *error) {
  memset(graph, 0, sizeof *graph);
  memset(arrays, 0, sizeof *arrays);
  struct qn_csr *csr = &graph->out;
  csr->num_vertices = num_vertices;
  csr->num_edges = num_edges;
  csr->weights.type = type;
  graph->ids.num_vertices = num_vertices;
  graph->ids.ascending = true;
  graph->owns_arrays = true;
  enum qn_status status = qn_bulk_alloc(&arrays->row_offsets, num_vertices + 1,
                                        sizeof *arrays->row_offsets, "row offsets", error);
  if (!status)
    status = qn_bulk_alloc(&arrays->column_indices, num_edges, sizeof *arrays->column_indices,
                           "column indices", error);
  if (!status && type != QN_WEIGHT_NONE)
    status =
        qn_bulk_alloc(&arrays->weights, num_edges, qn_weight_bytes(type), "edge weights", error);
  csr->row_offsets = arrays->row_offsets;
  csr->column_indices = arrays->column_indices;
  csr->weights.data = arrays->weights;
  if (status)
    qn_graph_unmap(graph);
  return status;
}

void qn_graph_unmap(struct qn_graph *graph) {
  if (graph->owns_arrays) {
    const struct qn_csr *csr = &graph->out;
    qn_pages_free((void *)csr->row_offsets, csr->num_vertices + 1, sizeof *csr->row_offsets);
    qn_pages_free((void *)csr->column_indices, csr->num_edges, sizeof *csr->column_indices);
    qn_pages_free((void *)csr->weights.data, csr->num_edges, qn_weight_bytes(csr->weights.type));
  }
  qn_container_unmap(graph->container);
  memset(graph, 0, sizeof *graph);
}

static enum qn_status add_array(struct qn_writer *writer, const char *name,
                                enum qn_element_type type, uint32_t bytes, uint64_t count,
                                void *out, struct qn_error *error) {
  return qn_writer_section(
      writer,
      &(struct qn_section_spec){
          .name = name, .element_type = type, .element_bytes = bytes, .count = count},
      out, error);
}

static enum qn_status add_weights(struct qn_writer *writer, const char *name, uint64_t num_edges,
                                  void **weights, struct qn_error *error) {
  *weights = NULL;
  enum qn_weight_type type = qn_writer_info(writer)->weight_type;
  if (type == QN_WEIGHT_NONE)
    return QN_OK;
  return add_array(writer, name, qn_weight_element(type), qn_weight_bytes(type), num_edges, weights,
                   error);
}

enum qn_status qn_graph_write_rows(struct qn_writer *writer, uint64_t num_vertices,
                                   uint64_t **row_offsets, struct qn_error *error) {
  return add_array(writer, OUT_NAMES.row_offsets, QN_ELEMENT_UNSIGNED, 8, num_vertices + 1,
                   row_offsets, error);
}

enum qn_status qn_graph_write_columns(struct qn_writer *writer, uint64_t num_edges,
                                      uint32_t **column_indices, struct qn_error *error) {
  return add_array(writer, OUT_NAMES.column_indices, QN_ELEMENT_UNSIGNED, 4, num_edges,
                   column_indices, error);
}

enum qn_status qn_graph_write_weights(struct qn_writer *writer, uint64_t num_edges, void **weights,
                                      struct qn_error *error) {
  return add_weights(writer, OUT_NAMES.weights, num_edges, weights, error);
}

enum qn_status qn_graph_write_in_rows(struct qn_writer *writer, uint64_t num_vertices,
                                      uint64_t **row_offsets, struct qn_error *error) {
  return add_array(writer, IN_NAMES.row_offsets, QN_ELEMENT_UNSIGNED, 8, num_vertices + 1,
                   row_offsets, error);
}

enum qn_status qn_graph_write_in_columns(struct qn_writer *writer, uint64_t num_edges,
                                         uint32_t **column_indices, struct qn_error *error) {
  return add_array(writer, IN_NAMES.column_indices, QN_ELEMENT_UNSIGNED, 4, num_edges,
                   column_indices, error);
}

enum qn_status qn_graph_write_in_weights(struct qn_writer *writer, uint64_t num_edges,
                                         void **weights, struct qn_error *error) {
  return add_weights(writer, IN_NAMES.weights, num_edges, weights, error);
}
