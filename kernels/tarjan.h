/* Strongly connected components of what is left of a graph (Tarjan: Depth-First Search and Linear
 * Graph Algorithms, 1972), on one thread, without recursion. */
#pragma once

#include <stdint.h>

#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_NO_COMPONENT UINT32_MAX

/* Whoever has no component in `component` [V] gets one, called after one of its vertices. The
 * others are as if they were not there: none of them lies on a cycle with one that is left. */
enum qn_status qn_tarjan(const struct qn_csr *out, uint32_t *component, struct qn_error *error);

#ifdef __cplusplus
}
#endif
