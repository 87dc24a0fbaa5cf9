/* The command-line options that choose a part of a graph (subgraph.h). */
#ifndef QN_TOOLS_PART_OPTIONS_H
#define QN_TOOLS_PART_OPTIONS_H

#include <argp.h>
#include <jansson.h>

#include "converters/graph/subgraph.h"

#ifdef __cplusplus
extern "C" {
#endif

enum qn_part { QN_PART_ALL, QN_PART_EGONET, QN_PART_INDUCED, QN_PART_CROSS_EDGES };

/* Zero it: all of the graph. */
struct qn_part_choice {
  enum qn_part part;
  const char *center; /* original id */
  uint64_t hops;
  bool hops_given, along_given;
  enum qn_along along;
  const char *file; /* of vertices or groups */
};

/* A child for an argp parser, whose input is a `struct qn_part_choice`: --egonet, --hops, --along,
 * --induced, --cross-edges. The child's group is 3. */
extern const struct argp qn_part_argp;

/* Make the part, which is not QN_PART_ALL, and record the choice in the provenance. */
enum qn_status qn_part_create(const struct qn_part_choice *choice, const struct qn_graph *graph,
                              json_t *provenance, struct qn_subgraph *subgraph,
                              struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
