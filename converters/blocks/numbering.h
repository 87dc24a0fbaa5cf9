/* Ids of edges to vertices, however many there are: ids are sorted on disk, range by range, and a
 * vertex is the place of its id among those that occur. Names are sorted in runs, and their numbers
 * are ids for the time being (names.c). */
#pragma once

#include "converters/build/list_source.h"
#include "formats/text/string_map.h"

/* How ids become vertices. Zeroed before it is made. */
struct qn_numbering {
  uint64_t num_vertices;
  uint64_t *ids; /* [num_vertices] ascending; NULL: every id is its vertex */
  uint64_t room;

  /* Of vertices with names. */
  uint64_t *vertices; /* [num_numbers] of each number of a name; NULL: there were none */
  uint64_t num_numbers;
  bool has_names;         /* false: all names are numbers, in `ids` */
  uint64_t *name_offsets; /* [num_vertices + 1], of [num_numbers + 1] */
  char *name_bytes;       /* [bytes_room] */
  uint64_t bytes_room;
};

/* Number the ids of all edges, and the extra ones, as `build` says. QN_INVALID for an id beyond the
 * declared vertices. Owned until free, for which a zeroed one is allowed. */
enum qn_status qn_numbering_create(const struct qn_list_source *source,
                                   const struct qn_build *build, struct qn_numbering *numbering,
                                   struct qn_error *error);
/* The same of the names in a map in runs, which then has them on disk. They become numbers if all
 * are such and `may_be_numbers`. */
enum qn_status qn_numbering_create_names(struct qn_string_map *map, bool may_be_numbers,
                                         struct qn_numbering *numbering, struct qn_error *error);
void qn_numbering_free(struct qn_numbering *numbering);

/* What vertices are called. */
struct qn_ids qn_numbering_ids(const struct qn_numbering *numbering);

/* Vertices are looked up range by range, as far as memory goes for a range at a time: so many
 * ranges, and where the ids of each begin. 1: all of them at once. */
uint64_t qn_numbering_ranges(const struct qn_numbering *numbering);
/* The range of an id that occurs. */
uint64_t qn_numbering_range_of(const struct qn_numbering *numbering, uint64_t num_ranges,
                               uint64_t id);

/* The ids of a range, with an index. */
struct qn_id_range {
  const uint64_t *vertices; /* of names, by id - low; else NULL */
  const uint64_t *ids;      /* NULL: of the identity */
  uint64_t first;           /* vertex */
  uint64_t count, low;      /* the least id */
  unsigned shift;
  uint64_t *starts; /* where each value of the leading bits of id - low begins; [num_starts + 1] */
  uint64_t num_starts;
};

/* Owned until close, for which a zeroed one is allowed. */
enum qn_status qn_id_range_open(const struct qn_numbering *numbering, uint64_t num_ranges,
                                uint64_t index, struct qn_id_range *range, struct qn_error *error);
void qn_id_range_close(struct qn_id_range *range);
/* The vertex of an id in the range. */
uint64_t qn_id_range_vertex(const struct qn_id_range *range, uint64_t id);
