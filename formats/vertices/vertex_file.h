/* Files that name vertices of a graph by their original ids, a line each:
 *
 *   a list     ID
 *   groups     ID GROUP        GROUP is any text: vertices with the same one are together
 *
 * Columns are separated as in edge lists (a tab, else a comma or semicolon, else blanks; a list's
 * line without tab, comma or semicolon is one id); more columns are ignored, as are blank lines
 * and those that begin with # or %, unless a vertex is called so. So what quern-run -o writes is a
 * file of groups. Packed files are unpacked (input.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/input/input.h"
#include <quern/ids.h>

#define QN_NO_GROUP UINT32_MAX

struct qn_vertex_groups {
  uint64_t num_vertices;
  uint32_t *of;        /* [V] group of a vertex, or QN_NO_GROUP */
  uint64_t num_named;  /* vertices in some group */
  uint64_t num_groups; /* at most 1 for a list */
};

/* All vertices in no group. Owned until destroy. */
enum qn_status qn_vertex_groups_create(uint64_t num_vertices, struct qn_vertex_groups *groups,
                                       struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_vertex_groups_destroy(struct qn_vertex_groups *groups);

/* Read a list (its vertices are group 0), or with `with_groups` groups, numbered in the order in
 * which the file names them. `base_name` (NULL, or 256 bytes) and `digest` (may be NULL) tell
 * what was read. QN_INVALID with the line for an id that no vertex has, a missing group, or a
 * vertex in two groups. Owned until destroy. */
enum qn_status qn_vertex_file_read(const char *path, const struct qn_ids *ids, bool with_groups,
                                   struct qn_vertex_groups *groups, char *base_name,
                                   struct qn_input_digest *digest, struct qn_error *error);
