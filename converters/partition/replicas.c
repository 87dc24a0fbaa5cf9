#include "converters/partition/replicas.h"

#include "support/checked.h"
#include "support/memory.h"

static uint64_t stride_of(uint64_t num_parts) {
  const uint64_t bytes = (num_parts + 7) / 8;
  if (bytes > 4)
    return (bytes + 7) / 8 * 8;
  return bytes == 3 ? 4 : bytes;
}

uint64_t qn_replicas_bytes(uint64_t num_vertices, uint64_t num_parts) {
  uint64_t bytes;
  return qn_mul_u64(num_vertices, stride_of(num_parts), &bytes) ? bytes : UINT64_MAX;
}

enum qn_status qn_replicas_create(uint64_t num_vertices, uint64_t num_parts,
                                  struct qn_replicas *replicas, struct qn_error *error) {
  *replicas = (struct qn_replicas){.num_vertices = num_vertices,
                                   .num_parts = num_parts,
                                   .stride = (unsigned)stride_of(num_parts)};
  return qn_pages_alloc(&replicas->bits, num_vertices, replicas->stride, "the parts of vertices",
                        error);
}

void qn_replicas_destroy(struct qn_replicas *replicas) {
  qn_pages_free(replicas->bits, replicas->num_vertices, replicas->stride);
  *replicas = (struct qn_replicas){0};
}
