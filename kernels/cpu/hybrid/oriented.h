/* The lists of csr/orientation.h, of ELL and COO rows. */
#pragma once

#include "kernels/cpu/csr/orientation.h"
#include <quern/hybrid.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Directions do not matter. Where only one is stored of a directed graph its rows are put together
 * first, to be turned round. Owned until destroyed. */
enum qn_status qn_hybrid_orient(const struct qn_hybrid *hybrid, struct qn_orientation *edges,
                                struct qn_error *error);

#ifdef __cplusplus
}
#endif
