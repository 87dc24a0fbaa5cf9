/* Is it a tree of shortest paths? The rules are those by which the Graph500 benchmark validates a
 * search (its specification, "Validation"):
 *
 *   1  the parents are a tree: one vertex, the root, is its own parent, and all that have a parent
 *      lead to it, without a cycle
 *   2  a tree edge leads from a level to the next, or adds its weight to the distance
 *   3  no edge of the graph from a vertex in the tree leads further than its length
 *   4  the tree spans all that can be reached from the root
 *   5  a parent and its child are joined by an edge of the graph, from the one to the other
 *
 * Levels and distances are those that the tree itself has, counted along it; the search's own, if
 * they are given, must be the same by rule 2, which holds without them where 1 and 5 do. 3 and 4
 * then make them the shortest. They are looked at only where the parents are a tree, with edges of
 * the graph. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/graph.h>

enum { QN_TREE_RULES = 6 }; /* counted from 1 */

/* The first vertex, or edge, in the graph's order that breaks a rule. */
struct qn_tree_fault {
  uint64_t count; /* 0: the rule is kept */
  uint32_t vertex;
  uint32_t other; /* its parent; rules 3 and 4: where the edge from it leads */
};

struct qn_tree_report {
  struct qn_tree_fault faults[QN_TREE_RULES]; /* [rule] */
  uint64_t num_roots;
  uint32_t root;        /* the first; UINT32_MAX: none */
  uint64_t num_reached; /* vertices with a parent */
  uint64_t depth;       /* edges from the root to the last level, if rule 1 is kept */
};

/* What the search says of each vertex, [V] of one of these: hops, or the sum of weights; what was
 * not reached has the largest number, or infinity. */
struct qn_tree_values {
  const uint32_t *u32;
  const uint64_t *u64;
  const double *f64;
};

/* `parents` [V], QN_NO_PARENT (parents_file.h) for none, of a checked graph with at hand out-edges.
 * `values` may be NULL.
 * With `weighted` lengths are the weights, of which none may be negative (QN_INVALID); without, or
 * where there are none, 1. Real weights are added up in double precision, from the root on, as sssp
 * does. QN_OK also if a rule is broken. */
enum qn_status qn_tree_check(const struct qn_graph *graph, const uint32_t *parents,
                             const struct qn_tree_values *values, bool weighted,
                             struct qn_tree_report *report, struct qn_error *error);

/* Are all rules kept? */
bool qn_tree_is_right(const struct qn_tree_report *report);
