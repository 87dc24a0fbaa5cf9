/* The invariants of the shards layout (specs/shards.md), checked at memory speed, and the way back
 * to the graph. */
#include <inttypes.h>
#include <string.h>

#include "formats/graph/csr_shares.h"
#include "formats/graph/restored.h"
#include <quern/shards.h>
#include <quern/transpose.h>

/* ---- The small tables ------------------------------------------------------ */

/* Offsets of `count` things must ascend from 0 to `last`. */
static enum qn_status check_offsets(const struct qn_container *container, const char *rule,
                                    const char *name, const char *thing, const uint32_t *offsets,
                                    uint64_t count, uint64_t last, struct qn_error *error) {
  if (offsets[0] != 0 || offsets[count] != last)
    return qn_container_violation(container, error, rule,
                                  "%s go from %" PRIu32 " to %" PRIu32 ", not from 0 to %" PRIu64,
                                  name, offsets[0], offsets[count], last);
  for (uint64_t i = 0; i < count; i++)
    if (offsets[i] >= offsets[i + 1])
      return qn_container_violation(container, error, rule, "%s do not ascend at %s %" PRIu64, name,
                                    thing, i);
  return QN_OK;
}

static enum qn_status check_vertex_offsets(const struct qn_container *container,
                                           const struct qn_shards *view, struct qn_error *error) {
  const uint32_t *offsets = view->vertex_offsets;
  enum qn_status status = check_offsets(container, "SH-2", "vertex_offsets", "shard", offsets,
                                        view->num_shards, view->num_vertices, error);
  for (uint64_t s = 0; !status && s < view->num_shards; s++)
    if (offsets[s + 1] - offsets[s] > view->max_shard_vertices)
      return qn_container_violation(container, error, "SH-3",
                                    "shard %" PRIu64 " has %" PRIu32
                                    " vertices, more than %" PRIu64,
                                    s, offsets[s + 1] - offsets[s], view->max_shard_vertices);
  return status;
}

static enum qn_status check_replication(const struct qn_container *container,
                                        const struct qn_shards *view, struct qn_error *error) {
  for (uint64_t s = 0; s < view->num_shards; s++) {
    uint64_t vertices = view->vertex_offsets[s + 1] - view->vertex_offsets[s];
    uint64_t edges = qn_sh_edge(view, s + 1) - qn_sh_edge(view, s);
    uint32_t expected = qn_sh_replication(edges, vertices);
    if (view->replication[s] != expected)
      return qn_container_violation(container, error, "SH-4",
                                    "shard %" PRIu64 " of %" PRIu64 " vertices and %" PRIu64
                                    " edges has the replication factor %u, not %" PRIu32,
                                    s, vertices, edges, view->replication[s], expected);
    uint64_t bytes = vertices * expected * QN_SH_VALUE_BYTES;
    if (view->shared_bytes && bytes > view->shared_bytes)
      return qn_container_violation(container, error, "SH-5",
                                    "shard %" PRIu64 " needs %" PRIu64
                                    " bytes of shared memory, more than %" PRIu64,
                                    s, bytes, view->shared_bytes);
  }
  return QN_OK;
}

static enum qn_status check_pages(const struct qn_container *container,
                                  const struct qn_shards *view, struct qn_error *error) {
  const uint32_t *shards = view->page_shards;
  uint64_t max_edges = view->page_bytes / qn_sh_edge_bytes(view->in.weights.type);
  enum qn_status status = check_offsets(container, "SH-6", "page_shards", "page", shards,
                                        view->num_pages, view->num_shards, error);
  for (uint64_t g = 0; !status && g < view->num_pages; g++) {
    uint64_t edges = qn_sh_edge(view, shards[g + 1]) - qn_sh_edge(view, shards[g]);
    if (edges > max_edges)
      return qn_container_violation(container, error, "SH-7",
                                    "page %" PRIu64 " has %" PRIu64 " edges, more than fit %" PRIu64
                                    " bytes",
                                    g, edges, view->page_bytes);
  }
  return status;
}

/* ---- Destination offsets ----------------------------------------------------- */

static uint64_t shard_of(const struct qn_shards *view, uint64_t vertex) {
  return qn_range_at_u32(view->vertex_offsets, 0, view->num_shards, vertex);
}

static uint64_t count_different(const uint16_t *values, uint64_t count, uint16_t value) {
  uint64_t different = 0;
  for (uint64_t i = 0; i < count; i++)
    different += values[i] != value;
  return different;
}

/* The first row of the share in which an offset is wrong; UINT64_MAX if there is none. */
static uint64_t first_wrong_row(const struct qn_shards *view, struct qn_csr_share share) {
  const uint64_t *offsets = view->in.row_offsets;
  if (share.row_begin == share.row_end)
    return UINT64_MAX;
  uint64_t shard = shard_of(view, share.row_begin);
  for (uint64_t v = share.row_begin; v < share.row_end; v++) {
    if (v == view->vertex_offsets[shard + 1])
      shard++;
    if (count_different(view->destination_offsets + offsets[v], offsets[v + 1] - offsets[v],
                        (uint16_t)(v - view->vertex_offsets[shard])))
      return v;
  }
  return UINT64_MAX;
}

static enum qn_status check_destination_offsets(const struct qn_container *container,
                                                const struct qn_shards *view,
                                                struct qn_error *error) {
  uint64_t parts = qn_csr_share_count(&view->in), bad = UINT64_MAX;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t i = 0; i < parts; i++) {
    uint64_t row = first_wrong_row(view, qn_csr_share_of(&view->in, parts, i));
    bad = row < bad ? row : bad;
  }
  if (bad == UINT64_MAX)
    return QN_OK;
  uint64_t first = view->vertex_offsets[shard_of(view, bad)], edge = view->in.row_offsets[bad];
  while (view->destination_offsets[edge] == (uint16_t)(bad - first))
    edge++;
  return qn_container_violation(container, error, "SH-8",
                                "edge %" PRIu64 " has the destination offset %u, not %" PRIu64
                                " for vertex %" PRIu64,
                                edge, view->destination_offsets[edge], bad - first, bad);
}

/* ---- The whole ----------------------------------------------------------------- */

enum qn_status qn_shards_check(const struct qn_container *container, const struct qn_shards *view,
                               struct qn_error *error) {
  enum qn_status status = check_vertex_offsets(container, view, error);
  if (!status)
    status = qn_csr_check(container, &view->in, "G", "in-edges", error);
  if (!status && view->directedness == QN_DIRECTED)
    status = qn_csr_check(container, &view->out, "G", "out-edges", error);
  if (!status)
    status = check_replication(container, view, error);
  if (!status)
    status = check_pages(container, view, error);
  if (!status)
    status = check_destination_offsets(container, view, error);
  return status ? status : qn_ids_check(container, &view->ids, error);
}

enum qn_status qn_shards_check_content(const struct qn_container *container,
                                       const struct qn_shards *view, struct qn_error *error) {
  struct qn_csr in = view->in;
  enum qn_status status =
      qn_weights_check(container, "SH-10", "weights", &view->in.weights, view->num_edges, error);
  if (status)
    return status;
  if (view->directedness == QN_UNDIRECTED)
    return qn_csr_is_symmetric(&view->in)
               ? QN_OK
               : qn_container_violation(
                     container, error, "SH-12",
                     "the header says undirected, but some edge lacks its reverse");
  in.weights = (struct qn_weights){.type = QN_WEIGHT_NONE};
  if (qn_csr_fingerprint(&in, true) != qn_csr_fingerprint(&view->out, false))
    return qn_container_violation(container, error, "SH-11",
                                  "the out-edges are not the same as the in-edges");
  return QN_OK;
}

/* Out-edges are there already, but for the weights of a directed graph. */
enum qn_status qn_shards_restore(const struct qn_container *container, struct qn_graph *graph,
                                 struct qn_error *error) {
  struct qn_shards view;
  memset(graph, 0, sizeof *graph);
  enum qn_status status = qn_shards_view(container, &view, error);
  if (status)
    return status;
  bool directed = view.directedness == QN_DIRECTED;
  if (directed && view.in.weights.type != QN_WEIGHT_NONE)
    status = qn_graph_create_transpose(&view.in, graph, error);
  else
    graph->out = directed ? view.out : view.in;
  if (!status)
    qn_graph_restored(graph, view.directedness, &view.ids);
  return status;
}
