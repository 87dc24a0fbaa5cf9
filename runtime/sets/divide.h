/* Edges of a set divided in two dimensions: ranks in a grid, each of which takes from the parts of
 * its row's ranks the edges that begin in its column (struct qn_set_block). */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "runtime/sets/run_set.h"

/* As qn_set_view's divide: by whole rows, unless the user asks for a grid, or for the one by which
 * a rank gets the least bytes in an iteration. That is taken if in all iterations it saves more
 * than there are bytes of edges to read beside a rank's own, there is a part for each rank, and
 * memory suffices. */
enum qn_status qn_set_divide(struct qn_run_set *run, const struct qn_set_demand *demand,
                             const struct qn_set_block **block, struct qn_error *error);
/* Give the block back. */
void qn_set_undivide(struct qn_run_set *run);

/* What was chosen, for a report, a new reference; NULL if nobody has asked. */
json_t *qn_division_json(const struct qn_run_set *run);
