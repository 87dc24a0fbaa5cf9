/* Edges whose ends and weights lie in arrays of numbers. */
#pragma once

#include "converters/edges/edge_list.h"
#include "formats/arrays/number_array.h"

struct qn_edge_columns {
  struct qn_number_array sources;      /* whole numbers */
  struct qn_number_array destinations; /* whole numbers */
  bool alternate;                      /* sources and destinations take turns in `sources` */
  struct qn_number_array weights;      /* if their type is one */
  enum qn_weight_type weight_type;
  uint64_t num_edges;
  uint32_t part_edges; /* qn_edge_view_capacity */
};

/* Push all edges, with all threads, as streams numbered from `*sequence` on, which becomes the
 * first unused number. Of numbers that stay the list may keep no more than where they are:
 * `columns` must outlive it then. `*bad_edge` is the first edge that has a negative id, UINT64_MAX
 * if none has. */
enum qn_status qn_edge_columns_push(const struct qn_edge_columns *columns,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    uint64_t *bad_edge, struct qn_error *error);
