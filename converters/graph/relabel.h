/* New vertex numbers for a graph, and the original ids that go with them. */
#pragma once

#include <stdint.h>

#include <quern/graph.h>

/* A renumbering of V vertices. */
struct qn_relabeling {
  uint64_t num_vertices;
  uint32_t *new_of_old; /* [V]; NULL: nothing changes */
  uint32_t *old_of_new; /* [V] */
  struct qn_ids ids;    /* of the new vertices; points into `memory`, or into the graph if
                           nothing changes */
  void *memory;
  uint64_t memory_bytes;
};

/* By descending number: vertex v has numbers[v], which is spoilt; equal ones keep their order. */
enum qn_status qn_relabel_descending(const struct qn_ids *ids, uint64_t *numbers,
                                     struct qn_relabeling *relabeling, struct qn_error *error);

/* By the random permutation that belongs to `seed`. */
enum qn_status qn_relabel_randomly(const struct qn_ids *ids, uint64_t seed,
                                   struct qn_relabeling *relabeling, struct qn_error *error);

/* Vertex old_of_new[v] becomes v. Takes `old_of_new` [V] (qn_pages_alloc) over, even on failure. */
enum qn_status qn_relabel_in_order(const struct qn_ids *ids, uint32_t *old_of_new,
                                   struct qn_relabeling *relabeling, struct qn_error *error);

/* The `count` vertices old_of_new[0 .. count), ascending, are the new ones, and the others are
 * gone: `new_of_old` is NULL all the same. Takes `old_of_new` (qn_pages_alloc) over, even on
 * failure. */
enum qn_status qn_relabel_subset(const struct qn_ids *ids, uint32_t *old_of_new, uint64_t count,
                                 struct qn_relabeling *relabeling, struct qn_error *error);

/* A zeroed one is allowed. */
void qn_relabeling_destroy(struct qn_relabeling *relabeling);
