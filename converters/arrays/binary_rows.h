/* Compressed sparse rows as binary formats keep them: little-endian, at any alignment. */
#pragma once

#include "converters/parse/reader.h"
#include "formats/arrays/number_array.h"

/* Where a file holds its rows. All arrays have been checked to lie in the file. */
struct qn_binary_rows {
  const char *file;  /* its name, for messages */
  const char *begin; /* its first byte */
  uint64_t num_vertices, num_edges;
  const char *offsets; /* u64[num_vertices + 1], or without the first, which is 0, if ends_only */
  bool ends_only;
  const char *neighbors;    /* of edge e at neighbors + e * neighbor_stride */
  unsigned neighbor_bytes;  /* 4 or 8 */
  unsigned neighbor_stride; /* bytes */
  const char *weights;      /* the same, u32 or i32 each; NULL: none, or not wanted */
  unsigned weight_stride;
  bool signed_weights; /* then negative ones make them i64 */
  bool stay;           /* all of it is there until the input is closed */
};

/* Check the offsets and push all edges into `list`; counts them in `result`. `symmetric`, unless it
 * is NULL, receives whether each edge has its reverse, by fingerprint. QN_INVALID with the offset
 * of the first fault. */
enum qn_status qn_binary_rows_read(const struct qn_binary_rows *rows, struct qn_edge_list *list,
                                   uint64_t *sequence, struct qn_read_result *result,
                                   bool *symmetric, struct qn_error *error);

static inline uint64_t qn_binary_u64(const char *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static inline uint32_t qn_binary_u32(const char *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}
