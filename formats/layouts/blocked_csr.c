/* The blocked-csr layout: its view on a container, and what it says about one. */
#include <quern/blocked_csr.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/container/figures.h"
#include "formats/container/view.h"
#include "formats/graph/restored.h"
#include "formats/layouts/blocked_csr_sections.h"

const struct qn_blocking_sections qn_pull_sections = {
    "pull_block_rows",   "pull_block_edges", "pull_id_map", "pull_row_offsets",
    "pull_range_starts", "pull_columns",     "pull_weights"};
const struct qn_blocking_sections qn_push_sections = {
    "push_block_rows",   "push_block_edges", "push_id_map", "push_row_offsets",
    "push_range_starts", "push_columns",     "push_weights"};

static const char *const known_sections[] = {
    "out_degrees",      "pull_block_rows",  "pull_block_edges",  "pull_range_starts",
    "pull_id_map",      "pull_row_offsets", "pull_columns",      "pull_weights",
    "push_block_rows",  "push_block_edges", "push_range_starts", "push_id_map",
    "push_row_offsets", "push_columns",     "push_weights",      "row_offsets",
    "column_indices",   "weights",          QN_LAST_SECTIONS};

static enum qn_status view_parameters(const struct qn_container *container,
                                      struct qn_error *error) {
  const uint64_t *parameters = qn_container_info(container)->parameters;
  uint64_t block_vertices = parameters[QN_BLOCKED_BLOCK_VERTICES];
  uint64_t directions = parameters[QN_BLOCKED_DIRECTIONS];
  if (block_vertices == 0 || block_vertices > UINT32_MAX)
    return qn_container_violation(container, error, "BC-1",
                                  "%" PRIu64 " vertices a block; expected 1 to %" PRIu32,
                                  block_vertices, UINT32_MAX);
  if (directions == 0 || directions > (QN_BLOCKED_PULL | QN_BLOCKED_PUSH))
    return qn_container_violation(
        container, error, "BC-1",
        "the directions are %" PRIu64 "; expected 1 (pull), 2 (push) or 3 (both)", directions);
  if (!(directions & QN_BLOCKED_PULL) !=
          !qn_container_section(container, qn_pull_sections.block_rows) ||
      !(directions & QN_BLOCKED_PUSH) !=
          !qn_container_section(container, qn_push_sections.block_rows))
    return qn_container_violation(container, error, "BC-1",
                                  "the sections are not those of the directions %" PRIu64,
                                  directions);
  if (parameters[QN_BLOCKED_RANGE_VERTICES] != QN_RANGE_VERTICES)
    return qn_container_violation(container, error, "BC-1",
                                  "%" PRIu64 " vertices a range; expected %d",
                                  parameters[QN_BLOCKED_RANGE_VERTICES], QN_RANGE_VERTICES);
  uint64_t vertices = qn_container_info(container)->num_vertices;
  uint64_t blocks = (vertices + block_vertices - 1) / block_vertices;
  uint64_t ranges = (vertices + QN_RANGE_VERTICES - 1) / QN_RANGE_VERTICES;
  if (blocks * (ranges + 1) > QN_MAX_RANGE_STARTS) /* V < 2^32: no overflow */
    return qn_container_violation(container, error, "BC-1",
                                  "%" PRIu64 " blocks of %" PRIu64 " ranges are too many", blocks,
                                  ranges);
  return qn_container_refuse_parameters(container, QN_BLOCKED_RANGE_VERTICES + 1, error);
}

/* BC-2 or BC-3: `bounds` begins with 0, never decreases and ends with `end`. */
static enum qn_status check_bounds(const struct qn_container *container, const char *rule,
                                   const char *name, const uint64_t *bounds, uint64_t num_blocks,
                                   uint64_t end, struct qn_error *error) {
  if (bounds[0] != 0)
    return qn_container_violation(container, error, rule, "%s does not begin with 0", name);
  for (uint64_t block = 0; block < num_blocks; block++) {
    if (bounds[block] > bounds[block + 1])
      return qn_container_violation(container, error, rule, "%s descends after block %" PRIu64,
                                    name, block);
    if (bounds[block + 1] - bounds[block] > UINT32_MAX)
      return qn_container_violation(container, error, rule,
                                    "%s: block %" PRIu64 " has more than %" PRIu32, name, block,
                                    UINT32_MAX);
  }
  if (bounds[num_blocks] != end)
    return qn_container_violation(container, error, rule,
                                  "%s ends with %" PRIu64 ", not with %" PRIu64, name,
                                  bounds[num_blocks], end);
  return QN_OK;
}

static enum qn_status view_blocks(const struct qn_container *container,
                                  const struct qn_blocking_sections *names,
                                  struct qn_blocking *blocking, struct qn_error *error) {
  uint64_t num_blocks = blocking->num_blocks;
  enum qn_status status = qn_view_unsigned(container, names->block_rows, 8, num_blocks + 1,
                                           &blocking->block_rows, error);
  if (!status)
    status = qn_view_unsigned(container, names->block_edges, 8, num_blocks + 1,
                              &blocking->block_edges, error);
  if (!status)
    status = qn_view_unsigned_any(container, names->id_map, 4, &blocking->num_rows,
                                  &blocking->id_map, error);
  if (!status)
    status = check_bounds(container, "BC-2", names->block_rows, blocking->block_rows, num_blocks,
                          blocking->num_rows, error);
  if (!status)
    status = check_bounds(container, "BC-3", names->block_edges, blocking->block_edges, num_blocks,
                          blocking->num_edges, error);
  return status;
}

static enum qn_status view_direction(const struct qn_container *container,
                                     const struct qn_blocking_sections *names,
                                     struct qn_blocking *blocking, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  blocking->block_vertices = info->parameters[QN_BLOCKED_BLOCK_VERTICES];
  blocking->num_blocks =
      (info->num_vertices + blocking->block_vertices - 1) / blocking->block_vertices;
  blocking->num_edges = info->num_edges;
  blocking->num_ranges = (info->num_vertices + QN_RANGE_VERTICES - 1) / QN_RANGE_VERTICES;
  enum qn_status status = view_blocks(container, names, blocking, error);
  if (status)
    return status;
  uint64_t offsets = blocking->num_rows + blocking->num_blocks;
  status =
      qn_view_unsigned(container, names->row_offsets, 4, offsets, &blocking->row_offsets, error);
  if (status)
    return status;
  uint64_t starts = blocking->num_blocks * (blocking->num_ranges + 1);
  status =
      qn_view_unsigned(container, names->range_starts, 4, starts, &blocking->range_starts, error);
  if (!status)
    status =
        qn_view_unsigned(container, names->columns, 4, info->num_edges, &blocking->columns, error);
  if (status)
    return status;
  return qn_weights_view(container, names->weights, &blocking->weights, error);
}

static enum qn_status view_out_edges(const struct qn_container *container, struct qn_csr *out,
                                     struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  out->num_vertices = info->num_vertices;
  out->num_edges = info->num_edges;
  enum qn_status status = qn_view_unsigned(container, "row_offsets", 8, info->num_vertices + 1,
                                           &out->row_offsets, error);
  if (!status)
    status = qn_view_unsigned(container, "column_indices", 4, info->num_edges, &out->column_indices,
                              error);
  if (status)
    return status;
  return qn_weights_view(container, "weights", &out->weights, error);
}

enum qn_status qn_blocked_csr_view(const struct qn_container *container,
                                   struct qn_blocked_csr *blocked, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  memset(blocked, 0, sizeof *blocked);
  enum qn_status status = qn_view_insist(container, QN_LAYOUT_BLOCKED_CSR, error);
  if (!status)
    status = view_parameters(container, error);
  if (!status)
    status = qn_container_check_sections(container, known_sections, error);
  if (!status)
    status = qn_view_unsigned(container, "out_degrees", 4, info->num_vertices,
                              &blocked->out_degrees, error);
  if (status)
    return status;
  uint64_t directions = info->parameters[QN_BLOCKED_DIRECTIONS];
  blocked->directedness = info->directedness;
  blocked->num_vertices = info->num_vertices;
  blocked->num_edges = info->num_edges;
  blocked->has_pull = directions & QN_BLOCKED_PULL;
  blocked->has_push = directions & QN_BLOCKED_PUSH;
  blocked->has_out = qn_container_section(container, "row_offsets") ||
                     qn_container_section(container, "column_indices") ||
                     qn_container_section(container, "weights");
  if (blocked->has_pull)
    status = view_direction(container, &qn_pull_sections, &blocked->pull, error);
  if (!status && blocked->has_push)
    status = view_direction(container, &qn_push_sections, &blocked->push, error);
  if (!status && blocked->has_out)
    status = view_out_edges(container, &blocked->out, error);
  if (!status)
    status = qn_ids_view(container, &blocked->ids, error);
  return status;
}

QN_DEFINE_MAP(blocked_csr)
QN_DEFINE_UNMAP(blocked_csr)

/* ---- Figures -------------------------------------------------------------- */

static uint64_t blocking_bytes(const struct qn_blocking *blocking, uint64_t num_edges) {
  uint64_t rows = blocking->num_rows;
  uint64_t edge_bytes = 4 + qn_weight_bytes(blocking->weights.type);
  return 16 * (blocking->num_blocks + 1) + 8 * rows + 4 * blocking->num_blocks +
         4 * blocking->num_blocks * (blocking->num_ranges + 1) + edge_bytes * num_edges;
}

static double ratio(uint64_t a, uint64_t b) {
  return b ? (double)a / (double)b : 0;
}

static json_t *describe_direction(const struct qn_blocking *blocking, uint64_t num_edges) {
  uint64_t rows = blocking->num_rows, largest = 0;
  for (uint64_t block = 0; block < blocking->num_blocks; block++) {
    uint64_t edges = blocking->block_edges[block + 1] - blocking->block_edges[block];
    largest = edges > largest ? edges : largest;
  }
  return json_pack("{s:I, s:f, s:f, s:I, s:f}", "local_vertices", (json_int_t)rows,
                   "local_vertices_per_block", ratio(rows, blocking->num_blocks),
                   "edges_per_local_vertex", ratio(num_edges, rows), "largest_block_edges",
                   (json_int_t)largest, "bytes_per_edge",
                   ratio(blocking_bytes(blocking, num_edges), num_edges));
}

/* A partial sum is written and read once for each local vertex, so few edges for each of them make
 * the reduction cost as much as the misses that blocking saves. */
static const char *verdict(const struct qn_blocking *blocking, uint64_t num_edges) {
  uint64_t rows = blocking->num_rows;
  if (blocking->num_blocks <= 1)
    return "one block: the vertex values fit the cache without blocking";
  if (num_edges < 2 * rows)
    return "poor: fewer than 2 edges for each partial sum; use larger blocks or plain CSR";
  return "good";
}

enum qn_status qn_blocked_csr_describe(const struct qn_container *container, json_t *object,
                                       struct qn_error *error) {
  static const char *const read[] = {"pull_block_rows", "pull_block_edges", "push_block_rows",
                                     "push_block_edges", NULL};
  struct qn_blocked_csr blocked;
  const struct qn_container_info *info = qn_container_info(container);
  enum qn_status status = qn_blocked_csr_view(container, &blocked, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (status)
    return status;
  const struct qn_blocking *any = blocked.has_pull ? &blocked.pull : &blocked.push;
  uint64_t bytes = 4 * info->num_vertices;
  json_object_set_new(object, "direction",
                      json_string(!blocked.has_push   ? "pull"
                                  : !blocked.has_pull ? "push"
                                                      : "both"));
  json_object_set_new(object, "block_vertices", json_integer((json_int_t)any->block_vertices));
  json_object_set_new(object, "blocks", json_integer((json_int_t)any->num_blocks));
  json_object_set_new(object, "out_edges", json_string(blocked.has_out ? "stored" : "none"));
  if (blocked.has_pull) {
    json_object_set_new(object, "pull", describe_direction(&blocked.pull, info->num_edges));
    bytes += blocking_bytes(&blocked.pull, info->num_edges);
  }
  if (blocked.has_push) {
    json_object_set_new(object, "push", describe_direction(&blocked.push, info->num_edges));
    bytes += blocking_bytes(&blocked.push, info->num_edges);
  }
  if (blocked.has_out)
    bytes += qn_csr_bytes(info);
  qn_figures_size(info, bytes, object);
  json_object_set_new(object, "fit", json_string(verdict(any, info->num_edges)));
  return QN_OK;
}

/* ---- Operations ----------------------------------------------------------- */

enum qn_status qn_blocked_csr_restore(const struct qn_container *container, struct qn_graph *graph,
                                      struct qn_error *error) {
  struct qn_blocked_csr blocked;
  memset(graph, 0, sizeof *graph);
  enum qn_status status = qn_blocked_csr_view(container, &blocked, error);
  if (!status && blocked.has_out)
    graph->out = blocked.out;
  else if (!status)
    status = qn_blocked_csr_out_edges(&blocked, graph, error);
  if (!status)
    qn_graph_restored(graph, blocked.directedness, &blocked.ids);
  return status;
}
