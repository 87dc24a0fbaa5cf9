/* Work of another stream behind the walks of a part of the units (qn_unit_stream_part). */
#pragma once

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* What is enqueued in `other` from now on begins when the walks of all parts so far have ended. */
enum qn_status qn_unit_stream_follow(struct qn_unit_stream *stream, cudaStream_t other,
                                     struct qn_error *error);

#ifdef __cplusplus
}
#endif
