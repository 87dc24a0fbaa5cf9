#include "kernels/cpu/hybrid/oriented.h"

#include "kernels/work_division/hybrid_rest.h"
#include "support/memory.h"
#include <quern/hybrid.h>

static struct qn_row_parts parts_of(const struct qn_hybrid_matrix *matrix,
                                    const uint64_t *offsets) {
  return (struct qn_row_parts){.offsets = offsets,
                               .columns = matrix->coo_columns,
                               .ell = matrix->ell_columns,
                               .pitch = matrix->pitch,
                               .width = matrix->width};
}

enum qn_status qn_hybrid_orient(const void *view, bool wants_ways, struct qn_orientation *edges,
                                struct qn_error *error) {
  const struct qn_hybrid *hybrid = view;
  const bool is_directed = hybrid->directedness != QN_UNDIRECTED;
  const bool has_both = is_directed && hybrid->has_in && hybrid->has_out;
  const struct qn_hybrid_matrix *first = hybrid->has_out ? &hybrid->out : &hybrid->in;
  uint64_t *offsets[2] = {NULL, NULL};
  enum qn_status status = qn_hybrid_rest_offsets(
      first, hybrid->has_out ? hybrid->out_degrees : NULL, &offsets[0], error);
  if (!status && has_both)
    status = qn_hybrid_rest_offsets(&hybrid->in, NULL, &offsets[1], error);
  if (!status) {
    const struct qn_row_parts out = parts_of(first, offsets[0]),
                              in = parts_of(&hybrid->in, offsets[1]);
    status = qn_orientation_of_rows(hybrid->num_vertices, &out, has_both ? &in : NULL, is_directed,
                                    wants_ways, edges, error);
  }
  qn_pages_free(offsets[0], hybrid->num_vertices + 1, sizeof *offsets[0]);
  qn_pages_free(offsets[1], hybrid->num_vertices + 1, sizeof *offsets[1]);
  return status;
}
