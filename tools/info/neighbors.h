/* The neighbours of one vertex, as quern-info --neighbors shows them: of a container on a server
 * little more comes than they. */
#pragma once

#include <stdbool.h>

#include <quern/error.h>

/* Print the ids that the edges out of `vertex`, an id, lead to: one a line, with its weight behind
 * a tab, or as JSON. */
enum qn_status qn_neighbors_show(const char *path, const char *vertex, bool json,
                                 struct qn_error *error);
