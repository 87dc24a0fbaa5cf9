/* A container with an index of its edges by time (formats/properties/time_index.h), else as it is.
 */
#pragma once

#include "support/options.h"
#include <quern/graph.h>

/* "index-time": of this. */
extern const struct qn_setting qn_index_settings[];

struct qn_index_options {
  const char *property; /* of edges, by which they are to be found; NULL: none */
};

/* Write `container`, of the layout graph, with such an index to `path` (NULL: in memory); indexes
 * that there are stay. `*out`, unless `out` is NULL, becomes the result, mapped. QN_USAGE if there
 * is no such property, or it is no date, time or integer. */
enum qn_status qn_index_time(const struct qn_index_options *options,
                             struct qn_container *container, const char *path, bool replace,
                             struct qn_container **out, struct qn_error *error);

/* A notice, if `container` has an index that who writes another one of it leaves out. */
void qn_index_time_note_lost(const struct qn_container *container);
