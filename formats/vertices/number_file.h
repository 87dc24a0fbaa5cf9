/* Files that say a number of some vertices of a graph, by their original ids:
 *
 *   lines     ID NUMBER      as quern-run -o writes them; columns are separated by a tab, else by a
 *                            comma, else by blanks; empty lines are ignored, and those that begin
 *                            with # or %, and a header "id,...", unless a vertex is called so
 *   an array  NAME.npy       of a number for each vertex in original order (NumPy)
 *
 * Packed files are unpacked (input.h). */
#pragma once

#include <stdint.h>

#include <quern/ids.h>

/* Read the number of every vertex to `numbers` [V], by vertices of the graph; those that lines do
 * not name have 0. QN_INVALID, with the line or the index, if an id is no vertex's, a vertex is
 * named twice, or a number is none, or not finite. */
enum qn_status qn_numbers_read(const char *path, const struct qn_ids *ids, double *numbers,
                               struct qn_error *error);

/* The same of a result that a run has written: every vertex has a number, none is negative, and what
 * was not reached is infinite, in an array of whole numbers the largest of its type. Whole numbers
 * are at most 2^53. */
enum qn_status qn_result_numbers_read(const char *path, const struct qn_ids *ids, double *numbers,
                                      struct qn_error *error);

/* Vertices in the order in which a file names them, each once. */
struct qn_vertex_list {
  uint32_t *vertices; /* [count] of the graph */
  double *weights;    /* [count] */
  uint64_t count, capacity;
  bool weighted; /* some line said a weight; the others are 1 */
};

/* Read lines "ID" or "ID WEIGHT", where a weight is more than 0. QN_INVALID, with the line, if an
 * id is no vertex's, a vertex is named twice, a weight is none, or there is no line. Owned until
 * destroy. */
enum qn_status qn_vertex_list_read(const char *path, const struct qn_ids *ids,
                                   struct qn_vertex_list *list, struct qn_error *error);
/* A zeroed list is allowed. */
void qn_vertex_list_destroy(struct qn_vertex_list *list);

/* Pairs of vertices in the order in which a file names them, as often as it does. */
struct qn_pair_list {
  uint32_t (*vertices)[2]; /* [count] of the graph */
  uint64_t count, capacity;
};

/* Read lines "ID ID"; more columns are ignored. QN_INVALID, with the line, if an id is no vertex's
 * or missing, or there is no line. Owned until destroy. */
enum qn_status qn_pair_list_read(const char *path, const struct qn_ids *ids,
                                 struct qn_pair_list *list, struct qn_error *error);
/* A zeroed list is allowed. */
void qn_pair_list_destroy(struct qn_pair_list *list);
