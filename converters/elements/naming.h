/* Vertices and edges by their names, in the order of the file, on their way into a list of edges by
 * numbers. They are gathered in batches; with more than one thread, one of its own numbers and
 * pushes those of a batch while the reader fills the next one. What fails is the same either way.
 */
#pragma once

#include "converters/edges/edge_list.h"
#include "formats/text/string_map.h"
#include "formats/text/text_fields.h"

struct qn_naming;

/* Where an edge stands whose ends must be vertices that came before. */
struct qn_place {
  const char *file; /* stays until the end */
  uint64_t line, column;
};

/* Edges go into a stream with this number. Owned until end. */
enum qn_status qn_naming_begin(struct qn_string_map *map, struct qn_edge_list *list,
                               uint64_t sequence, struct qn_naming **out, struct qn_error *error);

/* The next vertex, or edge; the texts are copied. QN_INVALID if one is no name. Else what failed
 * may be of an element before: then the end says it again. `place` is NULL where ends may be new.
 */
enum qn_status qn_naming_vertex(struct qn_naming *naming, struct qn_text name,
                                struct qn_error *error);
enum qn_status qn_naming_edge(struct qn_naming *naming, struct qn_text source,
                              struct qn_text destination, enum qn_weight_type type, uint64_t bits,
                              const struct qn_place *place, struct qn_error *error);

/* After the last one, whatever became of the reading, whose status is `status`: what naming has
 * failed with is the first that is wrong in the file, and put in the place of that. `*declared` is
 * how many names there were before the first edge. NULL is allowed. */
enum qn_status qn_naming_end(struct qn_naming *naming, enum qn_status status, uint64_t *declared,
                             struct qn_error *error);
