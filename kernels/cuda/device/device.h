/* Which CUDA device there is, and if there is none, why. In a build without CUDA it is absent.c
 * that answers, and says so; in the shared library it is the module (library/modules). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_cuda_device {
  int index;
  char name[256];
  int compute_major, compute_minor; /* capability */
  int multiprocessors;
  uint64_t total_bytes; /* device memory */
  uint64_t free_bytes;  /* when it was opened */
  uint64_t l2_bytes;
  uint64_t shared_bytes; /* of shared memory that a block can have */
};

/* How many devices there are. QN_DEVICE, with what is missing, if there is none that can be
 * used: no driver, a driver too old (with both versions), no device. */
enum qn_status qn_cuda_count(int *count, struct qn_error *error);

/* Make device `index` the calling thread's and describe it. QN_DEVICE if it doesn't exist, or this
 * build has no code for it. */
enum qn_status qn_cuda_open(int index, struct qn_cuda_device *device, struct qn_error *error);

/* The device memory that a run may use: what is free, capped by `cap` if that is not 0. */
static inline uint64_t qn_cuda_usable_bytes(const struct qn_cuda_device *device, uint64_t cap) {
  return cap && cap < device->free_bytes ? cap : device->free_bytes;
}

/* Of these, what may be planned with: where nothing is left free, some stays for the driver, which
 * takes memory in large pieces. */
static inline uint64_t qn_cuda_plannable_bytes(const struct qn_cuda_device *device, uint64_t cap) {
  const uint64_t usable = qn_cuda_usable_bytes(device, cap);
  return usable < device->free_bytes ? usable : usable - usable / 64;
}

#ifdef __cplusplus
}
#endif
