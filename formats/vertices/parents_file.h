/* Parents of vertices, as quern-run --parents writes them: lines "id<TAB>parent" of the vertices
 * that have one, in any order, by original ids, or lines "id,parent" below a header; or a NumPy
 * array (.npy) of a whole number for each vertex in original order, the parent's place in that
 * order, where a negative number, or the largest of an unsigned type, says that there is none.
 * Packed files are unpacked (input.h). */
#pragma once

#include <stdint.h>

#include <quern/ids.h>

#define QN_NO_PARENT UINT32_MAX

/* `parents` [V], by vertices of the graph. QN_INVALID with the line or the index if the file is of
 * another form, an id is no vertex's, or a vertex has two parents. */
enum qn_status qn_parents_read(const char *path, const struct qn_ids *ids, uint32_t *parents,
                               struct qn_error *error);
