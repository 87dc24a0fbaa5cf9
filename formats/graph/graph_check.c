/* The invariants of the graph layout (specs/graph.md), checked at memory speed.
 *
 * Ascending rows (G-5) without a test per row end: a descent between neighbours
 * in the flat array is allowed only where a row begins, so the rows ascend if
 * and only if there are as many descents as row starts that descend. Both
 * counts are simple loops; the first one vectorises. */
#include <inttypes.h>
#include <math.h>

#include "formats/graph/csr_shares.h"
#include "support/multiversion.h"
#include <quern/graph.h>

#define OFFSETS_BLOCK ((uint64_t)1 << 17)

QN_VECTOR_CLONES
static uint64_t count_descending(const uint64_t *offsets, uint64_t count) {
  uint64_t descending = 0;
  for (uint64_t v = 0; v < count; v++)
    descending += offsets[v] > offsets[v + 1];
  return descending;
}

static uint64_t first_descending_offset(const struct qn_container *container,
                                        const struct qn_csr *csr) {
  uint64_t descending = 0;
  const uint64_t *offsets = csr->row_offsets, rows = csr->num_vertices;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : descending)
  for (uint64_t begin = 0; begin < rows; begin += OFFSETS_BLOCK) {
    uint64_t count = rows - begin < OFFSETS_BLOCK ? rows - begin : OFFSETS_BLOCK;
    qn_container_reading(container, offsets + begin, offsets + begin + count + 1);
    descending += count_descending(offsets + begin, count);
  }
  for (uint64_t v = 0; descending && v < rows; v++)
    if (offsets[v] > offsets[v + 1])
      return v;
  return UINT64_MAX;
}

#define SCAN_BLOCK ((uint64_t)1 << 16) /* counted in lanes of 32 bits */

struct scan {
  uint32_t largest;
  uint64_t descents; /* neighbours in the array of which the second is less */
};

QN_VECTOR_CLONES
static struct scan scan_columns(const uint32_t *columns, uint64_t count) {
  struct scan scan = {columns[0], 0};
  for (uint64_t begin = 1; begin < count; begin += SCAN_BLOCK) {
    uint64_t end = count - begin < SCAN_BLOCK ? count : begin + SCAN_BLOCK;
    uint32_t largest = 0, descents = 0;
    for (uint64_t i = begin; i < end; i++) {
      largest = columns[i] > largest ? columns[i] : largest;
      descents += columns[i - 1] > columns[i];
    }
    scan.largest = largest > scan.largest ? largest : scan.largest;
    scan.descents += descents;
  }
  return scan;
}

/* Row starts inside the share, past its first edge, that descend from the edge before. Without
 * branches, as nobody can tell which rows are empty: where nothing is to be counted, some two edges
 * of the share are compared. */
QN_VECTOR_CLONES
static uint64_t count_descending_starts(const uint64_t *offsets, const uint32_t *columns,
                                        const struct qn_csr_share *share) {
  const uint64_t first = share->edge_begin;
  const int64_t last = (int64_t)(share->edge_end - first) - 1;
  uint64_t descents = 0;
  if (last < 1)
    return 0;
  for (uint64_t v = share->row_begin; v < share->row_end; v++) {
    int64_t start = (int64_t)(offsets[v] - first), end = (int64_t)(offsets[v + 1] - first);
    int64_t at = start < last ? start : last;
    at = at > 1 ? at : 1;
    uint32_t before = columns[at - 1], column = columns[at];
    descents += (uint64_t)((before > column) & (end > start) & (start > 0));
  }
  return descents;
}

static bool share_is_sound(const struct qn_csr *csr, uint64_t num_columns,
                           const struct qn_csr_share *share) {
  const uint32_t *columns = csr->column_indices + share->edge_begin;
  uint64_t count = share->edge_end - share->edge_begin;
  if (count == 0)
    return true;
  struct scan scan = scan_columns(columns, count);
  return scan.largest < num_columns &&
         scan.descents == count_descending_starts(csr->row_offsets, columns, share);
}

/* Slow and exact: names the first edge at fault in the share. */
static enum qn_status report_share(const struct qn_container *container, const struct qn_csr *csr,
                                   uint64_t num_columns, const struct qn_csr_share *share,
                                   const char *rules, const char *name, struct qn_error *error) {
  char rule[16];
  for (uint64_t v = share->row_begin; v < share->row_end; v++) {
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      uint32_t column = csr->column_indices[e];
      if (column >= num_columns) {
        snprintf(rule, sizeof rule, "%s-4", rules);
        return qn_container_violation(container, error, rule,
                                      "%s: edge %" PRIu64 " of row %" PRIu64
                                      " leads to vertex %" PRIu32 ", but there are %" PRIu64
                                      " vertices",
                                      name, e, v, column, num_columns);
      }
      if (e > csr->row_offsets[v] && csr->column_indices[e - 1] > column) {
        snprintf(rule, sizeof rule, "%s-5", rules);
        return qn_container_violation(container, error, rule,
                                      "%s: row %" PRIu64 " is not sorted at edge %" PRIu64, name, v,
                                      e);
      }
    }
  }
  return QN_OK;
}

static enum qn_status check_offsets(const struct qn_container *container, const struct qn_csr *csr,
                                    const char *rules, const char *name, struct qn_error *error) {
  char rule[16];
  uint64_t bad = first_descending_offset(container, csr);
  if (csr->row_offsets[0] != 0) {
    snprintf(rule, sizeof rule, "%s-1", rules);
    return qn_container_violation(container, error, rule, "%s: row offsets do not begin with 0",
                                  name);
  }
  if (bad != UINT64_MAX) {
    snprintf(rule, sizeof rule, "%s-2", rules);
    return qn_container_violation(container, error, rule,
                                  "%s: row offsets descend after row %" PRIu64, name, bad);
  }
  if (csr->row_offsets[csr->num_vertices] != csr->num_edges) {
    snprintf(rule, sizeof rule, "%s-3", rules);
    return qn_container_violation(
        container, error, rule, "%s: row offsets end with %" PRIu64 ", not with %" PRIu64 " edges",
        name, csr->row_offsets[csr->num_vertices], csr->num_edges);
  }
  return QN_OK;
}

/* As qn_csr_check, of rows whose columns are less than `num_columns`. */
static enum qn_status check_rows(const struct qn_container *container, const struct qn_csr *csr,
                                 uint64_t num_columns, const char *rules, const char *name,
                                 struct qn_error *error) {
  enum qn_status status = check_offsets(container, csr, rules, name, error);
  if (status)
    return status;
  uint64_t parts = qn_csr_share_count(csr), bad = UINT64_MAX;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t i = 0; i < parts; i++) {
    struct qn_csr_share share = qn_csr_share_of(csr, parts, i);
    qn_container_reading(container, csr->column_indices + share.edge_begin,
                         csr->column_indices + share.edge_end);
    if (i < bad && !share_is_sound(csr, num_columns, &share))
      bad = i;
  }
  if (bad == UINT64_MAX)
    return QN_OK;
  struct qn_csr_share share = qn_csr_share_of(csr, parts, bad);
  return report_share(container, csr, num_columns, &share, rules, name, error);
}

enum qn_status qn_csr_check(const struct qn_container *container, const struct qn_csr *csr,
                            const char *rules, const char *name, struct qn_error *error) {
  return check_rows(container, csr, csr->num_vertices, rules, name, error);
}

enum qn_status qn_graph_check(const struct qn_container *container, const struct qn_graph *graph,
                              struct qn_error *error) {
  const uint64_t num_columns = graph->ids.num_vertices;
  enum qn_status status = check_rows(container, &graph->out, num_columns, "G", "out-edges", error);
  if (!status && graph->has_transpose && graph->in.row_offsets != graph->out.row_offsets)
    status = qn_csr_check(container, &graph->in, "G", "in-edges", error);
  if (!status)
    status = qn_ids_check(container, &graph->ids, error);
  return status;
}

/* ---- Content: weights and the agreement of both directions ---------------- */

enum qn_status qn_weights_check(const struct qn_container *container, const char *rule,
                                const char *name, const struct qn_weights *weights, uint64_t count,
                                struct qn_error *error) {
  uint64_t bad = UINT64_MAX;
  if (weights->type == QN_WEIGHT_F32) {
#pragma omp parallel for reduction(min : bad)
    for (uint64_t e = 0; e < count; e++)
      if (!isfinite(weights->f32[e]) && e < bad)
        bad = e;
  } else if (weights->type == QN_WEIGHT_F64) {
#pragma omp parallel for reduction(min : bad)
    for (uint64_t e = 0; e < count; e++)
      if (!isfinite(weights->f64[e]) && e < bad)
        bad = e;
  }
  if (bad == UINT64_MAX)
    return QN_OK;
  return qn_container_violation(container, error, rule,
                                "%s: the weight of edge %" PRIu64 " is not finite", name, bad);
}

enum qn_status qn_graph_check_content(const struct qn_container *container,
                                      const struct qn_graph *graph, struct qn_error *error) {
  bool stored_transpose = graph->has_transpose && graph->in.row_offsets != graph->out.row_offsets;
  uint64_t num_edges = graph->out.num_edges;
  enum qn_status status =
      qn_weights_check(container, "G-7", "out-edges", &graph->out.weights, num_edges, error);
  if (!status && stored_transpose)
    status = qn_weights_check(container, "G-7", "in-edges", &graph->in.weights, num_edges, error);
  if (status)
    return status;
  if (stored_transpose &&
      qn_csr_fingerprint(&graph->out, false) != qn_csr_fingerprint(&graph->in, true))
    return qn_container_violation(container, error, "G-8",
                                  "the transpose does not hold the same edges");
  if (graph->directedness == QN_UNDIRECTED && !qn_csr_is_symmetric(&graph->out))
    return qn_container_violation(container, error, "G-9",
                                  "the header says undirected, but some edge lacks its reverse");
  return QN_OK;
}

enum qn_status qn_graph_check_all(const struct qn_container *container,
                                  const struct qn_graph *graph, struct qn_error *error) {
  enum qn_status status = qn_graph_check(container, graph, error);
  return status ? status : qn_graph_check_content(container, graph, error);
}
