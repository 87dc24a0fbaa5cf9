/* Kernels that read units where they lie, in pinned memory, while others move: in a stream of their
 * own, once an iteration. Which units, and how they are read, is the engine's. */
#pragma once

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it before use. */
struct qn_unit_reader {
  cudaStream_t stream; /* in which the engine launches its kernel */
  cudaEvent_t before, begin, end;
  uint32_t *list; /* [units] to be read */
  uint32_t num_read;
  bool reads; /* this iteration */
};

enum qn_status qn_unit_reader_create(struct qn_unit_reader *reader, struct qn_error *error);
/* Until nothing is read any more. A zeroed struct is allowed here, and below. */
void qn_unit_reader_wait(const struct qn_unit_reader *reader);
void qn_unit_reader_destroy(struct qn_unit_reader *reader);

/* The list goes to `units` on the device, and `counts` is cleared. What is launched then follows
 * what the default stream has left. */
enum qn_status qn_unit_reader_begin(struct qn_unit_reader *reader, struct qn_unit_stream *stream,
                                    uint32_t *units, void *counts, uint64_t bytes,
                                    struct qn_error *error);
/* The kernel has been launched. */
enum qn_status qn_unit_reader_launched(struct qn_unit_reader *reader, struct qn_error *error);
/* Until it has read `*bytes`, a number on the device; adds that to the figures of the iteration. */
enum qn_status qn_unit_reader_end(struct qn_unit_reader *reader, struct qn_unit_stream *stream,
                                  const unsigned long long *bytes,
                                  struct qn_stream_figures *figures, struct qn_error *error);

#ifdef __cplusplus
}
#endif
