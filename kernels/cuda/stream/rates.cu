#include "kernels/cuda/stream/rates.cuh"

#include <string.h>

#include "kernels/cuda/device/launch.cuh"
#include "support/threads.h"

/* What is copied in a round: little says how long a copy takes to begin, not at what rate batches
 * follow each other. Rounds whose best counts: in the first the bus may still be waking up. */
#define MEASURED_BYTES ((uint64_t)1 << 28)
#define LEAST_COPIES 16
#define MOST_COPIES 512
#define ROUNDS 3
#define MEASURED_CALLS 256

__global__ void do_nothing(void) {}

/* Seconds of each of `count` calls, after one that warms up. */
template <class Call>
static cudaError_t seconds_of(int count, cudaStream_t stream, Call call, double *seconds) {
  cudaError_t result = call();
  if (result == cudaSuccess)
    result = cudaStreamSynchronize(stream);
  const double begin = qn_seconds();
  for (int i = 0; i < count && result == cudaSuccess; i++)
    result = call();
  if (result == cudaSuccess)
    result = cudaStreamSynchronize(stream);
  *seconds = (qn_seconds() - begin) / count;
  return result;
}

enum qn_status qn_unit_measure(struct qn_stream_plan *plan, void *buffer, void *stage,
                               cudaStream_t stream, struct qn_error *error) {
  const uint64_t wanted = MEASURED_BYTES / (plan->batch_bytes + !plan->batch_bytes);
  const int copies = wanted < LEAST_COPIES  ? LEAST_COPIES
                     : wanted > MOST_COPIES ? MOST_COPIES
                                            : (int)wanted;
  cudaError_t result = cudaSuccess;
  memset(stage, 0, plan->batch_bytes);
  plan->copy_rate = 0;
  for (int round = 0; round < ROUNDS && result == cudaSuccess; round++) {
    double seconds = 0;
    result = seconds_of(
        copies, stream,
        [&] {
          return cudaMemcpyAsync(buffer, stage, plan->batch_bytes, cudaMemcpyHostToDevice, stream);
        },
        &seconds);
    const double rate = (double)plan->batch_bytes / (seconds + 1e-9);
    plan->copy_rate = rate > plan->copy_rate ? rate : plan->copy_rate;
  }
  if (result == cudaSuccess)
    result = seconds_of(
        MEASURED_CALLS, stream,
        [&] {
          QN_LAUNCH(do_nothing, 1, 32, 0, stream);
          return cudaGetLastError();
        },
        &plan->call_seconds);
  return qn_cuda_status(result, "measuring the device's rates", error);
}
