/* Renumbering the ends of all edges of a list. */
#pragma once

#include <stdint.h>

#include "converters/edges/edge_list.h"

/* Replace every id v by new_of_old[v], in parallel. All ids are below 2^32 and the map's length.
 * All streams must be closed. Fails only if the list is on disk, or has views. */
enum qn_status qn_edge_list_renumber(struct qn_edge_list *list, const uint32_t *new_of_old,
                                     struct qn_error *error);
