/* quern-info --stats: figures that take a look at every edge. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include <quern/container.h>

/* The object "statistics" of quern-info --json, a new reference: of the graph in a container of any
 * layout. QN_UNSUPPORTED of what holds no graph. */
enum qn_status qn_graph_statistics(struct qn_container *container, json_t **out,
                                   struct qn_error *error);

/* Print it, with a histogram of degrees that is as wide as the terminal. */
void qn_graph_statistics_print(const json_t *statistics, FILE *stream);
