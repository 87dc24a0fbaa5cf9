/* The hybrid layout: its view on a container, and what it says about one. */
#include <quern/hybrid.h>

#include <inttypes.h>
#include <string.h>

#include "formats/container/figures.h"
#include "formats/container/view.h"
#include "formats/graph/restored.h"
#include "formats/layouts/hybrid_sections.h"
#include <quern/transpose.h>

const struct qn_hybrid_sections qn_in_sections = {
    "in-edges",    "in_ell_columns", "in_ell_weights", "in_coo_starts",
    "in_coo_rows", "in_coo_columns", "in_coo_weights"};
const struct qn_hybrid_sections qn_out_sections = {
    "out-edges",    "out_ell_columns", "out_ell_weights", "out_coo_starts",
    "out_coo_rows", "out_coo_columns", "out_coo_weights"};

static const char *const known_sections[] = {
    "out_degrees",    "in_ell_columns",  "in_ell_weights",  "in_coo_starts",   "in_coo_rows",
    "in_coo_columns", "in_coo_weights",  "out_ell_columns", "out_ell_weights", "out_coo_starts",
    "out_coo_rows",   "out_coo_columns", "out_coo_weights", QN_LAST_SECTIONS};

static enum qn_status view_parameters(const struct qn_container *container,
                                      struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  uint64_t directions = info->parameters[QN_HYBRID_DIRECTIONS];
  if (directions == 0 || directions > (QN_HYBRID_IN | QN_HYBRID_OUT))
    return qn_container_violation(
        container, error, "HY-1",
        "the directions are %" PRIu64 "; expected 1 (in), 2 (out) or 3 (both)", directions);
  if (info->directedness == QN_UNDIRECTED && directions == (QN_HYBRID_IN | QN_HYBRID_OUT))
    return qn_container_violation(container, error, "HY-1",
                                  "an undirected graph's rows are stored twice");
  if ((!(directions & QN_HYBRID_IN) && info->parameters[QN_HYBRID_IN_WIDTH]) ||
      (!(directions & QN_HYBRID_OUT) && info->parameters[QN_HYBRID_OUT_WIDTH]))
    return qn_container_violation(container, error, "HY-1",
                                  "a direction that is not there has a width");
  if (info->parameters[QN_HYBRID_IN_WIDTH] > UINT32_MAX ||
      info->parameters[QN_HYBRID_OUT_WIDTH] > UINT32_MAX)
    return qn_container_violation(container, error, "HY-1", "a width of 2^32 or more");
  if (!(directions & QN_HYBRID_IN) != !qn_container_section(container, qn_in_sections.coo_starts) ||
      !(directions & QN_HYBRID_OUT) != !qn_container_section(container, qn_out_sections.coo_starts))
    return qn_container_violation(container, error, "HY-1",
                                  "the sections are not those of the directions %" PRIu64,
                                  directions);
  return qn_container_refuse_parameters(container, QN_HYBRID_OUT_WIDTH + 1, error);
}

static enum qn_status view_ell(const struct qn_container *container,
                               const struct qn_hybrid_sections *names,
                               struct qn_hybrid_matrix *matrix, struct qn_error *error) {
  /* No overflow: less than 2^32 times at most 2^32. */
  uint64_t entries = matrix->width * matrix->pitch;
  enum qn_status status =
      qn_view_unsigned(container, names->ell_columns, 4, entries, &matrix->ell_columns, error);
  if (status)
    return status;
  return qn_weights_view_count(container, names->ell_weights, entries, &matrix->ell_weights, error);
}

static enum qn_status view_coo(const struct qn_container *container,
                               const struct qn_hybrid_sections *names,
                               struct qn_hybrid_matrix *matrix, struct qn_error *error) {
  enum qn_status status = qn_view_unsigned(container, names->coo_starts, 8, matrix->num_ranges + 1,
                                           &matrix->coo_starts, error);
  if (!status)
    status = qn_view_unsigned_any(container, names->coo_rows, 4, &matrix->num_coo,
                                  &matrix->coo_rows, error);
  if (status)
    return status;
  status = qn_view_unsigned(container, names->coo_columns, 4, matrix->num_coo, &matrix->coo_columns,
                            error);
  if (!status)
    status = qn_weights_view_count(container, names->coo_weights, matrix->num_coo,
                                   &matrix->coo_weights, error);
  if (status)
    return status;
  if (matrix->coo_starts[0] != 0 || matrix->coo_starts[matrix->num_ranges] != matrix->num_coo)
    return qn_container_violation(container, error, "HY-2",
                                  "%s goes from %" PRIu64 " to %" PRIu64 ", not from 0 to %" PRIu64,
                                  names->coo_starts, matrix->coo_starts[0],
                                  matrix->coo_starts[matrix->num_ranges], matrix->num_coo);
  return QN_OK;
}

static enum qn_status view_matrix(const struct qn_container *container,
                                  const struct qn_hybrid_sections *names, uint64_t width,
                                  struct qn_hybrid_matrix *matrix, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  matrix->num_vertices = info->num_vertices;
  matrix->num_edges = info->num_edges;
  matrix->num_ranges = (info->num_vertices + QN_HYBRID_RANGE - 1) / QN_HYBRID_RANGE;
  matrix->width = width;
  matrix->pitch = (info->num_vertices + QN_HYBRID_PITCH - 1) / QN_HYBRID_PITCH * QN_HYBRID_PITCH;
  enum qn_status status = view_ell(container, names, matrix, error);
  return status ? status : view_coo(container, names, matrix, error);
}

enum qn_status qn_hybrid_view(const struct qn_container *container, struct qn_hybrid *hybrid,
                              struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  memset(hybrid, 0, sizeof *hybrid);
  enum qn_status status = qn_view_insist(container, QN_LAYOUT_HYBRID, error);
  if (!status)
    status = view_parameters(container, error);
  if (!status)
    status = qn_container_check_sections(container, known_sections, error);
  if (!status)
    status = qn_view_unsigned(container, "out_degrees", 4, info->num_vertices, &hybrid->out_degrees,
                              error);
  if (status)
    return status;
  hybrid->directedness = info->directedness;
  hybrid->num_vertices = info->num_vertices;
  hybrid->num_edges = info->num_edges;
  hybrid->has_in = info->parameters[QN_HYBRID_DIRECTIONS] & QN_HYBRID_IN;
  hybrid->has_out = info->parameters[QN_HYBRID_DIRECTIONS] & QN_HYBRID_OUT;
  if (hybrid->has_in)
    status = view_matrix(container, &qn_in_sections, info->parameters[QN_HYBRID_IN_WIDTH],
                         &hybrid->in, error);
  if (!status && hybrid->has_out)
    status = view_matrix(container, &qn_out_sections, info->parameters[QN_HYBRID_OUT_WIDTH],
                         &hybrid->out, error);
  if (!status)
    status = qn_ids_view(container, &hybrid->ids, error);
  if (status)
    return status;
  if (info->directedness == QN_UNDIRECTED && hybrid->has_in)
    hybrid->out = hybrid->in;
  else if (info->directedness == QN_UNDIRECTED)
    hybrid->in = hybrid->out;
  if (info->directedness == QN_UNDIRECTED)
    hybrid->has_in = hybrid->has_out = true;
  return QN_OK;
}

QN_DEFINE_MAP(hybrid)
QN_DEFINE_UNMAP(hybrid)

/* ---- Figures -------------------------------------------------------------- */

static uint64_t matrix_bytes(const struct qn_hybrid_matrix *matrix) {
  uint64_t weight_bytes = qn_weight_bytes(matrix->coo_weights.type);
  return (4 + weight_bytes) * matrix->width * matrix->pitch + (8 + weight_bytes) * matrix->num_coo +
         8 * (matrix->num_ranges + 1);
}

static double ratio(uint64_t a, uint64_t b) {
  return b ? (double)a / (double)b : 0;
}

static json_t *describe_matrix(const struct qn_hybrid_matrix *matrix) {
  uint64_t entries = matrix->width * matrix->pitch;
  uint64_t in_ell = matrix->num_edges > matrix->num_coo ? matrix->num_edges - matrix->num_coo : 0;
  uint64_t padding = entries > in_ell ? entries - in_ell : 0;
  return json_pack("{s:I, s:I, s:f, s:I, s:f, s:f}", "width", (json_int_t)matrix->width,
                   "padding_entries", (json_int_t)padding, "padding_share", ratio(padding, entries),
                   "coo_edges", (json_int_t)matrix->num_coo, "coo_share",
                   ratio(matrix->num_coo, matrix->num_edges), "bytes_per_edge",
                   ratio(matrix_bytes(matrix), matrix->num_edges));
}

/* An edge in the COO part takes twice the bytes of one in CSR, and padding is read for nothing. */
static const char *verdict(const struct qn_hybrid_matrix *matrix) {
  if (matrix->num_edges == 0)
    return "no edges";
  if (2 * matrix->num_coo > matrix->num_edges)
    return "poor: most edges are in the COO part, at twice the bytes; degrees are too uneven";
  if (matrix->width * matrix->pitch > 2 * matrix->num_edges)
    return "poor: more padding than edges; use a smaller width";
  return "good";
}

enum qn_status qn_hybrid_describe(const struct qn_container *container, json_t *object,
                                  struct qn_error *error) {
  static const char *const read[] = {"in_coo_starts", "out_coo_starts", NULL};
  struct qn_hybrid hybrid;
  const struct qn_container_info *info = qn_container_info(container);
  enum qn_status status = qn_hybrid_view(container, &hybrid, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (status)
    return status;
  uint64_t directions = info->parameters[QN_HYBRID_DIRECTIONS], bytes = 4 * info->num_vertices;
  static const char *const names[] = {"in", "out", "both"};
  json_object_set_new(object, "direction", json_string(names[directions - 1]));
  if (directions & QN_HYBRID_IN) {
    json_object_set_new(object, "in", describe_matrix(&hybrid.in));
    bytes += matrix_bytes(&hybrid.in);
  }
  if (directions & QN_HYBRID_OUT) {
    json_object_set_new(object, "out", describe_matrix(&hybrid.out));
    bytes += matrix_bytes(&hybrid.out);
  }
  qn_figures_size(info, bytes, object);
  json_object_set_new(object, "fit",
                      json_string(verdict(hybrid.has_in ? &hybrid.in : &hybrid.out)));
  return QN_OK;
}

/* ---- Operations ----------------------------------------------------------- */

enum qn_status qn_hybrid_restore(const struct qn_container *container, struct qn_graph *graph,
                                 struct qn_error *error) {
  struct qn_hybrid hybrid;
  struct qn_graph in;
  memset(graph, 0, sizeof *graph);
  enum qn_status status = qn_hybrid_view(container, &hybrid, error);
  if (!status && hybrid.has_out) {
    status = qn_hybrid_unite(&hybrid.out, graph, error);
  } else if (!status) {
    status = qn_hybrid_unite(&hybrid.in, &in, error);
    if (!status) {
      status = qn_graph_create_transpose(&in.out, graph, error);
      qn_graph_unmap(&in);
    }
  }
  if (!status)
    qn_graph_restored(graph, hybrid.directedness, &hybrid.ids);
  return status;
}
