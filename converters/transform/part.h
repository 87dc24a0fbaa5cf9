/* Which part of a graph is asked for (converters/graph/subgraph.h). */
#pragma once

#include <jansson.h>

#include "converters/graph/subgraph.h"
#include "support/options.h"

enum qn_part {
  QN_PART_ALL,
  QN_PART_EGONET,
  QN_PART_INDUCED,
  QN_PART_CROSS_EDGES,
  QN_PART_KCORE,
  QN_PART_CONTRACT
};

/* Zero it: all of the graph. */
struct qn_part_choice {
  enum qn_part part;
  const char *center; /* original id */
  uint64_t hops;
  bool hops_given, along_given;
  enum qn_along along;
  const char *file;         /* of vertices or groups */
  const uint32_t *vertices; /* of QN_PART_INDUCED without a file: [num_vertices] */
  uint64_t num_vertices;
  uint64_t core; /* QN_PART_KCORE: the least degree */
};

/* "egonet", "hops", "along", "induced", "cross-edges", "kcore", "contract", by the names of
 * quern-transform's options.
 */
extern const struct qn_setting qn_part_settings[];

void qn_part_begin(struct qn_part_choice *choice);
/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_part_settle(const struct qn_part_choice *choice, struct qn_error *error);

/* Make the part, which is not QN_PART_ALL, and record the choice in the provenance. */
enum qn_status qn_part_create(const struct qn_part_choice *choice, const struct qn_graph *graph,
                              json_t *provenance, struct qn_subgraph *subgraph,
                              struct qn_error *error);
