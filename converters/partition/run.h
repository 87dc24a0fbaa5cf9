/* A partition as a whole: a container once more, with a column that says the part of each vertex or
 * edge. */
#pragma once

#include "converters/partition/measure.h"
#include "converters/partition/options.h"
#include "support/memory_plan.h"

struct qn_partition_report {
  struct qn_partition_figures figures;
  double seconds;  /* of the partitioning itself */
  uint64_t memory; /* bytes that it kept */
};

/* Plan memory for a container with this header; see qn_memory_plan_make. */
enum qn_status qn_partition_plan(const struct qn_partition_options *options,
                                 const struct qn_container *container,
                                 const struct qn_memory_options *memory, const char *output,
                                 struct qn_memory_plan *plan, struct qn_error *error);

/* Write a plain container of any layout, whose graph has been checked, to `path` (NULL: in memory)
 * with the column added, and what was asked for in its metadata, "partitions". `*out`, unless `out`
 * is NULL, becomes the result, mapped. The method streams (options.h). QN_USAGE for more parts than
 * vertices or edges, or a column that is there already. */
enum qn_status qn_partition_run(const struct qn_partition_options *options,
                                const struct qn_container *container, const struct qn_graph *graph,
                                const char *path, bool replace, struct qn_partition_report *report,
                                struct qn_container **out, struct qn_error *error);
