/* The edges of a graph in the order of a property that is a date, a time or an integer, beside it
 * in its container (specs/properties.md, "Edges by time"): those of a range are read in one piece.
 */
#pragma once

#include <string.h>

#include <quern/graph.h>
#include <quern/properties.h>

/* What names of its sections begin with. */
#define QN_TIME_INDEX_PREFIX "by_time_"

static inline bool qn_time_index_has(const struct qn_section *section) {
  return strncmp(section->name, QN_TIME_INDEX_PREFIX, sizeof QN_TIME_INDEX_PREFIX - 1) == 0;
}

struct qn_time_index {
  const struct qn_container *container;
  uint64_t count; /* of edges that have a value; 0: there may be no index */
  bool is_there;
  const struct qn_section *times, *edges, *ends, *loads; /* loads: NULL without weights */
};

/* Values are compared as numbers of 64 bits, unsigned, which this makes of the ones of a column. */
uint64_t qn_time_key(const struct qn_property *property, uint64_t edge);
uint64_t qn_time_key_of(bool is_unsigned, uint64_t value);

/* The index of column `number` of edges, which is `property`, if there is one. P-12. */
enum qn_status qn_time_index_view(const struct qn_container *container, uint32_t number,
                                  const struct qn_property *property, struct qn_time_index *index,
                                  struct qn_error *error);
/* Is there one of any column? */
bool qn_time_index_is_there(const struct qn_container *container);
/* Which of its edges, [begin, end), have keys from `first` to `last`. What is read of it is
 * verified.
 */
enum qn_status qn_time_index_find(const struct qn_time_index *index, uint64_t first, uint64_t last,
                                  uint64_t *begin, uint64_t *end, struct qn_error *error);

/* An edge: its number in graph order, and its place in the index. */
struct qn_timed_edge {
  uint64_t edge, place;
};
/* Those of [begin, end), in graph order: to be given back by qn_pages_free. */
enum qn_status qn_time_index_read(const struct qn_time_index *index, uint64_t begin, uint64_t end,
                                  struct qn_timed_edge **edges, struct qn_error *error);

/* Write that of column `number` of the edges of `graph`. It takes 36 bytes an edge of memory. */
enum qn_status qn_time_index_write(const struct qn_graph *graph, uint32_t number,
                                   const struct qn_property *property, struct qn_writer *writer,
                                   struct qn_error *error);
/* P-13, of a container whose rows and properties have been checked. */
enum qn_status qn_time_indexes_check(const struct qn_container *container,
                                     const struct qn_properties *properties,
                                     const struct qn_graph *graph, struct qn_error *error);
