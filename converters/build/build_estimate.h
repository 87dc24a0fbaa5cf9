/* What building a graph will take, for support/memory_plan.h. */
#pragma once

#include "converters/build/build.h"
#include "support/memory_plan.h"

/* What is known of the edges to come. */
struct qn_expected_edges {
  bool unknown;
  uint64_t num_edges;    /* about */
  uint64_t most_edges;   /* surely no more */
  uint64_t num_vertices; /* about */
  uint64_t file_bytes;   /* of input that is mapped */
  unsigned weight_bytes; /* about; 0: none */
  unsigned most_weight_bytes;
  bool given_vertices;    /* ids are vertices */
  double seconds_to_read; /* by one thread, or from the disk */
};

/* The estimate for building with `build`. `kept` is not set, and is added to `least` by callers. */
struct qn_work_estimate qn_build_estimate(const struct qn_build *build,
                                          const struct qn_expected_edges *edges);
