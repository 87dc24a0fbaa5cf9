/* A graph built by several ranks, each of which has some of its edges, into the parts of a set.
 *
 *   the ids, or names, of all ranks are numbered as if one had them all       numbering.c, keys.c
 *   edges go to the ranks that have the rows which they are of               trade.c, send.c
 *   each rank builds its rows                                                 rows.c
 *   ... and learns whose properties its edges have                            records.c
 *   ranges are cut, rows at their borders change ranks, files are written     parts.c
 *   ... with the values of their edges, from the ranks that read them         values.c
 *
 * The files are those that one machine writes: the order of edges is that of the input, which is
 * that of the ranks, and in a rank the one of its list. */
#pragma once

#include "converters/build/build.h"
#include "converters/parse/reader.h"
#include "formats/set/set.h"
#include "support/ranks/collective.h"
#include <quern/properties.h>

/* The number of a record of properties says which rank has it, and where among its own. */
#define QN_DISTRIBUTED_RECORD_BITS 40

/* Properties of a graph that is spread. */
struct qn_distributed_properties {
  /* This rank's edges once more, in the same order: vertices for ids, and for weights, as i64, the
   * numbers of their records, `rank << QN_DISTRIBUTED_RECORD_BITS` and what follows. NULL: edges
   * have no properties. Used up. */
  struct qn_edge_list *list;
  /* Those of edges have the same names and types everywhere, and this rank's values; those of
   * vertices are the first rank's. */
  struct qn_properties columns;
  uint64_t *of_vertex; /* [V] at the first rank: the record of each vertex, or QN_NO_RECORD */
};

struct qn_distributed_job {
  const struct qn_collective *ranks;
  struct qn_edge_list *list;     /* this rank's edges; what it has is used up */
  const struct qn_build *build;  /* the same on all ranks, but for extra ids, which are this rank's;
                                    names are taken from `result` */
  struct qn_read_result *result; /* of this rank: names of vertices; NULL: there are none */
  const struct qn_set_options *set;
  const char *path;
  bool replace;
  /* The first rank's: write the metadata of the graph, whose ledger is complete. */
  enum qn_status (*write_metadata)(void *context, struct qn_writer *writer, struct qn_error *error);
  /* NULL: there are no properties. Called when the rows are built; `about` says what vertices are
   * called, how many there are, the directedness and the type of weights. What it gives stays the
   * caller's. */
  enum qn_status (*read_properties)(void *context, const struct qn_graph *about,
                                    struct qn_distributed_properties *properties,
                                    struct qn_error *error);
  void *context;
};

/* What was read by all ranks together: counts are sums, what one has found all have. Names and
 * extra ids stay each rank's. `declares`: this rank has read who declares the vertices (if several
 * have: QN_INVALID, in `file`). */
enum qn_status qn_distributed_results(const struct qn_collective *ranks,
                                      struct qn_read_result *result, bool declares,
                                      const char *file, struct qn_error *error);

/* Build, and let the set appear. `ledger` has what this rank has read, and becomes that of all.
 * `*out` describes the set: owned until qn_set_close. */
enum qn_status qn_distributed(const struct qn_distributed_job *job, struct qn_ledger *ledger,
                              struct qn_set **out, struct qn_error *error);
