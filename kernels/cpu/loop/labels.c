#include "kernels/cpu/loop/labels.h"

#include <stdbool.h>

#include "support/memory.h"

static void take_least(uint32_t *least, uint32_t position) {
  uint32_t seen = __atomic_load_n(least, __ATOMIC_RELAXED);
  while (position < seen && !__atomic_compare_exchange_n(least, &seen, position, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

enum qn_status qn_label_by_position(uint32_t *labels, uint64_t num_vertices,
                                    const uint32_t *positions, struct qn_error *error) {
  uint32_t *first;
  enum qn_status status =
      qn_pages_alloc(&first, num_vertices, sizeof *first, "first positions", error);
  if (status)
    return status;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      first[v] = UINT32_MAX;
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      take_least(&first[labels[v]], positions ? positions[v] : (uint32_t)v);
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      labels[v] = first[labels[v]];
  }
  qn_pages_free(first, num_vertices, sizeof *first);
  return QN_OK;
}
