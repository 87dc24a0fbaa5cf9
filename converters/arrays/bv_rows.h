/* A whole WebGraph as compressed sparse rows, by all threads. */
#pragma once

#include "converters/arrays/bv_scan.h"

/* Fill row_offsets[nodes + 1] and columns[arcs]. One thread finds out where lists begin, by
 * `offsets` or without, while the others decode what is known. The outcome, and what is said of a
 * graph that is none, is the same for any number of threads. Takes 4 bytes a node for places,
 * unless there is one thread alone and no .offsets file. QN_INVALID with node and offset. */
enum qn_status qn_bv_rows(const struct qn_bv_graph *graph, const struct qn_bv_offsets *offsets,
                          uint64_t *row_offsets, uint32_t *columns, struct qn_error *error);
