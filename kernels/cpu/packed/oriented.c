#include "kernels/cpu/packed/oriented.h"

#include "kernels/cpu/triangles/decoded.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/packed.h>

/* Rows in one direction, with a place for a tile of each thread. */
struct decoded_rows {
  const struct qn_packed_rows *packed;
  struct qn_packed_tile *tiles;
};

/* Tiles lie within a range of rows. */
static uint64_t band_end(const void *rows, uint64_t vertex) {
  (void)rows;
  return vertex - vertex % QN_PACKED_RANGE + QN_PACKED_RANGE;
}

static uint64_t edges_before(const void *rows, uint64_t vertex) {
  const struct qn_packed_rows *packed = ((const struct decoded_rows *)rows)->packed;
  return packed->tile_edges[qn_packed_find(packed, vertex)];
}

static bool decode(const void *rows, uint64_t begin, uint64_t end, uint64_t num_edges,
                   uint64_t *offsets, uint32_t *columns) {
  const struct decoded_rows *decoded = rows;
  (void)num_edges;
  return qn_packed_unpack_between(decoded->packed, begin, end, offsets, columns, NULL,
                                  decoded->tiles);
}

static const struct qn_decoder decoder = {band_end, edges_before, decode};

enum qn_status qn_packed_orient(const void *view, bool wants_ways,
                                struct qn_orientation *orientation, struct qn_error *error) {
  const struct qn_packed *packed = view;
  struct decoded_rows out = {.packed = packed->has_out ? &packed->out : &packed->in},
                      in = {.packed = &packed->in};
  enum qn_status status = qn_alloc(&out.tiles, qn_threads(), sizeof *out.tiles, "tiles", error);
  in.tiles = out.tiles;
  if (!status)
    status = qn_orientation_of_decoded(
        &decoder, packed->num_vertices, &out, packed->has_in && packed->has_out ? &in : NULL,
        packed->directedness != QN_UNDIRECTED, wants_ways, orientation, error);
  qn_free(out.tiles);
  return status;
}
