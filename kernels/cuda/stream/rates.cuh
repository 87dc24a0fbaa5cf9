/* The rates by which a plan's cost is explained, and by which engines choose between copying units
 * and reading rows of them, and which units need neither. */
#pragma once

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Measure plan->copy_rate, copies of whole batches from pinned memory back to back, and
 * plan->call_seconds. `buffer` (device) and `stage` (pinned) have plan->batch_bytes. */
enum qn_status qn_unit_measure(struct qn_stream_plan *plan, void *buffer, void *stage,
                               cudaStream_t stream, struct qn_error *error);

/* What it costs the bus that a kernel reads pinned memory, in bytes that are copied: a request of
 * up to a line of 128 bytes, and each sector of 32 in it. */
struct qn_read_costs {
  uint32_t request, sector;
};

/* From copied bytes a second, and requests a second for a sector and for a whole line. An H200's
 * where these make no sense. */
struct qn_read_costs qn_read_costs_of(double copies, double sectors, double lines);

/* Measure them in a millisecond or two. `stages` (pinned) has plan->num_stages batches, `buffer`
 * (device) one. Of few bytes they are not measured, but those of an H200. */
enum qn_status qn_read_costs_measure(const struct qn_stream_plan *plan, void *buffer, void *stages,
                                     cudaStream_t stream, struct qn_read_costs *costs,
                                     struct qn_error *error);

/* By a stream that has not been used. */
enum qn_status qn_unit_stream_read_costs(struct qn_unit_stream *stream, struct qn_read_costs *costs,
                                         struct qn_error *error);

/* holds[unit] becomes whether it is in the stream's cache, or was copied ahead. */
void qn_unit_stream_holds(const struct qn_unit_stream *stream, uint8_t *holds);

#ifdef __cplusplus
}
#endif
