/* What neighbour sampling finds (QN_KERNEL_FANOUTS), the same on every device. */
#pragma once

#include <stdint.h>

#include "support/random.h"
#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_sample {
  uint64_t num_nodes, node_capacity;
  uint32_t *nodes; /* [num_nodes] positions in original order: the sources, then hop by hop */
  uint64_t num_edges, edge_capacity;
  uint32_t *from, *to; /* [num_edges] places in `nodes`: the neighbour, and whose it is */
  uint32_t num_hops;
  uint64_t *node_ends; /* [num_hops + 1] nodes after so many hops */
  uint64_t *edge_ends; /* [num_hops + 1] edges after so many hops */
};

/* One without nodes and edges. */
enum qn_status qn_sample_create(uint32_t num_hops, struct qn_sample **sample,
                                struct qn_error *error);
/* NULL is allowed. */
void qn_sample_destroy(struct qn_sample *sample);

/* Room for so many in all. */
enum qn_status qn_sample_reserve_nodes(struct qn_sample *sample, uint64_t count,
                                       struct qn_error *error);
enum qn_status qn_sample_reserve_edges(struct qn_sample *sample, uint64_t count,
                                       struct qn_error *error);

/* The key of a hop, of which qn_random_at(key, position) is that of a vertex. */
QN_INLINE uint64_t qn_sample_key(uint64_t seed, uint64_t hop) {
  return qn_random_key(seed, 0x5E3D + hop);
}

#ifdef __cplusplus
}
#endif
