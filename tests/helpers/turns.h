/* Who runs when: the emulator takes its time. */
#pragma once

#include <stdbool.h>

#include "kernels/registry.h"

/* Programs that walk every edge in every iteration differ in their arithmetic alone: of these each
 * round, which is a graph, runs every third, by turns, where they are many. */
static inline bool has_its_turn(const struct qn_kernel *kernel, unsigned round) {
  unsigned place = 0;
  if (!(kernel->traits & QN_KERNEL_ALL_ACTIVE) || kernel->layout != QN_LAYOUT_GRAPH)
    return true;
  for (const struct qn_kernel *const *other = qn_kernels(); *other != kernel; other++)
    place += (*other)->layout == kernel->layout && (*other)->traits & QN_KERNEL_ALL_ACTIVE;
  return (place + round) % 3 == 0;
}
