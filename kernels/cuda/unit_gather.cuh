/* The bytes of a batch: where in its buffer on the device each goes, and from where on the host.
 * Reader threads find out. They call nothing of CUDA's.
 *
 * Pieces lie in the buffer by their number, the first ones of all units in front of the second
 * ones, so that those of neighbouring units follow each other there as they do in the container:
 * they are one run. Runs that are long and pinned are copied from where they lie; the others are
 * gathered in the pinned stage, at the same places, with the entries. */
#ifndef QN_KERNELS_CUDA_UNIT_GATHER_CUH
#define QN_KERNELS_CUDA_UNIT_GATHER_CUH

#include "kernels/cuda/unit_copies.cuh"
#include "kernels/cuda/unit_list.cuh"
#include "kernels/cuda/unit_pins.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Fill `stage` with the entries of a batch and with what of its units is not to be copied from
 * where it lies, and list the copies. `buffer` is where it goes on the device, `cached` where its
 * cache lies, in slots of the largest unit's size. */
void qn_unit_gather(const struct qn_unit_list *list, const struct qn_unit_batch *batch,
                    const struct qn_unit_pins *pins, uint8_t *stage, uint8_t *buffer,
                    uint8_t *cached, struct qn_unit_copies *copies);

/* Let the system read what a batch will need from storage, unless it is in the page cache. */
void qn_unit_read_ahead(const struct qn_unit_list *list, const struct qn_unit_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
