#include "kernels/cpu/shards/oriented.h"

#include <quern/shards.h>

static struct qn_row_parts parts_of(const struct qn_csr *csr) {
  return (struct qn_row_parts){.offsets = csr->row_offsets, .columns = csr->column_indices};
}

enum qn_status qn_shards_orient(const void *view, bool wants_ways, struct qn_orientation *edges,
                                struct qn_error *error) {
  const struct qn_shards *shards = view;
  const struct qn_row_parts out = parts_of(&shards->out), in = parts_of(&shards->in);
  return qn_orientation_of_rows(shards->num_vertices, &out, &in,
                                shards->directedness != QN_UNDIRECTED, wants_ways, edges, error);
}
