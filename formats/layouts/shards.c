/* The shards layout: its view on a container, its figures, its sections when written. */
#include <quern/shards.h>

#include <inttypes.h>
#include <string.h>

#include "formats/container/figures.h"
#include "formats/container/view.h"

uint32_t qn_sh_replication(uint64_t num_edges, uint64_t num_vertices) {
  uint32_t replication = 1;
  /* E / V > R sqrt(2) cannot hold for E up to V R, which keeps the squares below 2^42. */
  if (num_edges > num_vertices * (2 * QN_SH_MAX_REPLICATION))
    return QN_SH_MAX_REPLICATION;
  while (replication < QN_SH_MAX_REPLICATION &&
         num_edges * num_edges > 2 * replication * replication * num_vertices * num_vertices)
    replication *= 2;
  return replication;
}

/* SH-1: the counts in the header, which everything after relies on. */
static enum qn_status view_parameters(const struct qn_container *container, struct qn_shards *view,
                                      struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const uint64_t *parameters = info->parameters;
  view->directedness = info->directedness;
  view->num_vertices = info->num_vertices;
  view->num_edges = info->num_edges;
  view->num_shards = parameters[QN_SH_NUM_SHARDS];
  view->num_pages = parameters[QN_SH_NUM_PAGES];
  view->max_shard_vertices = parameters[QN_SH_MAX_SHARD_VERTICES];
  view->shared_bytes = parameters[QN_SH_SHARED_BYTES];
  view->page_bytes = parameters[QN_SH_PAGE_BYTES];
  if (view->num_shards > view->num_vertices || view->num_pages > view->num_shards ||
      (view->num_vertices == 0) != (view->num_shards == 0) ||
      (view->num_shards == 0) != (view->num_pages == 0))
    return qn_container_violation(container, error, "SH-1",
                                  "%" PRIu64 " pages of %" PRIu64 " shards for %" PRIu64
                                  " vertices",
                                  view->num_pages, view->num_shards, view->num_vertices);
  if (view->max_shard_vertices < 1 || view->max_shard_vertices > QN_SH_MAX_VERTICES)
    return qn_container_violation(container, error, "SH-1",
                                  "%" PRIu64 " vertices a shard; 1 to 65536 are possible",
                                  view->max_shard_vertices);
  return QN_OK;
}

static enum qn_status view_in_edges(const struct qn_container *container, struct qn_shards *view,
                                    struct qn_error *error) {
  struct qn_csr *in = &view->in;
  in->num_vertices = view->num_vertices;
  in->num_edges = view->num_edges;
  enum qn_status status = qn_view_unsigned(container, "in_row_offsets", 8, view->num_vertices + 1,
                                           &in->row_offsets, error);
  if (!status)
    status = qn_view_unsigned(container, "sources", 4, view->num_edges, &in->column_indices, error);
  if (!status)
    status = qn_view_unsigned(container, "destination_offsets", 2, view->num_edges,
                              &view->destination_offsets, error);
  return status ? status : qn_weights_view(container, "weights", &in->weights, error);
}

static enum qn_status view_out_edges(const struct qn_container *container, struct qn_shards *view,
                                     struct qn_error *error) {
  struct qn_csr *out = &view->out;
  if (view->directedness == QN_UNDIRECTED) {
    if (qn_container_section(container, "out_row_offsets") ||
        qn_container_section(container, "out_destinations"))
      return qn_container_violation(
          container, error, "SH-9",
          "an undirected graph stores no out-edges: they are its in-edges");
    *out = view->in;
    out->weights = (struct qn_weights){.type = QN_WEIGHT_NONE};
    return QN_OK;
  }
  out->num_vertices = view->num_vertices;
  out->num_edges = view->num_edges;
  enum qn_status status = qn_view_unsigned(container, "out_row_offsets", 8, view->num_vertices + 1,
                                           &out->row_offsets, error);
  return status ? status
                : qn_view_unsigned(container, "out_destinations", 4, view->num_edges,
                                   &out->column_indices, error);
}

static enum qn_status view_sections(const struct qn_container *container, struct qn_shards *view,
                                    struct qn_error *error) {
  enum qn_status status = qn_view_unsigned(container, "vertex_offsets", 4, view->num_shards + 1,
                                           &view->vertex_offsets, error);
  if (!status)
    status =
        qn_view_unsigned(container, "replication", 1, view->num_shards, &view->replication, error);
  if (!status)
    status = qn_view_unsigned(container, "page_shards", 4, view->num_pages + 1, &view->page_shards,
                              error);
  if (!status)
    status = view_in_edges(container, view, error);
  if (!status)
    status = view_out_edges(container, view, error);
  return status ? status : qn_ids_view(container, &view->ids, error);
}

enum qn_status qn_shards_view(const struct qn_container *container, struct qn_shards *view,
                              struct qn_error *error) {
  static const char *const known[] = {"in_row_offsets",      "sources",         "weights",
                                      "vertex_offsets",      "replication",     "page_shards",
                                      "destination_offsets", "out_row_offsets", "out_destinations",
                                      QN_LAST_SECTIONS};
  memset(view, 0, sizeof *view);
  enum qn_status status = qn_view_insist(container, QN_LAYOUT_SHARDS, error);
  if (!status)
    status = qn_container_check_sections(container, known, error);
  if (!status)
    status = qn_container_refuse_parameters(container, QN_SH_PAGE_BYTES + 1, error);
  if (!status)
    status = view_parameters(container, view, error);
  return status ? status : view_sections(container, view, error);
}

QN_DEFINE_MAP(shards)
QN_DEFINE_UNMAP(shards)

/* How many shards have each replication factor, by factor. */
static json_t *count_replication(const struct qn_shards *view) {
  uint64_t counts[256] = {0};
  char factor[8];
  json_t *object = json_object();
  for (uint64_t s = 0; s < view->num_shards; s++)
    counts[view->replication[s]]++;
  for (unsigned r = 1; r <= QN_SH_MAX_REPLICATION; r *= 2) {
    snprintf(factor, sizeof factor, "%u", r);
    json_object_set_new(object, factor, json_integer((json_int_t)counts[r]));
  }
  return object;
}

/* The edges of the largest shard and page. Offsets are not trusted: nothing is indexed out of
 * range.
 */
static uint64_t largest_span(const struct qn_shards *view, const uint32_t *shards, uint64_t count) {
  uint64_t largest = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t begin = shards ? shards[i] : i, end = shards ? shards[i + 1] : i + 1;
    if (begin > view->num_shards || end > view->num_shards ||
        view->vertex_offsets[begin] > view->num_vertices ||
        view->vertex_offsets[end] > view->num_vertices)
      continue;
    uint64_t edges = qn_sh_edge(view, end) - qn_sh_edge(view, begin);
    largest = edges > largest ? edges : largest;
  }
  return largest;
}

enum qn_status qn_shards_describe(const struct qn_container *container, json_t *object,
                                  struct qn_error *error) {
  static const char *const read[] = {"vertex_offsets", "replication", "page_shards",
                                     "in_row_offsets", NULL};
  struct qn_shards view;
  enum qn_status status = qn_shards_view(container, &view, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (status)
    return status;
  uint64_t edge_bytes = qn_sh_edge_bytes(view.in.weights.type);
  uint64_t largest_shard = largest_span(&view, NULL, view.num_shards);
  uint64_t largest_page = largest_span(&view, view.page_shards, view.num_pages);
  bool directed = view.directedness == QN_DIRECTED;
  uint64_t csr_bytes =
      (directed ? 2 : 1) * 8 * (view.num_vertices + 1) + (directed ? 4 * view.num_edges : 0);
  json_t *figures =
      json_pack("{s:I, s:I, s:I, s:f, s:o, s:I, s:I, s:I}", "shards", (json_int_t)view.num_shards,
                "pages", (json_int_t)view.num_pages, "max_shard_vertices",
                (json_int_t)view.max_shard_vertices, "mean_shard_vertices",
                view.num_shards ? (double)view.num_vertices / (double)view.num_shards : 0.0,
                "shards_by_replication", count_replication(&view), "shared_bytes",
                (json_int_t)view.shared_bytes, "largest_shard_edges", (json_int_t)largest_shard,
                "largest_page_bytes", (json_int_t)(largest_page * edge_bytes));
  int failed = figures ? json_object_update(object, figures) : -1;
  json_decref(figures);
  if (failed)
    return qn_fail_memory(error, "the layout's figures", 0);
  json_object_set_new(object, "bytes_per_streamed_edge", json_integer((json_int_t)edge_bytes));
  qn_figures_size(qn_container_info(container),
                  edge_bytes * view.num_edges + csr_bytes + 5 * view.num_shards +
                      4 * (view.num_pages + 2),
                  object);
  return QN_OK;
}

static enum qn_status add_array(struct qn_writer *writer, const char *name, uint32_t bytes,
                                uint64_t count, void *out, struct qn_error *error) {
  return qn_writer_section(writer,
                           &(struct qn_section_spec){.name = name,
                                                     .element_type = QN_ELEMENT_UNSIGNED,
                                                     .element_bytes = bytes,
                                                     .count = count},
                           out, error);
}

enum qn_status qn_shards_write_in_edges(struct qn_writer *writer, struct qn_shards_arrays *arrays,
                                        struct qn_error *error) {
  const struct qn_container_info *info = qn_writer_info(writer);
  enum qn_status status = add_array(writer, "in_row_offsets", 8, info->num_vertices + 1,
                                    &arrays->in_row_offsets, error);
  if (!status)
    status = add_array(writer, "sources", 4, info->num_edges, &arrays->sources, error);
  return status ? status : qn_graph_write_weights(writer, info->num_edges, &arrays->weights, error);
}

enum qn_status qn_shards_write_shards(struct qn_writer *writer, struct qn_shards_arrays *arrays,
                                      struct qn_error *error) {
  const struct qn_container_info *info = qn_writer_info(writer);
  uint64_t num_shards = info->parameters[QN_SH_NUM_SHARDS];
  uint64_t num_vertices = info->num_vertices, num_edges = info->num_edges;
  bool directed = info->directedness == QN_DIRECTED;
  arrays->out_row_offsets = NULL;
  arrays->out_destinations = NULL;
  enum qn_status status =
      add_array(writer, "vertex_offsets", 4, num_shards + 1, &arrays->vertex_offsets, error);
  if (!status)
    status = add_array(writer, "replication", 1, num_shards, &arrays->replication, error);
  if (!status)
    status = add_array(writer, "page_shards", 4, info->parameters[QN_SH_NUM_PAGES] + 1,
                       &arrays->page_shards, error);
  if (!status)
    status =
        add_array(writer, "destination_offsets", 2, num_edges, &arrays->destination_offsets, error);
  if (!status && directed)
    status =
        add_array(writer, "out_row_offsets", 8, num_vertices + 1, &arrays->out_row_offsets, error);
  if (!status && directed)
    status = add_array(writer, "out_destinations", 4, num_edges, &arrays->out_destinations, error);
  return status;
}
