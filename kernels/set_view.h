/* A set (specs/set.md) as kernels see it: the parts that this process walks, and the others that
 * walk the rest, its ranks. */
#ifndef QN_KERNELS_SET_VIEW_H
#define QN_KERNELS_SET_VIEW_H

#include <stdbool.h>

#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one way in which ranks talk: all of them call it, in the same order. `all` is bytes
 * [0, offsets[num_ranks]); rank r has filled [offsets[r], offsets[r + 1]), and afterwards all
 * ranks have all of it. */
struct qn_exchange {
  unsigned rank, num_ranks;
  enum qn_status (*gather)(void *all, const uint64_t *offsets, struct qn_error *error);
};

/* The rows [begin, end) of a part: row v holds the edges into v. */
struct qn_part_rows {
  const struct qn_csr *csr; /* of all vertices; rows outside of the range are empty */
  uint64_t begin, end;
  uint64_t index; /* of the part in the set */
};

struct qn_set_view {
  uint64_t num_vertices, num_edges; /* of the graph */
  const uint64_t *out_degrees;      /* [V] in the graph */
  uint64_t num_parts;               /* that this process walks */
  const struct qn_part_rows *parts; /* [num_parts], one behind the other */
  uint64_t num_all_parts;
  const struct qn_exchange *exchange; /* NULL: no others */
  const uint64_t *first_parts;        /* [num_ranks + 1] rank r walks these parts, */
  const uint64_t *first_vertices;     /* and holds these vertices' new values */
};

#ifdef __cplusplus
}
#endif
#endif
