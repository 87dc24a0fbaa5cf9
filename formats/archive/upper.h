/* Undirected graphs in archive form: only the upper triangle, the edges u -> v with u <= v, is
 * kept; row offsets tell where the others belong (specs/archive.md, "Upper triangle"). */
#pragma once

#include <quern/graph.h>

/* Would the triangle give back exactly this CSR: is it symmetric, with weights and with multi-edges
 * in mirrored order? Takes 4 bytes an edge (8 with weights) and 8 a vertex while it looks. */
enum qn_status qn_upper_applies(const struct qn_csr *csr, bool *applies, struct qn_error *error);

/* Where rows begin among the upper edges: `upper_rows` [V + 1]. */
void qn_upper_rows(const struct qn_csr *csr, uint64_t *upper_rows);

/* The columns or weights (`values`, E of them of so many bytes) of the upper edges, in row order.
 */
void qn_upper_gather(const struct qn_csr *csr, const uint64_t *upper_rows, const void *values,
                     uint32_t bytes, void *upper);
