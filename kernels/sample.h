/* What neighbour sampling finds (QN_KERNEL_FANOUTS). */
#pragma once

#include <stdint.h>

struct qn_sample {
  uint64_t num_nodes, node_capacity;
  uint32_t *nodes; /* [num_nodes] positions in original order: the sources, then hop by hop */
  uint64_t num_edges, edge_capacity;
  uint32_t *from, *to; /* [num_edges] places in `nodes`: the neighbour, and whose it is */
  uint32_t num_hops;
  uint64_t *node_ends; /* [num_hops + 1] nodes after so many hops */
  uint64_t *edge_ends; /* [num_hops + 1] edges after so many hops */
};

/* NULL is allowed. */
void qn_sample_destroy(struct qn_sample *sample);
