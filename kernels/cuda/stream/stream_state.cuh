/* What a stream of units is made of: stream.cu makes it run, stream_create.cu makes it.
 */
#pragma once

#include "kernels/cuda/stream/copies.cuh"
#include "kernels/cuda/stream/gather.cuh"
#include "kernels/cuda/stream/list.cuh"
#include "kernels/cuda/stream/pins.cuh"
#include "kernels/cuda/stream/readers.cuh"
#include "kernels/cuda/stream/stream.cuh"
#include "kernels/cuda/stream/trace.cuh"

struct qn_unit_lane {
  cudaStream_t stream;
  cudaEvent_t walked; /* the last batch in its buffer */
  bool waited;        /* for what came before the iteration */
};

/* Batches are numbered over all iterations, those that are copied ahead, too: number n is gathered
 * in stage n % num_stages, sent to the buffer of its lane and walked on that lane. All are sent on
 * one stream: copies of several streams leave the bus idle for 4 us between any two, those of one
 * for 3 (H200). */
struct qn_unit_stream {
  struct qn_cuda_memory *memory;
  const struct qn_unit_source *source;
  struct qn_stream_plan plan;
  struct qn_unit_list list;      /* of the running iteration */
  uint64_t base;                 /* number of the list's first batch */
  uint64_t ahead;                /* number of the first one of those copied ahead */
  uint64_t end;                  /* the next number */
  unsigned lane;                 /* whose turn it is */
  uint64_t copied;               /* batches before have been copied to their lanes, or will be */
  uint64_t freed;                /* stages of batches before are free again */
  bool begun;                    /* the next list has been made */
  bool goes_on;                  /* the next list is for the iteration of the last one */
  uint8_t *cached;               /* device: [cache_units x unit_bytes] */
  uint8_t *buffers;              /* device: [num_streams x batch_bytes] */
  uint8_t *stages;               /* pinned: [num_stages x batch_bytes] */
  struct qn_unit_copies *copies; /* [num_stages] what makes their batches */
  struct qn_unit_pins *pins;     /* NULL: all is gathered */
  double waited;                 /* seconds, for readers, since pinning was considered */
  double wait_seconds;           /* for readers, in all */
  uint64_t direct_bytes;         /* of all batches: not from stages */
  struct qn_unit_lane lanes[QN_MAX_STREAMS];
  cudaStream_t bus;  /* where copies run */
  cudaEvent_t *sent; /* [num_stages] the stage's last copy */
  cudaEvent_t before;
  uint64_t *num_pinned; /* [num_stages] what of the pins its batch uses */
  struct qn_unit_readers readers;
  struct qn_unit_trace trace;
};

static inline const struct qn_unit_batch *batch_of(const struct qn_unit_stream *stream,
                                                   uint64_t number) {
  return number >= stream->ahead ? &stream->list.ahead.batches[number - stream->ahead]
                                 : &stream->list.batches[number - stream->base];
}

static inline struct qn_unit_lane *lane_of(struct qn_unit_stream *stream, uint64_t number) {
  return &stream->lanes[batch_of(stream, number)->lane];
}

static inline uint8_t *buffer_of(const struct qn_unit_stream *stream, uint64_t number) {
  return stream->buffers + batch_of(stream, number)->lane * stream->plan.batch_bytes;
}

static inline uint8_t *stage_of(const struct qn_unit_stream *stream, uint64_t number) {
  return stream->stages + number % stream->plan.num_stages * stream->plan.batch_bytes;
}

static inline struct qn_unit_copies *copies_of(const struct qn_unit_stream *stream,
                                               uint64_t number) {
  return &stream->copies[number % stream->plan.num_stages];
}
