/* The whole of a transformation: a graph into a graph container, with its provenance. */
#pragma once

#include <jansson.h>

#include "converters/edges/ledger.h"
#include "converters/graph/transform.h"
#include "converters/transform/part.h"
#include "support/memory_plan.h"

enum qn_in_edges { QN_IN_EDGES_AS_IS, QN_IN_EDGES_ALSO, QN_IN_EDGES_NO };

struct qn_transform_options {
  struct qn_part_choice part; /* qn_part_settings are of this */
  struct qn_transform transform;
  enum qn_in_edges in_edges;
  bool seed_given;
  bool strict; /* refuse what is warned of */
};

/* By the names of quern-transform's options. */
extern const struct qn_setting qn_transform_settings[];

void qn_transform_options_begin(struct qn_transform_options *options);
/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_transform_options_settle(const struct qn_transform_options *options,
                                           struct qn_error *error);
/* Is anything asked for? */
bool qn_transform_options_are_any(const struct qn_transform_options *options);

/* Plan memory for the transformation of a container with this header; see qn_memory_plan_make. */
enum qn_status qn_transform_plan(const struct qn_transform_options *options,
                                 const struct qn_container *container,
                                 const struct qn_memory_options *memory, const char *output,
                                 struct qn_memory_plan *plan, struct qn_error *error);

struct qn_transform_report {
  struct qn_container_info info;
  struct qn_ledger ledger;
  json_t *provenance;
};

/* Transform the graph of a container, checked, into `path` (NULL: in memory), for `tool`. `*out`,
 * unless `out` is NULL, becomes the result, mapped. The caller gives the report's provenance back,
 * also after a failure. */
enum qn_status qn_transform_run(const struct qn_transform_options *options,
                                const struct qn_container *container, const struct qn_graph *graph,
                                const char *tool, const char *path, bool replace,
                                struct qn_transform_report *report, struct qn_container **out,
                                struct qn_error *error);
