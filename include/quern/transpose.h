/* Transposing CSR: in-edges from out-edges, and back. */
#ifndef QUERN_TRANSPOSE_H
#define QUERN_TRANSPOSE_H

#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fill `arrays` (those of qn_graph_create for the same V, E and weight type) with the transpose of
 * `csr`, whose offsets and columns must have been checked. Rows ascend, and edges between
 * the same two vertices keep their order, so transposing twice gives the same CSR back.
 *
 * Parallel; the same result for any number of threads. Takes 4 bytes an edge and those of its
 * weight, which are given back as the result is written; with a limit of memory
 * (support/temp_file.h) they are in a temporary file. */
enum qn_status qn_csr_transpose(const struct qn_csr *csr, const struct qn_graph_arrays *arrays,
                                struct qn_error *error);

/* Make `graph` (zeroed, or to be overwritten) hold the transpose of `csr` as its out-edges, in
 * memory of its own. */
enum qn_status qn_graph_create_transpose(const struct qn_csr *csr, struct qn_graph *graph,
                                         struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
