/* What a group of vertices is called. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* `labels` [V] says of each vertex one that stands for its group, the same for all of the group.
 * Make it the least position in original order of the group's vertices. `positions` [V]; NULL: a
 * vertex's position is itself. */
enum qn_status qn_label_by_position(uint32_t *labels, uint64_t num_vertices,
                                    const uint32_t *positions, struct qn_error *error);
