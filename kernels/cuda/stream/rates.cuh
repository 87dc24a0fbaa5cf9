/* The rates by which a plan's cost is explained. */
#ifndef QN_KERNELS_CUDA_STREAM_RATES_CUH
#define QN_KERNELS_CUDA_STREAM_RATES_CUH

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Measure plan->copy_rate, copies of whole batches from pinned memory back to back, and
 * plan->call_seconds. `buffer` (device) and `stage` (pinned) have plan->batch_bytes. */
enum qn_status qn_unit_measure(struct qn_stream_plan *plan, void *buffer, void *stage,
                               cudaStream_t stream, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
