/* When the copies and kernels of batches ran, by the device's clock: a ring of CUDA events, read
 * when they have come to pass. Does nothing where nobody listens. */
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/streaming.h"
#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One batch. */
struct qn_trace_mark {
  cudaEvent_t begin, copied, walking, end;
  unsigned stream;
  uint64_t units, bytes;
  bool open;        /* recorded and not yet read */
  bool copies_only; /* no kernel */
  bool ahead;       /* of the next iteration, which is to tell of it */
};

/* Zero it before use. */
struct qn_unit_trace {
  const struct qn_stream_options *options;
  cudaEvent_t origin;
  bool begun;
  unsigned num_marks; /* 0: nobody listens */
  struct qn_trace_mark *marks;
};

/* Owned until qn_unit_trace_destroy; a zeroed trace is allowed there. */
enum qn_status qn_unit_trace_create(struct qn_unit_trace *trace,
                                    const struct qn_stream_options *options, unsigned num_marks,
                                    struct qn_error *error);
void qn_unit_trace_destroy(struct qn_unit_trace *trace);

/* Before a batch's copy and after it, before its kernel and after it. */
enum qn_status qn_unit_trace_begin(struct qn_unit_trace *trace, uint64_t batch, unsigned stream,
                                   uint64_t units, uint64_t bytes, cudaStream_t on,
                                   struct qn_error *error);
enum qn_status qn_unit_trace_copied(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                    struct qn_error *error);
enum qn_status qn_unit_trace_walking(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                     struct qn_error *error);
enum qn_status qn_unit_trace_end(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                 struct qn_error *error);

/* Times count from here on, unless they do already. */
enum qn_status qn_unit_trace_origin(struct qn_unit_trace *trace, cudaStream_t on,
                                    struct qn_error *error);
/* Tell of what has happened between two events that timed it, in any stream. */
enum qn_status qn_unit_trace_tell(const struct qn_unit_trace *trace, struct qn_stream_event event,
                                  cudaEvent_t begin, cudaEvent_t end, struct qn_error *error);

/* After the copy of a batch that was copied ahead and has no kernel. */
enum qn_status qn_unit_trace_ahead(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                   struct qn_error *error);

/* Tell of all that is still open, but for what the next iteration will. */
enum qn_status qn_unit_trace_flush(struct qn_unit_trace *trace, struct qn_error *error);

#ifdef __cplusplus
}
#endif
