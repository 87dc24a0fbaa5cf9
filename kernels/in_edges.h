/* In-edges of plain CSR, for kernels that cannot do without. */
#pragma once

#include <quern/error.h>
#include <quern/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Those of an undirected graph are its out-edges; of another what stands beside them, or is made in
 * `made`, which is zero before and which the caller gives back (qn_in_edges_free). */
enum qn_status qn_find_in_edges(const struct qn_graph *graph, struct qn_graph *made,
                                const struct qn_csr **in, struct qn_error *error);
void qn_in_edges_free(struct qn_graph *made);

#ifdef __cplusplus
}
#endif
