/* Look-ups of single vertices and edges, for a program that walks a graph itself.
 *
 *   uint32_t vertex;
 *   const uint64_t id = 4711;
 *   if (qn_session_find_numbers(session, &id, 1, &vertex, NULL, &error)) ...
 *   struct qn_row row = {.size = sizeof row};
 *   if (qn_session_row(session, QN_ROWS_OUT, vertex, &row, &error)) ...
 *   ... row.columns[0 .. row.num_edges) ...
 *
 * The first look-up prepares what the others use, as qn_session_out_edges and qn_session_in_edges
 * do: nothing where rows are stored; otherwise rows are restored into memory. After that a look-up
 * takes some ten nanoseconds, and as many for each bisection of a table of ids. More than 65,536
 * numbers at once are found by an index of 4 bytes an id, which is made then, in two reads each.
 * Any thread may call.
 *
 * Of a container on a server (remote.h) a row of the layout graph, and ids that are dense or
 * ascend, come by themselves when one asks for some of them, and nothing else does. */
#ifndef QUERN_LOOKUP_H
#define QUERN_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

enum qn_rows {
  QN_ROWS_OUT = 0, /* a row has the edges out of its vertex */
  QN_ROWS_IN = 1,  /* into its vertex */
};

struct qn_row {
  uint64_t size; /* sizeof(struct qn_row), set before the call */
  uint64_t num_edges;
  uint64_t first;          /* the number of its first edge, in the order of these rows */
  const uint32_t *columns; /* [num_edges] vertices at the other end, ascending */
  const void *weights;     /* [num_edges] of the graph's type; NULL: there are none */
};

/* The edges of one vertex. QN_USAGE if there is no such vertex; QN_INVALID if its row does not lie
 * within the graph. Columns are not checked (see qn_session_verify). */
enum qn_status qn_session_row(struct qn_session *session, enum qn_rows which, uint32_t vertex,
                              struct qn_row *row, struct qn_error *error);

/* How many edges rows have: degrees[i] of vertices[i]. NULL for `vertices`: of the first `count`.
 */
enum qn_status qn_session_degrees(struct qn_session *session, enum qn_rows which,
                                  const uint32_t *vertices, uint64_t count, uint64_t *degrees,
                                  struct qn_error *error);

/* As qn_session_find, for a graph whose ids are numbers: the vertices with these `count` ids.
 * QN_USAGE where ids are texts. Ids are checked when they are first looked up. */
enum qn_status qn_session_find_numbers(struct qn_session *session, const uint64_t *ids,
                                       uint64_t count, uint32_t *vertices, bool *found,
                                       struct qn_error *error);

/* The other way: what these vertices are called, where ids are numbers (dense ones are the vertices
 * themselves). QN_USAGE where ids are texts, and for a number without a vertex. */
enum qn_status qn_session_numbers_of(struct qn_session *session, const uint32_t *vertices,
                                     uint64_t count, uint64_t *ids, struct qn_error *error);

/* The same where ids are texts: texts[i], of lengths[i] bytes and without a NUL behind it, stays as
 * long as the session. QN_USAGE where ids are numbers. */
enum qn_status qn_session_texts_of(struct qn_session *session, const uint32_t *vertices,
                                   uint64_t count, const char **texts, uint64_t *lengths,
                                   struct qn_error *error);

/* Edges as users count them: of an undirected graph each once, not as they are stored. The count
 * comes from the metadata; without it the self-loops are counted, once, which reads every row. */
enum qn_status qn_session_count_edges(struct qn_session *session, const struct qn_job *job,
                                      uint64_t *num_edges, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
