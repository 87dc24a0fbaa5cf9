/* Partitions of vertices that others have made: as a file says them, or as a library that is called
 * finds them. */
#pragma once

#include <quern/graph.h>

/* Read the part of every vertex to `parts` [V], by vertices of the graph, from a file that METIS and
 * others write: a number from 0 to num_parts - 1 a line, for each vertex in the container's order,
 * which is that of its METIS file. One called NAME.npy is an array of such numbers, for the vertices
 * in original order (NumPy). QN_INVALID, with the line, if it says something else, or not as many. */
enum qn_status qn_partition_read(const char *path, const struct qn_ids *ids, uint64_t num_parts,
                                 uint32_t *parts, struct qn_error *error);

/* Are all of these less than `num_parts`? QN_INVALID with the first that is not. */
enum qn_status qn_partition_check(const uint32_t *parts, uint64_t count, uint64_t num_parts,
                                  struct qn_error *error);
