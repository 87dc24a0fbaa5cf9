/* Rows of layouts that have to decode them, as algorithms on triangles walk them (orientation.h):
 * band by band, so that memory is for the rows of one. */
#pragma once

#include "kernels/cpu/triangles/orientation.h"

/* What a layout does for that. `rows` are those of a direction. */
struct qn_decoder {
  /* A band that has `vertex` may end before the vertex that this returns. */
  uint64_t (*band_end)(const void *rows, uint64_t vertex);
  /* The edges of all rows before `vertex`, where a band begins or ends. */
  uint64_t (*edges_before)(const void *rows, uint64_t vertex);
  /* The rows [begin, end), which are a band of `num_edges`: `offsets` [end - begin + 1], zero but
   * for what the last band left there, become where they begin in `columns`. No more than that is
   * written whatever the file has become, and if it is another, false may be returned. */
  bool (*decode)(const void *rows, uint64_t begin, uint64_t end, uint64_t num_edges,
                 uint64_t *offsets, uint32_t *columns);
};

/* Of a layout that ends bands in both directions alike. `in` is NULL where one direction will do,
 * or there is one alone, of whichever. Owned until destroyed. */
enum qn_status qn_orientation_of_decoded(const struct qn_decoder *decoder, uint64_t num_vertices,
                                         const void *out, const void *in, bool is_directed,
                                         bool wants_ways, struct qn_orientation *orientation,
                                         struct qn_error *error);
