/* NumPy arrays of two rows or two columns: the ends of edges. */
#pragma once

#include "converters/parse/reader.h"
#include "formats/arrays/npy_array.h"

/* Of all edges those that correspond to the bytes [begin, end) of `whole`. */
struct qn_edge_part {
  uint64_t begin, end, whole;
};

static inline uint64_t qn_edge_part_at(uint64_t at, uint64_t whole, uint64_t num_edges) {
  return at >= whole ? num_edges : (uint64_t)((unsigned __int128)num_edges * at / whole);
}

static inline uint64_t qn_edge_part_begin(const struct qn_edge_part *part, uint64_t num_edges) {
  return qn_edge_part_at(part->begin, part->whole, num_edges);
}

static inline uint64_t qn_edge_part_end(const struct qn_edge_part *part, uint64_t num_edges) {
  return qn_edge_part_at(part->end, part->whole, num_edges);
}

/* Push all edges of `npy`, an array of 2 x m (sources, then destinations) or m x 2 whole numbers; 2
 * x 2 is taken for two rows. `weights`, if it is not NULL, has a number for each. Of these edges
 * only those of `part`, unless that is NULL. Counts and describes them in `result`. QN_INVALID for
 * other arrays and negative ids. */
enum qn_status qn_edge_array_read(const struct qn_npy *npy, const struct qn_number_array *weights,
                                  const struct qn_edge_part *part, const char *file,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error);
