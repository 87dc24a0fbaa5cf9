/* In-edges from out-edges, for a graph that holds one direction alone. */
#ifndef QN_KERNELS_CPU_TRANSPOSE_H
#define QN_KERNELS_CPU_TRANSPOSE_H

#include "formats/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The transpose of `csr`: row v holds the sources of v's in-edges, ascending, parallel edges in
 * the order they had. All arrays are owned until qn_transpose_destroy. Needs 12 bytes an
 * edge (16 with weights) while it works. */
enum qn_status qn_transpose_create(const struct qn_csr *csr, struct qn_csr *transpose,
                                   struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_transpose_destroy(struct qn_csr *transpose);

#ifdef __cplusplus
}
#endif
#endif
