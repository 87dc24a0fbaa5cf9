/* Graphs into graphs. What is asked for is done in this order:
 *
 *   1. transpose       every edge turns round
 *   2. self loops      are removed
 *   3. symmetrize      the reverse of every edge is added, with its weight
 *   4. duplicates      of edges with the same ends the first stays
 *   5. weights         are drawn at random
 *   6. relabel         vertices are renumbered, and keep their original ids
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/edges/ledger.h"
#include "converters/graph/random_weights.h"
#include "formats/vertices/vertex_file.h"
#include <quern/graph.h>

enum qn_relabel {
  QN_RELABEL_NONE,
  QN_RELABEL_DEGREE, /* by descending degree (of directed graphs: in and out together) of the
                        resulting graph; equal ones keep their order */
  QN_RELABEL_RANDOM,
  QN_RELABEL_RCM,    /* reverse Cuthill-McKee of the graph as it comes in (order.h) */
  QN_RELABEL_LLP,    /* layered label propagation, likewise */
  QN_RELABEL_GORDER, /* Gorder, likewise */
  QN_RELABEL_METIS,  /* parts of METIS, likewise */
  QN_RELABEL_GROUPS, /* vertices of one group in relabel_file beside one another (order.h) */
};

struct qn_transform {
  bool transpose;
  bool remove_self_loops;
  bool symmetrize; /* an undirected graph stays as it is */
  bool remove_duplicates;
  struct qn_random_weights weights; /* of an edge: by its ends and its place among its duplicates;
                                       both directions of an undirected edge have the same */
  enum qn_relabel relabel;
  uint64_t relabel_seed;
  const char *relabel_file;              /* of groups (vertex_file.h) */
  const struct qn_vertex_groups *groups; /* in place of a file; NULL: there is one */
  bool store_in_edges;                   /* of a directed result */
  bool narrow_weights;                   /* of 8 bytes, to f32; the largest error is noted */
};

/* Write the transformed `graph`, which has been checked, into `writer` (fresh): sections, ids and
 * info. Fills the ledger, whose records are the edges stored and those that it says were left out.
 * Takes 8 bytes an edge and those of its weight, and what qn_build_graph takes; with a limit of
 * memory (support/temp_file.h) edges go to temporary files instead. */
enum qn_status qn_transform_graph(const struct qn_graph *graph,
                                  const struct qn_transform *transform, struct qn_writer *writer,
                                  struct qn_ledger *ledger, struct qn_error *error);
