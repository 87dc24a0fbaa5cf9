/* Keeping units that have come to the device in its cache. */
#pragma once

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Launch the copies of those of `count` entries on the device that are to be kept, each to its
 * slot, which is aligned. */
enum qn_status qn_unit_keep(const struct qn_unit_entry *entries, uint32_t count,
                            cudaStream_t stream, struct qn_error *error);

#ifdef __cplusplus
}
#endif
