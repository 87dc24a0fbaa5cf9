#include "partitioner/build_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/container/prefault.h"
#include "support/context.h"
#include "support/threads.h"
#include "support/tool.h"
#include <quern/metadata.h>
#include <quern/open.h>
#include <quern/properties.h>

/* ---- The input ------------------------------------------------------------ */

enum qn_status qn_source_open(const char *path, struct qn_source *source, struct qn_error *error) {
  memset(source, 0, sizeof *source);
  struct qn_container *container;
  enum qn_status status = qn_container_open(path, 0, &container, error);
  return status ? status : qn_source_take(container, source, error);
}

static enum qn_status check_source(struct qn_source *source, struct qn_error *error) {
  struct qn_container *container = source->graph.container;
  source->unchecked = false;
  return qn_container_confirm(container, qn_graph_check_all(container, &source->graph, error),
                              qn_container_verify, error);
}

enum qn_status qn_source_view(struct qn_container *container, struct qn_source *source,
                              struct qn_error *error) {
  memset(source, 0, sizeof *source);
  enum qn_status status = qn_graph_view(container, &source->graph, error);
  source->graph.container = container;
  source->unchecked = true;
  if (status)
    qn_source_close(source);
  return status;
}

enum qn_status qn_source_take(struct qn_container *container, struct qn_source *source,
                              struct qn_error *error) {
  enum qn_status status = qn_source_view(container, source, error);
  if (status)
    return status;
  status = check_source(source, error);
  if (status)
    qn_source_close(source);
  return status;
}

void qn_source_close(struct qn_source *source) {
  qn_graph_unmap(&source->graph);
}

/* ---- The output ----------------------------------------------------------- */

enum qn_status qn_builder_section(struct qn_writer *writer, const char *name,
                                  enum qn_element_type type, uint32_t element_bytes, uint64_t count,
                                  void *out, struct qn_error *error) {
  return qn_writer_section(
      writer,
      &(struct qn_section_spec){
          .name = name, .element_type = type, .element_bytes = element_bytes, .count = count},
      out, error);
}

enum qn_status qn_builder_weights(struct qn_writer *writer, const char *name, uint64_t count,
                                  void **out, struct qn_error *error) {
  enum qn_weight_type type = qn_writer_info(writer)->weight_type;
  *out = NULL;
  if (type == QN_WEIGHT_NONE)
    return QN_OK;
  return qn_builder_section(writer, name, qn_weight_element(type), qn_weight_bytes(type), count,
                            out, error);
}

enum qn_status qn_builder_degrees(const struct qn_source *source, struct qn_writer *writer,
                                  struct qn_error *error) {
  const struct qn_csr *out = &source->graph.out;
  uint32_t *degrees;
  uint64_t largest = 0;
  enum qn_status status = qn_builder_section(writer, "out_degrees", QN_ELEMENT_UNSIGNED, 4,
                                             out->num_vertices, &degrees, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (uint64_t v = 0; v < out->num_vertices; v++) {
    uint64_t degree = out->row_offsets[v + 1] - out->row_offsets[v];
    largest = degree > largest ? degree : largest;
    degrees[v] = (uint32_t)degree;
  }
  if (largest <= UINT32_MAX)
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "a vertex has %" PRIu64 " out-edges, more than the %" PRIu32
                 " that this layout can hold: quern-transform --remove-duplicates leaves fewer",
                 largest, UINT32_MAX);
}

void qn_builder_header(const struct qn_source *source, enum qn_layout layout,
                       struct qn_writer *writer) {
  const struct qn_csr *csr = &source->graph.out;
  struct qn_container_info *info = qn_writer_info(writer);
  info->layout = layout;
  info->weight_type = csr->weights.type;
  info->directedness = source->graph.directedness;
  info->num_vertices = csr->num_vertices;
  info->num_edges = csr->num_edges;
  const struct qn_container_info *from =
      source->graph.container ? qn_container_info(source->graph.container) : NULL;
  if (!from || !qn_is_rectangular(from))
    return;
  info->incompatible_features |= QN_FEATURE_RECTANGULAR;
  info->num_vertices = from->num_vertices;
  info->num_rows = from->num_rows;
  info->first_row = from->first_row;
}

/* A layout keeps the graph's order of vertices and of edges (specs/properties.md). */
static enum qn_status copy_properties(const struct qn_source *source, struct qn_writer *writer,
                                      struct qn_error *error) {
  struct qn_properties properties;
  if (!source->graph.container)
    return QN_OK;
  enum qn_status status = qn_properties_view(source->graph.container, &properties, error);
  if (!status)
    status = qn_properties_write(writer, &properties, NULL, NULL, error);
  qn_properties_release(&properties);
  return status;
}

/* Where the container comes from: this tool, its options, and what is known of its input. */
static enum qn_status write_metadata(const struct qn_builder *builder,
                                     const struct qn_source *source, json_t *used,
                                     struct qn_writer *writer, struct qn_error *error) {
  json_t *metadata = json_object(), *from = json_object(), *inherited = NULL;
  enum qn_status status = QN_OK;
  json_object_set_new(metadata, "tool", json_string(builder->tool));
  json_object_set_new(metadata, "version", json_string(QN_VERSION));
  json_object_set(metadata, "options", used);
  json_object_set(metadata, "source", from);
  if (source->graph.container) {
    char identity[20];
    snprintf(identity, sizeof identity, "%016" PRIx64,
             qn_container_info(source->graph.container)->header_checksum);
    json_object_set_new(from, "identity", json_string(identity));
    status = qn_container_metadata(source->graph.container, &inherited, error);
    if (inherited)
      json_object_set(from, "metadata", inherited);
  }
  if (!status)
    status = qn_writer_metadata(writer, metadata, error);
  json_decref(inherited);
  json_decref(from);
  json_decref(metadata);
  return status;
}

/* Beside what is looked up by vertex a builder takes memory for transposing a directed graph that
 * stores no in-edges, which goes to temporary files. */
enum qn_status qn_builder_plan(const struct qn_builder *builder,
                               const struct qn_container *container,
                               const struct qn_memory_options *memory, const char *output,
                               struct qn_memory_plan *plan, struct qn_error *error) {
  const uint64_t fixed = (uint64_t)8 << 20, thread = (uint64_t)3 << 20;
  const struct qn_container_info *info = qn_container_info(container);
  uint64_t edge_bytes = 4 + qn_weight_bytes(info->weight_type);
  bool transposed =
      info->directedness == QN_UNDIRECTED || qn_container_section(container, "in_row_offsets");
  uint64_t transpose = transposed ? 0 : edge_bytes * info->num_edges + 8 * info->num_vertices;
  struct qn_work_estimate estimate = {
      .kept = builder->vertex_memory * info->num_vertices,
      .temporary = transpose,
      .output = (builder->edge_output + edge_bytes - 4) * info->num_edges + 12 * info->num_vertices,
  };
  estimate.usual = estimate.kept + transpose;
  estimate.least = fixed + qn_threads() * thread + estimate.kept;
  estimate.most = estimate.least + 3 * transpose;
  estimate.seconds = (double)(2 * transpose + estimate.output) / 300e6;
  return qn_memory_plan_make(memory, output, &estimate, plan, error);
}

static uint64_t expected_bytes(const struct qn_builder *builder, const struct qn_csr *csr) {
  const uint64_t weight_bytes = builder->expected >= 4 ? qn_weight_bytes(csr->weights.type) : 0;
  return (builder->expected + weight_bytes) * csr->num_edges;
}

enum qn_status qn_builder_run(const struct qn_builder *builder, struct qn_source *source,
                              const char *path, bool force, struct qn_container **out,
                              struct qn_error *error) {
  struct qn_writer *writer;
  json_t *used = NULL;
  enum qn_status status = qn_writer_create(path, force, &writer, error);
  if (status)
    return status;
  qn_builder_header(source, builder->layout, writer);
  qn_writer_expect(writer, expected_bytes(builder, &source->graph.out));
  if (source->unchecked)
    status = check_source(source, error);
  if (!status)
    status = builder->build(source, builder->options, writer, &used, error);
  if (!status)
    status = qn_context_check(error);
  if (!status)
    status = qn_ids_write(writer, &source->graph.ids, error);
  if (!status)
    status = copy_properties(source, writer, error);
  if (!status)
    status = write_metadata(builder, source, used, writer, error);
  json_decref(used);
  return qn_writer_end(writer, status, path, out, error);
}
