/* Names of vertices that formats imply without listing them. */
#pragma once

#include <stdint.h>

#include <quern/error.h>
#include <quern/ids.h>

/* Vertices 0, 1, ... called 1, 2, ... `*memory` holds what `names` points to, until qn_free. */
enum qn_status qn_names_from_one(uint64_t num_vertices, struct qn_ids *names, void **memory,
                                 struct qn_error *error);

/* The two sides of a bipartite graph: vertices called L1 to L<left>, then R1 to R<right>. */
enum qn_status qn_names_two_sided(uint64_t left, uint64_t right, struct qn_ids *names,
                                  void **memory, struct qn_error *error);
