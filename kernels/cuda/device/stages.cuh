/* The pinned buffers that copies go through. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Larger ones copy no faster, and to pin 16 MiB takes 5 ms. */
#ifndef QN_STAGE_BYTES
#define QN_STAGE_BYTES ((uint64_t)8 << 20)
#endif

/* Pin some ahead: from then on they outlive the runs that take them. Give them back. */
void qn_stages_make(void);
void qn_stages_free(void);

/* One of QN_STAGE_BYTES, for any device; give it back (NULL is allowed). */
cudaError_t qn_stage_take(void **stage);
void qn_stage_give_back(void *stage);

#ifdef __cplusplus
}
#endif
