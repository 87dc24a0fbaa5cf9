/* From the ids of an edge list to vertices: the identity, or the rank of an id
 * among those that occur. Internal to the builder. */
#ifndef QN_CONVERTERS_BUILD_ID_MAP_H
#define QN_CONVERTERS_BUILD_ID_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "converters/build/build.h"
#include "converters/edges/edge_blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qn_id_map;

/* Decide by `build` and the ids in `list` how ids become vertices, and how many there are.
 * QN_INVALID for more than 2^32-1 vertices or an id beyond the declared ones. Owned until destroy
 * (NULL is allowed). */
enum qn_status qn_id_map_create(struct qn_edge_list *list, const struct qn_build *build,
                                struct qn_id_map **out, struct qn_error *error);
void qn_id_map_destroy(struct qn_id_map *map);

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

#ifdef __cplusplus
}
#endif
#endif
