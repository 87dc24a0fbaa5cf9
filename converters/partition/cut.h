/* A graph cut by a partition of its vertices: a set, each of whose parts has the rows of the
 * vertices of one part. */
#pragma once

#include <quern/graph.h>

#include "formats/set/set.h"

/* Make a set of a graph, which has been checked, and of its container, where the property `column`
 * says the part of each vertex (column.h): vertices are renumbered by their parts, and keep their
 * order in them and their ids. `options` say which rows there are; their number of parts is
 * ignored. QN_USAGE if the column is of edges or has more than QN_SET_MAX_PARTS parts. */
enum qn_status qn_partition_cut(const struct qn_container *container, const struct qn_graph *graph,
                                const char *column, const struct qn_set_options *options,
                                const char *tool, const char *path, bool force, struct qn_set **out,
                                struct qn_error *error);
