/* Arrays of qn_alloc that grow. */
#pragma once

#include "support/memory.h"

#define QN_LEAST_CAPACITY 16

/* Room for `count` in an array that has room for `*capacity`: where it must grow, by as much again
 * at least. Both are unchanged on failure. */
static inline enum qn_status qn_reserve(void *inout, uint64_t *capacity, uint64_t count,
                                        uint64_t size, const char *what, struct qn_error *error) {
  const uint64_t doubled = *capacity < UINT64_MAX / 2 ? 2 * *capacity : UINT64_MAX;
  uint64_t larger = count > doubled ? count : doubled;
  if (count <= *capacity)
    return QN_OK;
  larger = larger > QN_LEAST_CAPACITY ? larger : QN_LEAST_CAPACITY;
  enum qn_status status = qn_realloc(inout, larger, size, what, error);
  *capacity = status ? *capacity : larger;
  return status;
}
