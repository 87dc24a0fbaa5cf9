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
#include <stdio.h>

#include "converters/arrays/binary_rows.h"
#include "converters/parse/declared_size.h"
#include "support/checked.h"
#include "support/input/whole_input.h"

enum { HEADER_BYTES = 17 };

struct header {
  bool directed;
  uint64_t num_edges, num_vertices;
};

/* The length of a file with neighbours of `edge_bytes`; false if it overflows. */
static bool file_bytes(const struct header *header, unsigned edge_bytes, uint64_t *bytes) {
  uint64_t offsets, neighbors;
  return qn_add_u64(header->num_vertices, 1, &offsets) && qn_mul_u64(offsets, 8, &offsets) &&
         qn_mul_u64(header->num_edges, edge_bytes, &neighbors) &&
         qn_add_u64(offsets, neighbors, bytes) &&
         qn_mul_u64(*bytes, header->directed ? 2 : 1, bytes) &&
         qn_add_u64(*bytes, HEADER_BYTES, bytes);
}

/* Would the file be one with its bytes in the other order? */
static bool is_big_endian(const struct header *header, uint64_t bytes) {
  struct header swapped = {header->directed, __builtin_bswap64(header->num_edges),
                           __builtin_bswap64(header->num_vertices)};
  uint64_t plain, weighted;
  return file_bytes(&swapped, 4, &plain) && file_bytes(&swapped, 8, &weighted) &&
         (bytes == plain || bytes == weighted);
}

/* Find the header and, by the file's length, the rows. */
static enum qn_status place_rows(const struct qn_whole_input *whole, struct header *header,
                                 struct qn_binary_rows *rows, struct qn_error *error) {
  uint64_t plain, weighted;
  if (whole->bytes < HEADER_BYTES)
    return qn_binary_fail(rows->file, whole->bytes, error,
                          "the file ends in the header of %d bytes", HEADER_BYTES);
  if ((unsigned char)whole->data[0] > 1)
    return qn_binary_fail(rows->file, 0, error, "expected 0 or 1 (directed); found %u",
                          (unsigned char)whole->data[0]);
  *header = (struct header){whole->data[0], qn_binary_u64(whole->data + 1),
                            qn_binary_u64(whole->data + 9)};
  if (is_big_endian(header, whole->bytes) && header->num_vertices > whole->bytes)
    return qn_binary_fail(rows->file, 1, error,
                          "the file is big-endian; graphs of GAPBS are read in little-endian only");
  if (!file_bytes(header, 4, &plain) || !file_bytes(header, 8, &weighted) ||
      (whole->bytes != plain && whole->bytes != weighted))
    return qn_binary_fail(rows->file, 1, error,
                          "%" PRIu64 " edges and %" PRIu64 " vertices make no file of %" PRIu64
                          " bytes, with weights or without",
                          header->num_edges, header->num_vertices, whole->bytes);
  rows->begin = whole->data;
  rows->num_vertices = header->num_vertices;
  rows->num_edges = header->num_edges;
  rows->offsets = whole->data + HEADER_BYTES;
  rows->neighbors = rows->offsets + 8 * (header->num_vertices + 1);
  rows->neighbor_bytes = 4;
  rows->neighbor_stride = whole->bytes == plain ? 4 : 8;
  if (whole->bytes != plain) {
    rows->weights = rows->neighbors + 4;
    rows->weight_stride = 8;
    rows->signed_weights = true;
  }
  return QN_OK;
}

static enum qn_status read_rows(const struct header *header, struct qn_binary_rows *rows,
                                const struct qn_read_options *options, struct qn_edge_list *list,
                                uint64_t *sequence, struct qn_read_result *result,
                                struct qn_error *error) {
  struct qn_declared_size size = {
      .file = rows->file, .num_vertices = rows->num_vertices, .num_edges = rows->num_edges};
  bool symmetric = false;
  snprintf(result->description, sizeof result->description,
           "%s, %" PRIu64 " vertices, %" PRIu64 " edges%s",
           header->directed ? "directed" : "undirected", rows->num_vertices, rows->num_edges,
           rows->weights ? ", weights" : "");
  if (options->weights == QN_WEIGHTS_NONE)
    rows->weights = NULL;
  enum qn_status status = qn_declare_from_zero(&size, options, result, error);
  if (!status)
    status = qn_binary_rows_read(rows, list, sequence, result, header->directed ? NULL : &symmetric,
                                 error);
  if (status)
    return status;
  result->already_symmetric = !header->directed;
  if (!header->directed && !symmetric)
    return qn_binary_fail(rows->file, 0, error,
                          "the file says that it is undirected, but some edge lacks its reverse");
  return QN_OK;
}

static enum qn_status read_gapbs(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct qn_binary_rows rows = {.file = qn_input_name(input)};
  struct qn_whole_input whole;
  struct header header = {0};
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  rows.stay = qn_input_stays(input);
  status = place_rows(&whole, &header, &rows, error);
  if (!status)
    status = read_rows(&header, &rows, options, list, sequence, result, error);
  qn_whole_input_release(&whole);
  return status;
}

/* There is no signature; but a text does not begin with 0 or 1, and sizes and the first offsets
 * must make sense. */
static int detect_gapbs(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  if (bytes < HEADER_BYTES + 8 || (unsigned char)head[0] > 1)
    return 0;
  uint64_t num_edges = qn_binary_u64(head + 1), num_vertices = qn_binary_u64(head + 9), before = 0;
  if (num_edges >> 48 || num_vertices > INT32_MAX)
    return 0;
  for (uint64_t v = 0; v <= num_vertices && HEADER_BYTES + 8 * (v + 1) <= bytes; v++) {
    uint64_t offset = qn_binary_u64(head + HEADER_BYTES + 8 * v);
    if (offset < before || offset > num_edges || (v == 0 && offset != 0))
      return 0;
    before = offset;
  }
  return 3;
}

static uint64_t estimate_gapbs(const struct qn_read_options *options, const char *head,
                               uint64_t bytes, uint64_t file_bytes) {
  (void)options;
  uint64_t num_edges = bytes < HEADER_BYTES ? 0 : qn_binary_u64(head + 1);
  return num_edges < file_bytes / 4 ? num_edges : file_bytes / 4;
}

const struct qn_reader qn_reader_gapbs = {
    .name = "gapbs",
    .detect = detect_gapbs,
    .estimate = estimate_gapbs,
    .read = read_gapbs,
};
