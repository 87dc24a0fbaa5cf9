/* What of the topology is on the device, and what reading it costs, for engines that choose what
 * else is to be moved. Host side only. */
#pragma once

#include "kernels/cuda/stream/rates.cuh"
#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* holds[unit] becomes whether it is in the stream's cache, or was copied ahead. */
void qn_unit_stream_holds(const struct qn_unit_stream *stream, uint8_t *holds);

/* Measured before the stream is used. */
enum qn_status qn_unit_stream_read_costs(struct qn_unit_stream *stream, struct qn_read_costs *costs,
                                         struct qn_error *error);

#ifdef __cplusplus
}
#endif
