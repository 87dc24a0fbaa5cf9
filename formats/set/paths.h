/* Paths through a set with types: one edge type after another, along its edges or against them, as
 * SPARQL writes property paths: writes/^writes leads from authors over papers to authors. */
#pragma once

#include "formats/set/set.h"

struct qn_set_path;

/* Is this a path, and not the name of an edge type? */
bool qn_set_path_is(const struct qn_set *set, const char *text);

/* The edge types of `text`, with all their edges in memory: 4 bytes an edge and 8 a vertex of each
 * step. QN_USAGE of a type that there is not, and of steps that do not begin where the one before
 * them ends. Owned until closed. */
enum qn_status qn_set_path_open(const struct qn_set *set, const char *text,
                                struct qn_set_path **out, struct qn_error *error);
void qn_set_path_close(struct qn_set_path *path); /* NULL is allowed */

/* The types of vertices that paths begin and end at. */
uint32_t qn_set_path_source(const struct qn_set_path *path);
uint32_t qn_set_path_target(const struct qn_set_path *path);

/* How many paths there are: no more edges come of them. UINT64_MAX: as many or more. */
enum qn_status qn_set_path_bound(const struct qn_set_path *path, uint64_t *bound,
                                 struct qn_error *error);

/* How many vertices paths from each vertex of the source's type lead to, in counts[0 .. V of it),
 * and the type of weights that holds the number of paths of each pair: u32, or i64. */
enum qn_status qn_set_path_count(const struct qn_set_path *path, uint64_t *counts,
                                 enum qn_weight_type *type, struct qn_error *error);

/* These rows, where row r begins at offsets[r]: vertices from 0 in the target's type, ascending,
 * and the number of paths to each. */
enum qn_status qn_set_path_fill(const struct qn_set_path *path, const uint64_t *offsets,
                                uint32_t *columns, enum qn_weight_type type, void *weights,
                                struct qn_error *error);
