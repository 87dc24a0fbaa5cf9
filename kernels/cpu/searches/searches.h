/* Breadth-first searches from several sources on CSR, 64 at a time: a vertex has a bit for each of
 * them, so that one walk over an edge serves all searches that have come to it (Then, Kaufmann,
 * Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo: The More the Merrier: Efficient Multi-Source
 * Graph Traversal, VLDB 2014). Levels push along the out-edges of few vertices, or pull along all
 * in-edges (Beamer, Asanovic, Patterson: Direction-Optimizing Breadth-First Search, SC 2012). */
#pragma once

#include "kernels/cpu/loop/frontier.h"
#include "kernels/registry.h"
#include "kernels/work_division/chunks.h"
#include <quern/graph.h>

#define QN_SEARCHES 64

struct qn_search_place {
  uint64_t seen, next; /* searches: have been here, come next */
};

struct qn_searches {
  const struct qn_csr *out, *in; /* in: NULL, there are none to pull along */
  uint64_t num_vertices;
  struct qn_row_chunks out_chunks, in_chunks;
  struct qn_search_place *places; /* [V]; `next` is 0 but during a push */
  uint64_t *fresh;                /* [V] searches that came by the last level */
  uint64_t *spare;                /* [V] of any content, that a pull fills */
  bool is_queued;                 /* are those that something came to in a queue, */
  struct qn_frontier came, from;  /* `came`? `from` is for the next push */
  uint64_t num_active, num_edges; /* vertices that something came to, and their out-edges */
  uint64_t open_edges;            /* in-edges of vertices that not all have been to, about */
  uint32_t count;                 /* of this batch */
  /* A vertex and all searches that come to it at a level: from any thread, for each vertex from one
   * at a time, by ascending levels. */
  void (*come)(void *user, uint64_t vertex, uint64_t searches, uint32_t level);
  void *user;
};

/* `come` and `user` are set before, the rest is zero. Owned until destroy, which is to be called
 * after a failure, too. */
enum qn_status qn_searches_create(struct qn_searches *searches, const struct qn_graph *graph,
                                  struct qn_error *error);
void qn_searches_destroy(struct qn_searches *searches);

/* Search from `count` sources, 64 at most; of the result the iterations are added up, and whether
 * all searches ended by themselves. */
enum qn_status qn_searches_run(struct qn_searches *searches, const struct qn_run_request *request,
                               const uint32_t *sources, uint32_t count,
                               struct qn_run_result *result, struct qn_error *error);
