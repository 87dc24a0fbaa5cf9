#include "kernels/cuda/stream/in_place.cuh"

#include <string.h>

#include "kernels/cuda/stream/stream_state.cuh"

#define WHAT "reading rows"

enum qn_status qn_unit_reader_create(struct qn_unit_reader *reader, struct qn_error *error) {
  cudaError_t result = cudaEventCreateWithFlags(&reader->before, cudaEventDisableTiming);
  if (result == cudaSuccess)
    result = cudaEventCreate(&reader->begin);
  if (result == cudaSuccess)
    result = cudaEventCreate(&reader->end);
  if (result == cudaSuccess)
    result = cudaStreamCreateWithFlags(&reader->stream, cudaStreamNonBlocking);
  return qn_cuda_status(result, "creating a CUDA stream", error);
}

void qn_unit_reader_wait(const struct qn_unit_reader *reader) {
  if (reader->stream)
    cudaStreamSynchronize(reader->stream);
}

void qn_unit_reader_destroy(struct qn_unit_reader *reader) {
  const cudaEvent_t events[] = {reader->before, reader->begin, reader->end};
  qn_unit_reader_wait(reader);
  if (reader->stream)
    cudaStreamDestroy(reader->stream);
  for (unsigned i = 0; i < 3; i++)
    if (events[i])
      cudaEventDestroy(events[i]);
}

enum qn_status qn_unit_reader_begin(struct qn_unit_reader *reader, struct qn_unit_stream *stream,
                                    uint32_t *units, void *counts, uint64_t bytes,
                                    struct qn_error *error) {
  const uint64_t list_bytes = reader->num_read * sizeof *units;
  cudaError_t result = cudaMemsetAsync(counts, 0, bytes, NULL);
  if (result == cudaSuccess)
    result = cudaMemcpy(units, reader->list, list_bytes, cudaMemcpyHostToDevice);
  if (result == cudaSuccess)
    result = cudaEventRecord(reader->before, NULL);
  if (result == cudaSuccess)
    result = cudaStreamWaitEvent(reader->stream, reader->before, 0);
  if (result != cudaSuccess)
    return qn_cuda_status(result, WHAT, error);
  stream->memory->copy_bytes += list_bytes;
  reader->reads = true;
  enum qn_status status = qn_unit_trace_origin(&stream->trace, reader->stream, error);
  return status ? status
                : qn_cuda_status(cudaEventRecord(reader->begin, reader->stream), WHAT, error);
}

enum qn_status qn_unit_reader_launched(struct qn_unit_reader *reader, struct qn_error *error) {
  enum qn_status status = qn_cuda_launched(WHAT, error);
  return status ? status
                : qn_cuda_status(cudaEventRecord(reader->end, reader->stream), WHAT, error);
}

enum qn_status qn_unit_reader_end(struct qn_unit_reader *reader, struct qn_unit_stream *stream,
                                  const unsigned long long *bytes,
                                  struct qn_stream_figures *figures, struct qn_error *error) {
  unsigned long long read = 0;
  if (!reader->reads)
    return QN_OK;
  reader->reads = false;
  cudaError_t result = cudaStreamSynchronize(reader->stream);
  if (result == cudaSuccess)
    result = cudaMemcpy(&read, bytes, sizeof read, cudaMemcpyDeviceToHost);
  if (result != cudaSuccess)
    return qn_cuda_status(result, WHAT, error);
  stream->memory->copy_bytes += sizeof read;
  figures->active_units += reader->num_read;
  figures->moved_units += reader->num_read;
  figures->moved_bytes += read;
  figures->direct_bytes += read;
  const struct qn_stream_event event = {0, "read", stream->plan.num_streams, reader->num_read, read,
                                        0, 0};
  return qn_unit_trace_tell(&stream->trace, event, reader->begin, reader->end, error);
}
