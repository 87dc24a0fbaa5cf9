/* A little of a device's memory, for what must be tried before it is relied on. */
#ifndef QN_KERNELS_CUDA_DEVICE_PROBE_H
#define QN_KERNELS_CUDA_DEVICE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the current device, with unspecified contents; NULL after a failure. */
enum qn_status qn_cuda_probe_create(void **bytes, uint64_t count, struct qn_error *error);
/* Has the device done what it was asked for in the default stream? */
enum qn_status qn_cuda_probe_ready(bool *ready, struct qn_error *error);
/* NULL is allowed. */
void qn_cuda_probe_destroy(void *bytes);

#ifdef __cplusplus
}
#endif
#endif
