#include "converters/arrays/binary_rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "support/memory.h"
#include "support/progress.h"
#include <quern/fingerprint.h>
#include <quern/inline.h>

/* Parts that one stream takes. */
#define STREAM_PARTS 32

/* ---- Offsets -------------------------------------------------------------- */

static const char *offset_place(const struct qn_binary_rows *rows, uint64_t vertex) {
  return rows->offsets + 8 * vertex - (rows->ends_only ? 8 : 0);
}

static uint64_t offset_of(const struct qn_binary_rows *rows, uint64_t vertex) {
  return rows->ends_only && vertex == 0 ? 0 : qn_binary_u64(offset_place(rows, vertex));
}

static enum qn_status check_offsets(const struct qn_binary_rows *rows, struct qn_error *error) {
  uint64_t bad = UINT64_MAX, last = rows->num_vertices;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t v = 0; v < rows->num_vertices; v++)
    if (offset_of(rows, v) > offset_of(rows, v + 1) && v < bad)
      bad = v;
  if (bad != UINT64_MAX)
    return qn_binary_fail(rows->file, (uint64_t)(offset_place(rows, bad + 1) - rows->begin), error,
                          "the offsets descend after vertex %" PRIu64, bad);
  if (offset_of(rows, 0) != 0)
    return qn_binary_fail(rows->file, (uint64_t)(rows->offsets - rows->begin), error,
                          "the offsets begin with %" PRIu64 ", not with 0", offset_of(rows, 0));
  if (offset_of(rows, last) != rows->num_edges)
    return qn_binary_fail(rows->file, (uint64_t)(offset_place(rows, last) - rows->begin), error,
                          "the offsets end with %" PRIu64 ", not with %" PRIu64 " edges",
                          offset_of(rows, last), rows->num_edges);
  return QN_OK;
}

/* ---- Edges ---------------------------------------------------------------- */

/* The edges as a view: a part is as many as fill a block. */
struct rows_view {
  struct qn_binary_rows rows;
  uint32_t part_edges;
};

static uint64_t row_of(const struct qn_binary_rows *rows, uint64_t edge) {
  uint64_t low = 0, high = rows->num_vertices;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (offset_of(rows, middle) <= edge)
      low = middle;
    else
      high = middle;
  }
  return low;
}

QN_ALWAYS_INLINE uint64_t load_neighbor(const char *neighbors, uint64_t edge, unsigned bytes,
                                        unsigned stride) {
  const char *at = neighbors + edge * stride;
  return bytes == 4 ? qn_binary_u32(at) : qn_binary_u64(at);
}

static uint64_t neighbor_of(const struct qn_binary_rows *rows, uint64_t edge) {
  return load_neighbor(rows->neighbors, edge, rows->neighbor_bytes, rows->neighbor_stride);
}

/* Decode edges [first, last), which begin in row `*row`; false if one leads nowhere. */
QN_ALWAYS_INLINE bool load_edges(const struct qn_binary_rows *rows, unsigned bytes, unsigned stride,
                                 uint64_t first, uint64_t last, uint64_t *row, uint64_t *sources,
                                 uint64_t *destinations) {
  uint64_t edge = first, most = 0;
  for (;; ++*row) {
    uint64_t end = offset_of(rows, *row + 1) < last ? offset_of(rows, *row + 1) : last;
    for (; edge < end; edge++) {
      uint64_t destination = load_neighbor(rows->neighbors, edge, bytes, stride);
      most = destination > most ? destination : most;
      sources[edge - first] = *row;
      destinations[edge - first] = destination;
    }
    if (edge >= last)
      return most < rows->num_vertices;
  }
}

static bool load_any_edges(const struct qn_binary_rows *rows, uint64_t first, uint64_t last,
                           uint64_t *row, uint64_t *sources, uint64_t *destinations) {
  if (rows->neighbor_bytes == 8)
    return load_edges(rows, 8, 8, first, last, row, sources, destinations);
  if (rows->neighbor_stride == 4)
    return load_edges(rows, 4, 4, first, last, row, sources, destinations);
  return load_edges(rows, 4, rows->neighbor_stride, first, last, row, sources, destinations);
}

static uint32_t weight_of(const struct qn_binary_rows *rows, uint64_t edge) {
  return qn_binary_u32(rows->weights + edge * rows->weight_stride);
}

/* Bits of the weights of edges [first, last); false if they are not u32. */
static bool load_weights(const struct qn_binary_rows *rows, uint64_t first, uint64_t last,
                         uint32_t *weights) {
  uint32_t all = 0;
  for (uint64_t edge = first; edge < last; edge++)
    all |= weights[edge - first] = weight_of(rows, edge);
  return !rows->signed_weights || all <= INT32_MAX;
}

static void push_weights_by_sign(const struct qn_binary_rows *rows, uint64_t first, uint64_t count,
                                 const uint64_t *sources, const uint64_t *destinations,
                                 struct qn_edge_stream *stream) {
  for (uint64_t i = 0; i < count; i++) {
    uint32_t bits = weight_of(rows, first + i);
    if (bits > INT32_MAX)
      qn_edge_push_i64(stream, sources[i], destinations[i], (int32_t)bits);
    else
      qn_edge_push_u32(stream, sources[i], destinations[i], bits);
  }
}

enum { SOME_EDGES = 512 };

/* Returns the first edge that leads nowhere, UINT64_MAX if none does. */
static uint64_t push_part(const void *context, uint64_t part, struct qn_edge_stream *stream) {
  const struct rows_view *view = context;
  const struct qn_binary_rows *rows = &view->rows;
  uint64_t sources[SOME_EDGES], destinations[SOME_EDGES];
  uint32_t weights[SOME_EDGES];
  uint64_t edge = part * view->part_edges, row = row_of(rows, edge);
  uint64_t end =
      rows->num_edges - edge < view->part_edges ? rows->num_edges : edge + view->part_edges;
  for (uint64_t last; edge < end; edge = last) {
    last = end - edge < SOME_EDGES ? end : edge + SOME_EDGES;
    if (!load_any_edges(rows, edge, last, &row, sources, destinations)) {
      while (neighbor_of(rows, edge) < rows->num_vertices)
        edge++;
      return edge;
    }
    if (!rows->weights)
      qn_edge_push_arrays(stream, sources, destinations, QN_WEIGHT_NONE, NULL, last - edge);
    else if (load_weights(rows, edge, last, weights))
      qn_edge_push_arrays(stream, sources, destinations, QN_WEIGHT_U32, weights, last - edge);
    else
      push_weights_by_sign(rows, edge, last - edge, sources, destinations, stream);
  }
  return UINT64_MAX;
}

/* What all edges, and all reversals of them, make together. */
static void mix_part(const struct rows_view *view, uint64_t part, uint64_t *forward,
                     uint64_t *backward) {
  const struct qn_binary_rows *rows = &view->rows;
  uint64_t edge = part * view->part_edges, row = row_of(rows, edge);
  uint64_t end =
      rows->num_edges - edge < view->part_edges ? rows->num_edges : edge + view->part_edges;
  for (; edge < end; edge++) {
    while (offset_of(rows, row + 1) <= edge)
      row++;
    uint32_t source = (uint32_t)row, destination = (uint32_t)neighbor_of(rows, edge);
    uint64_t weight = rows->weights ? qn_mix_weight(weight_of(rows, edge)) : 1;
    *forward += qn_mix_source(source) * qn_mix_destination(destination) * weight;
    *backward += qn_mix_source(destination) * qn_mix_destination(source) * weight;
  }
}

static enum qn_status push_edges(const struct rows_view *context, struct qn_edge_list *list,
                                 uint64_t *sequence, bool *symmetric, struct qn_error *error) {
  const struct qn_binary_rows *rows = &context->rows;
  const struct qn_edge_view view = {push_part, context};
  uint64_t num_parts = (rows->num_edges + context->part_edges - 1) / context->part_edges;
  uint64_t num_streams = (num_parts + STREAM_PARTS - 1) / STREAM_PARTS;
  uint64_t forward = 0, backward = 0, bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : forward, backward) reduction(min : bad)
  for (uint64_t s = 0; s < num_streams; s++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    qn_edge_stream_open(&stream, list, *sequence + s);
    uint64_t end = s + 1 < num_streams ? (s + 1) * STREAM_PARTS : num_parts, found = UINT64_MAX;
    for (uint64_t part = s * STREAM_PARTS; part < end && found == UINT64_MAX; part++) {
      found =
          rows->stay ? qn_edge_push_view(&stream, &view, part) : push_part(context, part, &stream);
      if (symmetric)
        mix_part(context, part, &forward, &backward);
    }
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    bad = found < bad ? found : bad;
    qn_progress_add((uint64_t)STREAM_PARTS * context->part_edges * rows->neighbor_stride);
    if (failed) {
#pragma omp critical(binary_rows_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_streams;
  if (symmetric)
    *symmetric = forward == backward;
  if (status || bad == UINT64_MAX)
    return status;
  uint64_t at = (uint64_t)(rows->neighbors - rows->begin) + bad * rows->neighbor_stride;
  return qn_binary_fail(rows->file, at, error,
                        "edge %" PRIu64 " leads to vertex %" PRIu64 ", but there are %" PRIu64
                        " vertices",
                        bad, neighbor_of(rows, bad), rows->num_vertices);
}

enum qn_status qn_binary_rows_read(const struct qn_binary_rows *rows, struct qn_edge_list *list,
                                   uint64_t *sequence, struct qn_read_result *result,
                                   bool *symmetric, struct qn_error *error) {
  struct rows_view *view;
  enum qn_status status = check_offsets(rows, error);
  if (!status)
    status = qn_alloc(&view, 1, sizeof *view, "a view of rows", error);
  if (status)
    return status;
  *view = (struct rows_view){*rows,
                             qn_edge_view_capacity(rows->weights ? QN_WEIGHT_U32 : QN_WEIGHT_NONE)};
  status = qn_edge_list_keep(list, view, qn_free, error);
  if (status) {
    qn_free(view);
    return status;
  }
  status = push_edges(view, list, sequence, symmetric, error);
  if (status)
    return status;
  result->keeps_input = rows->stay;
  result->ledger.records += rows->num_edges;
  result->ledger.edges_read += rows->num_edges;
  return QN_OK;
}
