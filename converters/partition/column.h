/* Numbers of parts, one for each vertex or edge. */
#pragma once

#include <quern/inline.h>
#include <quern/properties.h>

/* Numbers of 1, 2 or 4 bytes. */
struct qn_part_column {
  void *values; /* [count] */
  uint64_t count;
  unsigned bytes;
};

/* Of the numbers 0 to K - 1. */
static inline unsigned qn_part_bytes(uint64_t num_parts) {
  return num_parts <= 256 ? 1 : num_parts <= 65536 ? 2 : 4;
}

static inline uint32_t qn_part_get(const struct qn_part_column *column, uint64_t i) {
  return column->bytes == 1   ? ((const uint8_t *)column->values)[i]
         : column->bytes == 2 ? ((const uint16_t *)column->values)[i]
                              : ((const uint32_t *)column->values)[i];
}

static inline void qn_part_set(const struct qn_part_column *column, uint64_t i, uint32_t part) {
  if (column->bytes == 1)
    ((uint8_t *)column->values)[i] = (uint8_t)part;
  else if (column->bytes == 2)
    ((uint16_t *)column->values)[i] = (uint16_t)part;
  else
    ((uint32_t *)column->values)[i] = part;
}

/* A number is about to be asked for: of no vertex or edge at all, maybe. */
QN_ALWAYS_INLINE void qn_part_prefetch(const struct qn_part_column *column, uint64_t i) {
  __builtin_prefetch((const char *)column->values + i * column->bytes);
}

/* Read the property `name` of a container as numbers of parts: of vertices, or if there is none
 * called so of edges. There are as many parts as its greatest value says. QN_USAGE if there is no
 * such property, QN_UNSUPPORTED if it has nulls, or other values than integers from 0 to the number
 * of vertices or edges. Owned until release, also after a failure. */
enum qn_status qn_part_column_read(const struct qn_container *container, const char *name,
                                   struct qn_part_column *parts, uint64_t *num_parts,
                                   bool *of_edges, struct qn_error *error);
/* A zeroed column is allowed. */
void qn_part_column_release(struct qn_part_column *parts);
