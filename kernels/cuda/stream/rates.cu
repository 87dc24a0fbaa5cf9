#include "kernels/cuda/stream/rates.cuh"

#include <math.h>
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
/* Of what is read: lines of each kind at most, and at least. */
#define MOST_LINES ((uint64_t)1 << 17)
#ifndef QN_LEAST_LINES
#define QN_LEAST_LINES ((uint64_t)1 << 13)
#endif
#define READ_COPIES 4
#define READ_ROUNDS 2 /* whose best count, which take half a millisecond each */
#define LINE_BYTES 128
#define LINE_WORDS 32
#define SECTOR_WORDS 8
#define READ_THREADS 256
#define READ_BLOCKS 512
#define READS_AT_ONCE 4

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

/* ---- Reading pinned memory ---------------------------------------------------------------- */

/* A warp a line, of which it takes so many words. */
__global__ void __launch_bounds__(READ_THREADS)
    read_lines(const uint32_t *lines, uint64_t num_lines, uint32_t words, uint32_t *sink) {
  const uint64_t warps = (uint64_t)gridDim.x * (READ_THREADS / 32);
  const uint32_t lane = threadIdx.x % 32;
  uint32_t sum = 0;
  for (uint64_t line = (uint64_t)blockIdx.x * (READ_THREADS / 32) + threadIdx.x / 32;
       line < num_lines; line += warps * READS_AT_ONCE) {
    uint32_t some[READS_AT_ONCE] = {0};
    QN_UNROLL
    for (int i = 0; i < READS_AT_ONCE; i++)
      if (line + i * warps < num_lines && lane < words)
        some[i] = __ldcs(&lines[(line + i * warps) * LINE_WORDS + lane]);
    QN_UNROLL
    for (int i = 0; i < READS_AT_ONCE; i++)
      sum += some[i];
  }
  if (sum == 1) /* nobody knows that it is not */
    *sink = sum;
}

/* The usual ones make 70 for a sector and 136 for a line. */
struct qn_read_costs qn_read_costs_of(double copies, double sectors, double lines) {
  const struct qn_read_costs usual = {48, 22};
  const double sector = copies / sectors, line = copies / lines;
  const double each = (line - sector) / (LINE_WORDS / SECTOR_WORDS - 1);
  if (!(sector > 0 && line < 10000 && each >= 1 && sector >= each))
    return usual;
  return {(uint32_t)(sector - each + 0.5), (uint32_t)(each + 0.5)};
}

/* A part of the lines, of each `words`. The one which warms up is not read again. */
static cudaError_t seconds_of_reading(const uint32_t *lines, unsigned part, uint64_t num_lines,
                                      uint32_t words, uint32_t *sink, cudaStream_t stream,
                                      double *seconds) {
  const uint32_t *at = lines;
  uint64_t count = 1;
  return seconds_of(
      1, stream,
      [&] {
        QN_LAUNCH(read_lines, READ_BLOCKS, READ_THREADS, 0, stream, at, count, words, sink);
        at = lines + (1 + part) * num_lines * LINE_WORDS;
        count = num_lines;
        return cudaGetLastError();
      },
      seconds);
}

enum qn_status qn_read_costs_measure(const struct qn_stream_plan *plan, void *buffer, void *stages,
                                     cudaStream_t stream, struct qn_read_costs *costs,
                                     struct qn_error *error) {
  const uint64_t there = plan->num_stages * plan->batch_bytes / LINE_BYTES / (1 + 2 * READ_ROUNDS);
  const uint64_t lines = there < MOST_LINES ? there : MOST_LINES;
  double least[3] = {INFINITY, INFINITY, INFINITY}; /* seconds of copies, sectors, lines */
  *costs = qn_read_costs_of(0, 0, 0);
  if (lines < QN_LEAST_LINES)
    return QN_OK;
  cudaError_t result = cudaSuccess;
  for (unsigned round = 0; round < READ_ROUNDS && result == cudaSuccess; round++) {
    double seconds[3];
    result = seconds_of(
        READ_COPIES, stream,
        [&] {
          return cudaMemcpyAsync(buffer, stages, plan->batch_bytes, cudaMemcpyHostToDevice, stream);
        },
        &seconds[0]);
    for (unsigned whole = 0; whole < 2 && result == cudaSuccess; whole++)
      result = seconds_of_reading((const uint32_t *)stages, 2 * round + whole, lines,
                                  whole ? LINE_WORDS : SECTOR_WORDS, (uint32_t *)buffer, stream,
                                  &seconds[1 + whole]);
    for (int i = 0; i < 3 && result == cudaSuccess; i++)
      least[i] = fmin(least[i], seconds[i]);
  }
#ifndef QN_CUDA_EMULATOR /* it has no bus */
  *costs = qn_read_costs_of((double)plan->batch_bytes / least[0], (double)lines / least[1],
                            (double)lines / least[2]);
#else
  (void)least;
#endif
  return qn_cuda_status(result, "measuring the device's rates", error);
}
