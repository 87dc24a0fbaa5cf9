/* Edges between names, which get their numbers some at a time (formats/text/string_map.h). Names
 * have been looked at before: they are names. */
#pragma once

#include "converters/edges/edge_list.h"
#include "converters/parse/text_lines.h"
#include "formats/text/string_map.h"

#define QN_WAITING_EDGES (QN_WAITING_NAMES / 2)

/* Zeroed to begin with. */
struct qn_waiting_edges {
  uint32_t count;
  struct qn_waiting_name names[QN_WAITING_NAMES]; /* source and destination of each */
  enum qn_weight_type types[QN_WAITING_EDGES];
  uint64_t bits[QN_WAITING_EDGES];
};

/* Number the names and push the edges. QN_INVALID if there are too many names, QN_SYSTEM without
 * memory. */
enum qn_status qn_waiting_edges_push(struct qn_waiting_edges *edges, struct qn_string_map *map,
                                     struct qn_edge_stream *stream, struct qn_error *error);

/* The same for a part of a text, which has counted the edges: it stops if there is an error. */
void qn_waiting_edges_push_part(struct qn_waiting_edges *edges, struct qn_string_map *map,
                                struct qn_text_part *part);

/* Where the next edge's two names belong; edges must be pushed when there are QN_WAITING_EDGES. The
 * names' bytes stay until then. */
static inline struct qn_waiting_name *qn_waiting_edge_add(struct qn_waiting_edges *edges,
                                                          enum qn_weight_type type, uint64_t bits) {
  edges->types[edges->count] = type;
  edges->bits[edges->count] = bits;
  return &edges->names[2 * edges->count++];
}
