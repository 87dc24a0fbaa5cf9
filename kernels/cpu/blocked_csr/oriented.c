#include "kernels/cpu/blocked_csr/oriented.h"

#include "kernels/cpu/triangles/decoded.h"
#include <quern/blocked_csr.h>

static uint64_t range_of(uint64_t vertex) {
  return (vertex + QN_RANGE_VERTICES - 1) / QN_RANGE_VERTICES;
}

static uint64_t band_end(const void *rows, uint64_t vertex) {
  (void)rows;
  return vertex - vertex % QN_RANGE_VERTICES + QN_RANGE_VERTICES;
}

static uint64_t edges_before(const void *rows, uint64_t vertex) {
  return qn_blocking_edges_before(rows, range_of(vertex));
}

static bool decode(const void *rows, uint64_t begin, uint64_t end, uint64_t num_edges,
                   uint64_t *offsets, uint32_t *columns) {
  return qn_blocking_unite_between(rows, range_of(begin), range_of(end), end - begin, num_edges,
                                   offsets, columns);
}

static const struct qn_decoder decoder = {band_end, edges_before, decode};

enum qn_status qn_blocked_csr_orient(const void *view, bool wants_ways,
                                     struct qn_orientation *edges, struct qn_error *error) {
  const struct qn_blocked_csr *blocked = view;
  const struct qn_blocking *in = blocked->has_pull ? &blocked->pull : NULL;
  return qn_orientation_of_decoded(
      &decoder, blocked->num_vertices, blocked->has_push ? &blocked->push : in,
      blocked->has_push ? in : NULL, blocked->directedness != QN_UNDIRECTED, wants_ways, edges,
      error);
}
