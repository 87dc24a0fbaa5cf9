/* The bytes of a batch, from the mapped container into a staging buffer: what reader threads do.
 * They call nothing of CUDA's. */
#ifndef QN_KERNELS_CUDA_UNIT_GATHER_CUH
#define QN_KERNELS_CUDA_UNIT_GATHER_CUH

#include "kernels/cuda/unit_list.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Fill `stage` with the entries of a batch and, unless it is resident, with its units. `buffer` is
 * where it goes on the device, `cached` where its
 * cache lies, in slots of the largest unit's size. */
void qn_unit_gather(const struct qn_unit_list *list, const struct qn_unit_batch *batch,
                    uint8_t *stage, const uint8_t *buffer, uint8_t *cached);

/* Let the system read what a batch will need from storage, unless it is in the page cache. */
void qn_unit_read_ahead(const struct qn_unit_list *list, const struct qn_unit_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
