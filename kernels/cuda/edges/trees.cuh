/* Trees of vertices that are known to be connected, which all threads join at the same time
 * (own/cc_sampled.cuh says how they stay sound): parent[v] <= v, so a root is the smallest of its
 * tree. */
#pragma once

#include "kernels/cuda/device/block.cuh"

namespace {

/* The root of a vertex, or what was it a moment ago; halves the path to it. */
QN_DEVICE_INLINE uint32_t find_root(uint32_t *parent, uint32_t vertex) {
  uint32_t above = parent[vertex];
  if (above == vertex)
    return vertex;
  for (uint32_t next; (next = parent[above]) < above; above = next) {
    parent[vertex] = next;
    vertex = above;
  }
  return above;
}

/* Join the trees of `a` and `b`: hang the larger root below the smaller. */
QN_DEVICE_INLINE void join(uint32_t *parent, uint32_t a, uint32_t b) {
  uint32_t p = find_root(parent, a), q = find_root(parent, b);
  while (p != q) {
    const uint32_t high = p > q ? p : q, low = p > q ? q : p;
    const uint32_t found = atomicCAS(&parent[high], high, low);
    if (found == high)
      return;
    p = find_root(parent, found);
    q = low;
  }
}

} /* namespace */
