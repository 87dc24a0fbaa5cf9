/* Serialized graphs of the GAP Benchmark Suite (.sg, and .wsg with weights; its writer.h). Little-
 * endian, without a signature and without alignment:
 *
 *   u8   directed                        0 or 1
 *   i64  num_edges                       stored: an undirected edge counts twice
 *   i64  num_nodes
 *   i64  offsets[num_nodes + 1]
 *   neighbours[num_edges]                i32 vertex; with weights each followed by an i32 weight
 *   if directed, offsets and neighbours of the in-edges
 *
 * The file's length tells whether there are weights. In-edges are not read: they follow from the
 * out-edges. Vertices are 0 to num_nodes - 1. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "converters/declared_size.h"
#include "converters/whole_input.h"
#include "formats/fingerprint.h"
#include "support/checked.h"
#include "support/progress.h"

enum { HEADER_BYTES = 17 };
/* Edges that one stream takes. */
#define PART_EDGES ((uint64_t)1 << 18)

struct gapbs {
  const char *file;
  bool directed;
  uint64_t num_edges, num_vertices;
  const char *offsets;
  const char *neighbors;
  unsigned edge_bytes; /* 4, or 8 with weights */
  bool drop_weights;
};

static uint64_t load_u64(const char *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static uint32_t load_u32(const char *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static uint64_t offset_of(const struct gapbs *gapbs, uint64_t vertex) {
  return load_u64(gapbs->offsets + 8 * vertex);
}

static enum qn_status fail_at(const struct gapbs *gapbs, uint64_t offset, struct qn_error *error,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
static enum qn_status fail_at(const struct gapbs *gapbs, uint64_t offset, struct qn_error *error,
                              const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_error_at_offset(error, gapbs->file, offset);
}

/* ---- Header --------------------------------------------------------------- */

/* The length of a file with neighbours of `edge_bytes`; false if it overflows. */
static bool file_bytes(const struct gapbs *gapbs, unsigned edge_bytes, uint64_t *bytes) {
  uint64_t offsets, neighbors;
  return qn_add_u64(gapbs->num_vertices, 1, &offsets) && qn_mul_u64(offsets, 8, &offsets) &&
         qn_mul_u64(gapbs->num_edges, edge_bytes, &neighbors) &&
         qn_add_u64(offsets, neighbors, bytes) &&
         qn_mul_u64(*bytes, gapbs->directed ? 2 : 1, bytes) &&
         qn_add_u64(*bytes, HEADER_BYTES, bytes);
}

static enum qn_status parse_header(const struct qn_whole_input *whole, struct gapbs *gapbs,
                                   struct qn_error *error) {
  uint64_t plain, weighted;
  if (whole->bytes < HEADER_BYTES)
    return fail_at(gapbs, whole->bytes, error, "the file ends in the header of %d bytes",
                   HEADER_BYTES);
  if ((unsigned char)whole->data[0] > 1)
    return fail_at(gapbs, 0, error, "expected 0 or 1 (directed); found %u",
                   (unsigned char)whole->data[0]);
  gapbs->directed = whole->data[0];
  gapbs->num_edges = load_u64(whole->data + 1);
  gapbs->num_vertices = load_u64(whole->data + 9);
  if (!file_bytes(gapbs, 4, &plain) || !file_bytes(gapbs, 8, &weighted) ||
      (whole->bytes != plain && whole->bytes != weighted))
    return fail_at(gapbs, 1, error,
                   "%" PRIu64 " edges and %" PRIu64 " vertices make no file of %" PRIu64 " bytes, "
                   "with weights or without",
                   gapbs->num_edges, gapbs->num_vertices, whole->bytes);
  gapbs->edge_bytes = whole->bytes == plain ? 4 : 8;
  gapbs->offsets = whole->data + HEADER_BYTES;
  gapbs->neighbors = gapbs->offsets + 8 * (gapbs->num_vertices + 1);
  return QN_OK;
}

static enum qn_status check_offsets(const struct gapbs *gapbs, struct qn_error *error) {
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t v = 0; v < gapbs->num_vertices; v++)
    if (offset_of(gapbs, v) > offset_of(gapbs, v + 1) && v < bad)
      bad = v;
  if (bad != UINT64_MAX)
    return fail_at(gapbs, HEADER_BYTES + 8 * (bad + 1), error,
                   "the offsets descend after vertex %" PRIu64, bad);
  if (offset_of(gapbs, 0) != 0)
    return fail_at(gapbs, HEADER_BYTES, error, "the offsets begin with %" PRIu64 ", not with 0",
                   offset_of(gapbs, 0));
  if (offset_of(gapbs, gapbs->num_vertices) != gapbs->num_edges)
    return fail_at(gapbs, HEADER_BYTES + 8 * gapbs->num_vertices, error,
                   "the offsets end with %" PRIu64 ", not with %" PRIu64 " edges",
                   offset_of(gapbs, gapbs->num_vertices), gapbs->num_edges);
  return QN_OK;
}

/* ---- Edges ---------------------------------------------------------------- */

/* What a part finds. */
struct part {
  uint64_t bad;               /* the first edge that leads nowhere; UINT64_MAX: none */
  uint64_t forward, backward; /* fingerprints of the edges and of their reversals */
  struct qn_edge_stream stream;
};

static uint64_t row_of(const struct gapbs *gapbs, uint64_t edge) {
  uint64_t low = 0, high = gapbs->num_vertices;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (offset_of(gapbs, middle) <= edge)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Push one edge with its weight, if it has one; negative ones are real. */
static void push(const struct gapbs *gapbs, struct part *part, uint32_t source,
                 uint32_t destination, uint32_t bits) {
  uint64_t mixed = 1;
  if (gapbs->edge_bytes == 4 || gapbs->drop_weights) {
    qn_edge_push(&part->stream, source, destination);
  } else {
    mixed = qn_mix_weight(bits);
    if (bits <= INT32_MAX)
      qn_edge_push_u32(&part->stream, source, destination, bits);
    else
      qn_edge_push_f32(&part->stream, source, destination, (float)(int32_t)bits);
  }
  part->forward += qn_mix_source(source) * qn_mix_destination(destination) * mixed;
  part->backward += qn_mix_source(destination) * qn_mix_destination(source) * mixed;
}

static void push_part(const struct gapbs *gapbs, uint64_t index, struct part *part) {
  uint64_t edge = index * PART_EDGES;
  uint64_t last = edge + PART_EDGES < gapbs->num_edges ? edge + PART_EDGES : gapbs->num_edges;
  part->bad = UINT64_MAX;
  for (uint64_t row = row_of(gapbs, edge); edge < last; row++) {
    uint64_t end = offset_of(gapbs, row + 1) < last ? offset_of(gapbs, row + 1) : last;
    for (; edge < end; edge++) {
      const char *at = gapbs->neighbors + edge * gapbs->edge_bytes;
      uint32_t destination = load_u32(at);
      if (destination >= gapbs->num_vertices) {
        part->bad = edge;
        return;
      }
      push(gapbs, part, (uint32_t)row, destination, gapbs->edge_bytes == 8 ? load_u32(at + 4) : 0);
    }
  }
}

/* Push all edges; `*symmetric` if each has its reverse. */
static enum qn_status push_edges(const struct gapbs *gapbs, struct qn_edge_list *list,
                                 uint64_t *sequence, bool *symmetric, struct qn_error *error) {
  uint64_t num_parts = (gapbs->num_edges + PART_EDGES - 1) / PART_EDGES;
  uint64_t forward = 0, backward = 0, bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : forward, backward) reduction(min : bad)
  for (uint64_t i = 0; i < num_parts; i++) {
    struct part part = {.bad = UINT64_MAX};
    struct qn_error own;
    qn_edge_stream_open(&part.stream, list, *sequence + i);
    push_part(gapbs, i, &part);
    enum qn_status failed = qn_edge_stream_close(&part.stream, &own);
    forward += part.forward;
    backward += part.backward;
    bad = part.bad < bad ? part.bad : bad;
    qn_progress_add(PART_EDGES * gapbs->edge_bytes);
    if (failed) {
#pragma omp critical(gapbs_failure)
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
  uint64_t at = HEADER_BYTES + 8 * (gapbs->num_vertices + 1) + bad * gapbs->edge_bytes;
  return fail_at(gapbs, at, error,
                 "edge %" PRIu64 " leads to vertex %" PRId32 ", but there are %" PRIu64 " vertices",
                 bad, (int32_t)load_u32(gapbs->neighbors + bad * gapbs->edge_bytes),
                 gapbs->num_vertices);
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status read_content(const struct gapbs *gapbs, const struct qn_read_options *options,
                                   struct qn_edge_list *list, uint64_t *sequence,
                                   struct qn_read_result *result, struct qn_error *error) {
  struct qn_declared_size size = {
      .file = gapbs->file, .num_vertices = gapbs->num_vertices, .num_edges = gapbs->num_edges};
  bool symmetric = false;
  enum qn_status status = qn_declare_from_zero(&size, options, result, error);
  if (!status)
    status = check_offsets(gapbs, error);
  if (!status)
    status = push_edges(gapbs, list, sequence, &symmetric, error);
  if (status)
    return status;
  result->ledger.records += gapbs->num_edges;
  result->ledger.edges_read += gapbs->num_edges;
  result->already_symmetric = !gapbs->directed;
  if (!gapbs->directed && !symmetric)
    return fail_at(gapbs, 0, error,
                   "the file says that it is undirected, but some edge lacks its reverse");
  return QN_OK;
}

static enum qn_status read_gapbs(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct gapbs gapbs = {.file = qn_input_name(input),
                        .drop_weights = options->weights == QN_WEIGHTS_NONE};
  struct qn_whole_input whole;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  status = parse_header(&whole, &gapbs, error);
  if (!status) {
    snprintf(result->description, sizeof result->description,
             "%s, %" PRIu64 " vertices, %" PRIu64 " edges%s",
             gapbs.directed ? "directed" : "undirected", gapbs.num_vertices, gapbs.num_edges,
             gapbs.edge_bytes == 8 ? ", weights" : "");
    status = read_content(&gapbs, options, list, sequence, result, error);
  }
  qn_whole_input_release(&whole);
  return status;
}

/* There is no signature; but a text does not begin with 0 or 1, and sizes and the first offsets
 * must make sense. */
static int detect_gapbs(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  if (bytes < HEADER_BYTES + 8 || (unsigned char)head[0] > 1)
    return 0;
  uint64_t num_edges = load_u64(head + 1), num_vertices = load_u64(head + 9), before = 0;
  if (num_edges >> 48 || num_vertices > INT32_MAX)
    return 0;
  for (uint64_t v = 0; v <= num_vertices && HEADER_BYTES + 8 * (v + 1) <= bytes; v++) {
    uint64_t offset = load_u64(head + HEADER_BYTES + 8 * v);
    if (offset < before || offset > num_edges || (v == 0 && offset != 0))
      return 0;
    before = offset;
  }
  return 3;
}

const struct qn_reader qn_reader_gapbs = {
    .name = "gapbs",
    .description = "Serialized graphs of the GAP Benchmark Suite (.sg, .wsg)",
    .detect = detect_gapbs,
    .read = read_gapbs,
};
