/* What maps of ids are. Internal to id_map.c and id_map_shared.c. */
#pragma once

#include "converters/build/id_map.h"
#include "converters/edges/id_sets.h"

/* MAP_SHARED: of ids that other ranks have, too: as MAP_MARKS_THEN_SORTED, but the vertices of
 * sorted ids are given. MAP_GIVEN: those of ids from 0 on are. */
enum map_kind {
  MAP_IDENTITY,
  MAP_MARKS,
  MAP_SORTED,
  MAP_MARKS_THEN_SORTED,
  MAP_SHARED,
  MAP_GIVEN,
};

struct qn_id_map {
  enum map_kind kind;
  uint64_t num_vertices;

  struct qn_id_marks *marks; /* [num_marks], allocated for marks_capacity */
  uint64_t num_marks;
  uint64_t marks_capacity;
  uint64_t num_marked; /* vertices with marked ids: those before the sorted ones */

  uint64_t *sorted; /* [num_sorted], allocated for sorted_capacity */
  uint64_t num_sorted;
  uint64_t sorted_capacity;
  uint32_t *starts; /* first vertex by leading bits: [num_starts + 1] */
  uint64_t num_starts;
  unsigned start_shift;

  const uint32_t *given; /* vertices, borrowed: see the kinds */
};

/* The map of the ids that occur, in marks if they are `close`; of edges on disk as they were
 * collected. */
enum qn_status qn_id_map_collect(struct qn_id_map *map, struct qn_edge_list *list,
                                 const struct qn_build *build, bool close, uint64_t largest,
                                 struct qn_error *error);

/* Keep ids, of which `largest` is one if there are `any`. */
enum qn_status qn_id_map_keep(struct qn_id_map *map, const struct qn_build *build, bool any,
                              uint64_t largest, struct qn_error *error);
