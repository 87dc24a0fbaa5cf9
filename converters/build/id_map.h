/* From the ids of an edge list to vertices: the identity, or the rank of an id
 * among those that occur. Internal to the builder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/build/build.h"
#include "converters/edges/edge_blocks.h"

struct qn_id_map;

/* Decide by `build` and the ids in `list` how ids become vertices, and how many there are.
 * QN_INVALID for more than 2^32-1 vertices or an id beyond the declared ones. Owned until destroy
 * (NULL is allowed). */
enum qn_status qn_id_map_create(struct qn_edge_list *list, const struct qn_build *build,
                                struct qn_id_map **out, struct qn_error *error);
void qn_id_map_destroy(struct qn_id_map *map);

/* The largest id of edges and extra ids, if there is any. */
uint64_t qn_id_map_largest(const struct qn_edge_list *list, const struct qn_build *build);

/* Are ids vertices, so that none is numbered? `any`: there are ids, of which this is the largest.
 */
bool qn_id_map_keeps(const struct qn_build *build, bool any, uint64_t largest);

uint64_t qn_id_map_num_vertices(const struct qn_id_map *map);

/* Replace the ids in `block` by vertices; afterwards it is narrow. */
void qn_id_map_apply(const struct qn_id_map *map, struct qn_edge_block *block);

/* The id of a vertex. */
uint64_t qn_id_map_id(const struct qn_id_map *map, uint32_t vertex);

/* Is every id the vertex itself? */
bool qn_id_map_is_identity(const struct qn_id_map *map);

/* All ids by vertex, ascending, into `ids` [num_vertices]; not of an identity. */
void qn_id_map_list(const struct qn_id_map *map, uint64_t *ids);

/* How many vertices have ids below this one. */
uint64_t qn_id_map_below(const struct qn_id_map *map, uint64_t id);

/* The memory that the map takes. */
uint64_t qn_id_map_bytes(const struct qn_id_map *map);

/* ---- Maps of ids that others have edges of, too (id_map_shared.c) -----------
 *
 * The vertices of all ranks are numbered in the order of their ids. Each rank collects its own ids:
 * lower ones are marked, and the words of marks of all ranks are to be joined by or; how many
 * vertices the others are, and which, is said by whoever compares them.
 *
 *   qn_id_map_create_shared(list, build, &facts, &map, &error);
 *   words = qn_id_map_words(map, &num_words);         ... become those of all ranks
 *   far = qn_id_map_far(map, &num_far);               ... get vertices, counted from 0
 *   qn_id_map_share(map, vertices_of_far, num_far_of_all, largest, &error); */

/* What all ranks know. */
struct qn_id_facts {
  uint64_t num_ids; /* ends of edges, and extra ids */
  uint64_t largest; /* if there is any */
  unsigned num_ranks;
};

/* What this rank adds to them, `num_ranks` left alone. */
void qn_id_facts_of(const struct qn_edge_list *list, const struct qn_build *build,
                    struct qn_id_facts *facts);

/* As qn_id_map_create. Of a map that is no identity what follows has to be done. */
enum qn_status qn_id_map_create_shared(struct qn_edge_list *list, const struct qn_build *build,
                                       const struct qn_id_facts *facts, struct qn_id_map **out,
                                       struct qn_error *error);
uint64_t *qn_id_map_words(struct qn_id_map *map, uint64_t *num_words);
/* Ascending. */
const uint64_t *qn_id_map_far(const struct qn_id_map *map, uint64_t *num_far);
/* `vertices`, of this rank's far ids, is borrowed; those of marked ids are added. Without gaps the
 * map becomes the identity. Of other maps qn_id_map_list lists the marked ids, of which
 * `*num_marked` there are; room behind them is spoilt. */
enum qn_status qn_id_map_share(struct qn_id_map *map, uint32_t *vertices, uint64_t num_far_of_all,
                               uint64_t largest, uint64_t *num_marked, struct qn_error *error);

/* Of ids 0, 1, ... those vertices, which are borrowed. */
enum qn_status qn_id_map_create_given(const uint32_t *vertices, uint64_t num_vertices,
                                      struct qn_id_map **out, struct qn_error *error);
