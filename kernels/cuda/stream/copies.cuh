/* The transfer of a batch: copies from where its bytes lie on the host, all sent at once. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most copies of a batch. */
#ifndef QN_UNIT_COPIES
#define QN_UNIT_COPIES 512
#endif

struct qn_unit_copies {
  uint32_t count;
  bool from_stage[QN_UNIT_COPIES]; /* else from where the container is pinned */
  void *to[QN_UNIT_COPIES];
  const void *from[QN_UNIT_COPIES];
  size_t bytes[QN_UNIT_COPIES];
};

/* Put them into a stream. */
cudaError_t qn_unit_copies_send(const struct qn_unit_copies *copies, cudaStream_t stream);

/* How many bytes they take; *direct of them not from a stage. */
uint64_t qn_unit_copies_bytes(const struct qn_unit_copies *copies, uint64_t *direct);

#ifdef __cplusplus
}
#endif
