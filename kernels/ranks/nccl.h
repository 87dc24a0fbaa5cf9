/* NVIDIA's NCCL, by which ranks with a CUDA device each tell each other what lies in the devices'
 * memory. It is loaded if it is installed (libnccl.so.2, 2.14 or later). */
#ifndef QN_KERNELS_RANKS_NCCL_H
#define QN_KERNELS_RANKS_NCCL_H

#include <stdbool.h>

#include "support/ranks/collective.h"

#ifdef __cplusplus
extern "C" {
#endif

bool qn_nccl_load(void);
/* All ranks, each with the device that is current: it begins on all of them, `*failure` is NULL
 * then, or on none, and `*failure` says why. */
enum qn_status qn_nccl_begin(const struct qn_collective *ranks, const char **failure,
                             struct qn_error *error);
/* As qn_exchange's gather_on_device. */
enum qn_status qn_nccl_gather(void *all, const uint64_t *offsets, unsigned num_ranks,
                              struct qn_error *error);
/* If it has begun. */
void qn_nccl_end(void);

#ifdef __cplusplus
}
#endif
#endif
