/* Trees of vertices that many threads join (components.h). Who has vertices of 64 bits says so by
 * QN_UNION_VERTEX.
 *
 * parent[v] <= v always holds, so a root is the smallest vertex of its tree. The outcome does not
 * depend on the order in which edges are joined. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/inline.h>

#ifndef QN_UNION_VERTEX
#define QN_UNION_VERTEX uint32_t
#endif
typedef QN_UNION_VERTEX union_vertex;

QN_INLINE union_vertex union_load(const union_vertex *parent, union_vertex vertex) {
  return __atomic_load_n(&parent[vertex], __ATOMIC_RELAXED);
}

/* A vertex that is no root hangs below `above` from now on, which is further up its path. */
QN_INLINE void union_shorten(union_vertex *parent, union_vertex vertex, union_vertex seen,
                             union_vertex above) {
  if (seen != vertex && seen != above)
    __atomic_store_n(&parent[vertex], above, __ATOMIC_RELAXED);
}

/* Join the trees of `a` and `b`: hang the larger root below the smaller. The paths of both become
 * short, or where edges come in any order they would be long. */
QN_INLINE void union_join(union_vertex *parent, union_vertex a, union_vertex b) {
  const union_vertex above_a = union_load(parent, a), above_b = union_load(parent, b);
  union_vertex p = above_a, q = above_b;
  while (p != q) {
    const union_vertex high = p > q ? p : q, low = p > q ? q : p;
    union_vertex expected = high;
    if (union_load(parent, high) == low ||
        __atomic_compare_exchange_n(&parent[high], &expected, low, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      p = low;
      break;
    }
    p = union_load(parent, union_load(parent, high));
    q = union_load(parent, low);
  }
  union_shorten(parent, a, above_a, p);
  union_shorten(parent, b, above_b, p);
}

QN_INLINE union_vertex union_root(const union_vertex *parent, union_vertex vertex) {
  for (union_vertex above = union_load(parent, vertex); above != vertex;
       above = union_load(parent, vertex))
    vertex = above;
  return vertex;
}

/* The vertices [begin, end) point at their roots. All threads. */
static inline void union_end(union_vertex *parent, uint64_t begin, uint64_t end) {
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = begin; v < end; v++)
    __atomic_store_n(&parent[v], union_root(parent, union_load(parent, (union_vertex)v)),
                     __ATOMIC_RELAXED);
}
