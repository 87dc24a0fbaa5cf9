/* Cross-edges: how many of a vertex's out-edges lead to a vertex of another group.
 *
 * Of the traversals that GTS (Kim et al., SIGMOD 2016) names in section 3.3, after GBASE (Kang et
 * al., KDD 2011). A kernel of its own on each layout, since an edge's contribution depends on both
 * of its ends, and a program's only on the sender. Each edge is looked at once; parallel edges
 * count as often as they are. */
#pragma once

#include "kernels/registry.h"
#include <quern/inline.h>

/* Without groups every vertex is one of its own: all edges but loops are cross-edges. */
QN_INLINE bool qn_is_cross_edge(const uint32_t *groups, uint32_t source, uint32_t destination) {
  if (!groups)
    return source != destination;
  return groups[source] != groups[destination] && groups[source] != UINT32_MAX &&
         groups[destination] != UINT32_MAX;
}
