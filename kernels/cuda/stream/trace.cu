#include "kernels/cuda/stream/trace.cuh"

#include <string.h>

#include "kernels/cuda/device/memory.cuh"
#include "support/memory.h"

#define WHAT "timing the streams"

static enum qn_status record(cudaEvent_t event, cudaStream_t on, struct qn_error *error) {
  return qn_cuda_status(cudaEventRecord(event, on), WHAT, error);
}

enum qn_status qn_unit_trace_create(struct qn_unit_trace *trace,
                                    const struct qn_stream_options *options, unsigned num_marks,
                                    struct qn_error *error) {
  memset(trace, 0, sizeof *trace);
  if (!options->on_event)
    return QN_OK;
  trace->options = options;
  enum qn_status status =
      qn_alloc_zeroed(&trace->marks, num_marks, sizeof *trace->marks, "timeline", error);
  if (status)
    return status;
  trace->num_marks = num_marks;
  cudaError_t result = cudaEventCreate(&trace->origin);
  for (unsigned i = 0; i < num_marks && result == cudaSuccess; i++) {
    struct qn_trace_mark *mark = &trace->marks[i];
    cudaEvent_t *const events[] = {&mark->begin, &mark->copied, &mark->walking, &mark->end};
    for (unsigned k = 0; k < 4 && result == cudaSuccess; k++)
      result = cudaEventCreate(events[k]);
  }
  status = qn_cuda_status(result, "creating a CUDA event", error);
  if (status)
    qn_unit_trace_destroy(trace);
  return status;
}

void qn_unit_trace_destroy(struct qn_unit_trace *trace) {
  for (unsigned i = 0; i < trace->num_marks; i++) {
    const cudaEvent_t events[] = {trace->marks[i].begin, trace->marks[i].copied,
                                  trace->marks[i].walking, trace->marks[i].end};
    for (unsigned k = 0; k < 4; k++)
      if (events[k])
        cudaEventDestroy(events[k]);
  }
  if (trace->origin)
    cudaEventDestroy(trace->origin);
  qn_free(trace->marks);
  memset(trace, 0, sizeof *trace);
}

/* Seconds from the origin. */
static cudaError_t seconds_of(const struct qn_unit_trace *trace, cudaEvent_t event,
                              double *seconds) {
  float milliseconds = 0;
  cudaError_t result = cudaEventElapsedTime(&milliseconds, trace->origin, event);
  *seconds = 1e-3 * (double)milliseconds;
  return result;
}

enum qn_status qn_unit_trace_origin(struct qn_unit_trace *trace, cudaStream_t on,
                                    struct qn_error *error) {
  if (trace->num_marks == 0 || trace->begun)
    return QN_OK;
  trace->begun = true;
  return record(trace->origin, on, error);
}

enum qn_status qn_unit_trace_tell(const struct qn_unit_trace *trace, struct qn_stream_event event,
                                  cudaEvent_t begin, cudaEvent_t end, struct qn_error *error) {
  if (trace->num_marks == 0)
    return QN_OK;
  cudaError_t result = seconds_of(trace, begin, &event.begin);
  if (result == cudaSuccess)
    result = seconds_of(trace, end, &event.end);
  if (result != cudaSuccess)
    return qn_cuda_status(result, WHAT, error);
  trace->options->on_event(trace->options->user, &event);
  return QN_OK;
}

/* Wait for a batch and tell of it. */
static enum qn_status close_mark(struct qn_unit_trace *trace, struct qn_trace_mark *mark,
                                 struct qn_error *error) {
  if (!mark->open)
    return QN_OK;
  double begin = 0, copied = 0, walking = 0, end = 0;
  cudaError_t result = cudaEventSynchronize(mark->end);
  if (result == cudaSuccess)
    result = seconds_of(trace, mark->begin, &begin);
  if (result == cudaSuccess)
    result = seconds_of(trace, mark->copied, &copied);
  if (result == cudaSuccess)
    result = seconds_of(trace, mark->walking, &walking);
  if (result == cudaSuccess)
    result = seconds_of(trace, mark->end, &end);
  mark->open = false;
  if (result != cudaSuccess)
    return qn_cuda_status(result, WHAT, error);
  const struct qn_stream_event copy = {0,           "copy", mark->stream, mark->units,
                                       mark->bytes, begin,  copied};
  const struct qn_stream_event kernel = {0,           "kernel", mark->stream, mark->units,
                                         mark->bytes, walking,  end};
  trace->options->on_event(trace->options->user, &copy);
  if (!mark->copies_only)
    trace->options->on_event(trace->options->user, &kernel);
  return QN_OK;
}

enum qn_status qn_unit_trace_begin(struct qn_unit_trace *trace, uint64_t batch, unsigned stream,
                                   uint64_t units, uint64_t bytes, cudaStream_t on,
                                   struct qn_error *error) {
  if (trace->num_marks == 0)
    return QN_OK;
  struct qn_trace_mark *mark = &trace->marks[batch % trace->num_marks];
  enum qn_status status = close_mark(trace, mark, error);
  if (!status)
    status = qn_unit_trace_origin(trace, on, error);
  if (!status)
    status = record(mark->begin, on, error);
  mark->copies_only = mark->ahead = false;
  mark->stream = stream;
  mark->units = units;
  mark->bytes = bytes;
  return status;
}

enum qn_status qn_unit_trace_copied(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                    struct qn_error *error) {
  if (trace->num_marks == 0)
    return QN_OK;
  return record(trace->marks[batch % trace->num_marks].copied, on, error);
}

enum qn_status qn_unit_trace_walking(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                     struct qn_error *error) {
  if (trace->num_marks == 0)
    return QN_OK;
  return record(trace->marks[batch % trace->num_marks].walking, on, error);
}

enum qn_status qn_unit_trace_end(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                 struct qn_error *error) {
  if (trace->num_marks == 0)
    return QN_OK;
  struct qn_trace_mark *mark = &trace->marks[batch % trace->num_marks];
  mark->open = true;
  return record(mark->end, on, error);
}

enum qn_status qn_unit_trace_ahead(struct qn_unit_trace *trace, uint64_t batch, cudaStream_t on,
                                   struct qn_error *error) {
  if (trace->num_marks == 0)
    return QN_OK;
  struct qn_trace_mark *mark = &trace->marks[batch % trace->num_marks];
  mark->copies_only = mark->ahead = true;
  enum qn_status status = qn_unit_trace_walking(trace, batch, on, error);
  return status ? status : qn_unit_trace_end(trace, batch, on, error);
}

enum qn_status qn_unit_trace_flush(struct qn_unit_trace *trace, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < trace->num_marks && !status; i++) {
    if (!trace->marks[i].ahead)
      status = close_mark(trace, &trace->marks[i], error);
    trace->marks[i].ahead = false;
  }
  return status;
}
