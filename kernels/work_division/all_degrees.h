/* The out-degrees of all vertices of layouts that take long to tell that of one. */
#pragma once

#include <quern/error.h>
#include <quern/graph.h>

/* `degrees` [V] of a checked view; NULL if the layout tells each at once (its out_degree). Owned by
 * the caller (qn_pages_free). */
enum qn_status qn_all_degrees_create(uint64_t **degrees, enum qn_layout layout, const void *view,
                                     struct qn_error *error);
