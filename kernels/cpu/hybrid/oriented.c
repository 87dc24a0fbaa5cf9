#include "kernels/cpu/hybrid/oriented.h"

#include "support/memory.h"
#include <quern/hybrid.h>

/* Where the COO entries of every row begin, [V + 1]: of a checked matrix, within its entries
 * whatever became of the file since. */
static enum qn_status find_rest(const struct qn_hybrid_matrix *matrix, uint64_t **offsets,
                                struct qn_error *error) {
  const uint64_t num_vertices = matrix->num_vertices, num_coo = matrix->num_coo;
  enum qn_status status =
      qn_pages_alloc(offsets, num_vertices + 1, sizeof **offsets, "rows of COO entries", error);
  if (status)
    return status;
  uint64_t entry = 0;
  for (uint64_t v = 0; v < num_vertices; v++) {
    (*offsets)[v] = entry;
    while (entry < num_coo && matrix->coo_rows[entry] == v)
      entry++;
  }
  (*offsets)[num_vertices] = entry;
  return QN_OK;
}

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
  enum qn_status status = find_rest(first, &offsets[0], error);
  if (!status && has_both)
    status = find_rest(&hybrid->in, &offsets[1], error);
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
