/* Galois graphs (.gr; FileGraph of the Galois system). Little-endian:
 *
 *   u64  version                  1 or 2
 *   u64  bytes of an edge's data  0, or 4: weights, read as u32
 *   u64  num_nodes
 *   u64  num_edges
 *   u64  ends[num_nodes]          where the edges of every node end
 *   u32  destinations[num_edges]  u64 in version 2
 *   padding to a multiple of 8    before data; without data it may lack
 *   u32  data[num_edges]
 *
 * Its own readers disagree on where data begin in version 2 if the number of edges is odd: such
 * files are refused. Vertices are 0 to num_nodes - 1. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/arrays/binary_rows.h"
#include "converters/parse/declared_size.h"
#include "support/checked.h"
#include "support/input/whole_input.h"

enum { HEADER_BYTES = 32 };

struct header {
  uint64_t version, data_bytes, num_vertices, num_edges;
};

static struct header load_header(const char *bytes) {
  return (struct header){qn_binary_u64(bytes), qn_binary_u64(bytes + 8), qn_binary_u64(bytes + 16),
                         qn_binary_u64(bytes + 24)};
}

/* Where destinations begin and end, where data begin and end; false if that overflows. */
struct places {
  uint64_t destinations, destinations_end, data, end;
};

static bool find_places(const struct header *header, struct places *places) {
  uint64_t nodes, destinations, data;
  return qn_mul_u64(header->num_vertices, 8, &nodes) &&
         qn_mul_u64(header->num_edges, header->version == 1 ? 4 : 8, &destinations) &&
         qn_mul_u64(header->num_edges, header->data_bytes, &data) &&
         qn_add_u64(nodes, HEADER_BYTES, &places->destinations) &&
         qn_add_u64(places->destinations, destinations, &places->destinations_end) &&
         qn_align_u64(places->destinations_end, 3, &places->data) &&
         qn_add_u64(places->data, data, &places->end);
}

static enum qn_status check_header(const struct header *header, const char *file,
                                   struct qn_error *error) {
  uint64_t swapped = __builtin_bswap64(header->version);
  if (swapped == 1 || swapped == 2)
    return qn_binary_fail(file, 0, error,
                          "the file is big-endian; Galois graphs are read in little-endian only");
  if (header->version != 1 && header->version != 2)
    return qn_binary_fail(file, 0, error, "version %" PRIu64 " of Galois graphs is unknown",
                          header->version);
  if (header->data_bytes != 0 && header->data_bytes != 4)
    return qn_binary_fail(file, 8, error,
                          "edge data of %" PRIu64 " bytes; only weights of 4 bytes are known",
                          header->data_bytes);
  if (header->version == 2 && header->data_bytes && header->num_edges % 2)
    return qn_binary_fail(file, 24, error,
                          "in version 2 with an odd number of edges (%" PRIu64 ") it is not clear "
                          "where edge data begin: Galois' own readers disagree",
                          header->num_edges);
  return QN_OK;
}

static enum qn_status place_rows(const struct qn_whole_input *whole, struct qn_binary_rows *rows,
                                 struct qn_error *error) {
  struct places places;
  if (whole->bytes < HEADER_BYTES)
    return qn_binary_fail(rows->file, whole->bytes, error,
                          "the file ends in the header of %d bytes", HEADER_BYTES);
  struct header header = load_header(whole->data);
  enum qn_status status = check_header(&header, rows->file, error);
  if (status)
    return status;
  if (!find_places(&header, &places) ||
      (whole->bytes != places.end &&
       (header.data_bytes || whole->bytes != places.destinations_end)))
    return qn_binary_fail(rows->file, 16, error,
                          "%" PRIu64 " nodes and %" PRIu64 " edges make no file of %" PRIu64
                          " bytes",
                          header.num_vertices, header.num_edges, whole->bytes);
  *rows = (struct qn_binary_rows){.file = rows->file,
                                  .stay = rows->stay,
                                  .begin = whole->data,
                                  .num_vertices = header.num_vertices,
                                  .num_edges = header.num_edges,
                                  .offsets = whole->data + HEADER_BYTES,
                                  .ends_only = true,
                                  .neighbors = whole->data + places.destinations,
                                  .neighbor_bytes = header.version == 1 ? 4 : 8,
                                  .neighbor_stride = header.version == 1 ? 4 : 8,
                                  .weights = header.data_bytes ? whole->data + places.data : NULL,
                                  .weight_stride = 4};
  return QN_OK;
}

static enum qn_status read_rows(struct qn_binary_rows *rows, const struct qn_read_options *options,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  struct qn_declared_size size = {
      .file = rows->file, .num_vertices = rows->num_vertices, .num_edges = rows->num_edges};
  snprintf(result->description, sizeof result->description,
           "version %u, %" PRIu64 " vertices, %" PRIu64 " edges%s",
           rows->neighbor_bytes == 4 ? 1u : 2u, rows->num_vertices, rows->num_edges,
           rows->weights ? ", weights" : "");
  if (options->weights == QN_WEIGHTS_NONE)
    rows->weights = NULL;
  enum qn_status status = qn_declare_from_zero(&size, options, result, error);
  if (!status)
    status = qn_binary_rows_read(rows, list, sequence, result, NULL, error);
  return status;
}

static enum qn_status read_galois(struct qn_input *input, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct qn_binary_rows rows = {.file = qn_input_name(input)};
  struct qn_whole_input whole;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  rows.stay = qn_input_stays(input);
  status = place_rows(&whole, &rows, error);
  if (!status)
    status = read_rows(&rows, options, list, sequence, result, error);
  qn_whole_input_release(&whole);
  return status;
}

/* There is no signature; but no text begins with seven NULs after its first byte, and the first
 * ends must make sense. */
static int detect_galois(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  if (bytes < HEADER_BYTES)
    return 0;
  struct header header = load_header(head);
  if (header.version < 1 || header.version > 2 || header.data_bytes > 64 ||
      (header.num_vertices == 0 && bytes != HEADER_BYTES)) /* that may be one of GAPBS */
    return 0;
  uint64_t before = 0;
  for (uint64_t v = 0; v < header.num_vertices && HEADER_BYTES + 8 * (v + 1) <= bytes; v++) {
    uint64_t end = qn_binary_u64(head + HEADER_BYTES + 8 * v);
    if (end < before || end > header.num_edges)
      return 0;
    before = end;
  }
  return 3;
}

static uint64_t estimate_galois(const struct qn_read_options *options, const char *head,
                                uint64_t bytes, uint64_t file_bytes) {
  (void)options;
  uint64_t num_edges = bytes < HEADER_BYTES ? 0 : load_header(head).num_edges;
  return num_edges < file_bytes / 4 ? num_edges : file_bytes / 4;
}

const struct qn_reader qn_reader_galois = {
    .name = "galois",
    .detect = detect_galois,
    .estimate = estimate_galois,
    .read = read_galois,
};
