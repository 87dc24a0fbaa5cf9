#include "converters/binary_rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "formats/fingerprint.h"
#include "support/progress.h"

/* Edges that one stream takes. */
#define PART_EDGES ((uint64_t)1 << 18)

enum qn_status qn_binary_fail(const char *file, uint64_t offset, struct qn_error *error,
                              const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_error_at_offset(error, file, offset);
}

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

/* What a part finds. */
struct part {
  uint64_t bad;               /* the first edge that leads nowhere; UINT64_MAX: none */
  uint64_t forward, backward; /* fingerprints of the edges and of their reversals */
  struct qn_edge_stream stream;
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

static uint64_t neighbor_of(const struct qn_binary_rows *rows, uint64_t edge) {
  const char *at = rows->neighbors + edge * rows->neighbor_stride;
  return rows->neighbor_bytes == 4 ? qn_binary_u32(at) : qn_binary_u64(at);
}

static void push(const struct qn_binary_rows *rows, struct part *part, uint64_t edge,
                 uint32_t source, uint32_t destination) {
  uint64_t mixed = 1;
  if (!rows->weights) {
    qn_edge_push(&part->stream, source, destination);
  } else {
    uint32_t bits = qn_binary_u32(rows->weights + edge * rows->weight_stride);
    mixed = qn_mix_weight(bits);
    if (rows->signed_weights && bits > INT32_MAX)
      qn_edge_push_f32(&part->stream, source, destination, (float)(int32_t)bits);
    else
      qn_edge_push_u32(&part->stream, source, destination, bits);
  }
  part->forward += qn_mix_source(source) * qn_mix_destination(destination) * mixed;
  part->backward += qn_mix_source(destination) * qn_mix_destination(source) * mixed;
}

static void push_part(const struct qn_binary_rows *rows, uint64_t index, struct part *part) {
  uint64_t edge = index * PART_EDGES;
  uint64_t last = edge + PART_EDGES < rows->num_edges ? edge + PART_EDGES : rows->num_edges;
  for (uint64_t row = row_of(rows, edge); edge < last; row++) {
    uint64_t end = offset_of(rows, row + 1) < last ? offset_of(rows, row + 1) : last;
    for (; edge < end; edge++) {
      uint64_t destination = neighbor_of(rows, edge);
      if (destination >= rows->num_vertices) {
        part->bad = edge;
        return;
      }
      push(rows, part, edge, (uint32_t)row, (uint32_t)destination);
    }
  }
}

static enum qn_status push_edges(const struct qn_binary_rows *rows, struct qn_edge_list *list,
                                 uint64_t *sequence, bool *symmetric, struct qn_error *error) {
  uint64_t num_parts = (rows->num_edges + PART_EDGES - 1) / PART_EDGES;
  uint64_t forward = 0, backward = 0, bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : forward, backward) reduction(min : bad)
  for (uint64_t i = 0; i < num_parts; i++) {
    struct part part = {.bad = UINT64_MAX};
    struct qn_error own;
    qn_edge_stream_open(&part.stream, list, *sequence + i);
    push_part(rows, i, &part);
    enum qn_status failed = qn_edge_stream_close(&part.stream, &own);
    forward += part.forward;
    backward += part.backward;
    bad = part.bad < bad ? part.bad : bad;
    qn_progress_add(PART_EDGES * rows->neighbor_stride);
    if (failed) {
#pragma omp critical(binary_rows_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_parts;
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
  enum qn_status status = check_offsets(rows, error);
  if (!status)
    status = push_edges(rows, list, sequence, symmetric, error);
  if (status)
    return status;
  result->ledger.records += rows->num_edges;
  result->ledger.edges_read += rows->num_edges;
  return QN_OK;
}
