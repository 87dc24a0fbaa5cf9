/* In-edges in equal tiles, and what their sums go to, for pulls of plain CSR. */
#pragma once

#include "kernels/cuda/edges/edge_tiles.cuh"

namespace {

struct pull_layout {
  struct edge_tiles tiles;     /* of the in-edges */
  tile_partial *sums;          /* [V] the identity, always, where there are no in-edges */
  const uint64_t *out_offsets; /* [V + 1] if the program looks at out-degrees */
};

QN_DEVICE_INLINE uint64_t pull_layout_out_degree(const struct pull_layout &layout,
                                                 uint32_t vertex) {
  return layout.out_offsets[vertex + 1] - layout.out_offsets[vertex];
}

} /* namespace */
