#include "kernels/cuda/stream/rates.cuh"

#include <string.h>

#include "kernels/cuda/device/launch.cuh"
#include "support/threads.h"

#define MEASURED_COPIES 16
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
  double seconds = 0;
  memset(stage, 0, plan->batch_bytes);
  cudaError_t result = seconds_of(
      MEASURED_COPIES, stream,
      [&] {
        return cudaMemcpyAsync(buffer, stage, plan->batch_bytes, cudaMemcpyHostToDevice, stream);
      },
      &seconds);
  plan->copy_rate = (double)plan->batch_bytes / (seconds + 1e-9);
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
