/* quern-run graphalytics: the LDBC Graphalytics benchmark's algorithms on one of its graphs, with
 * the parameters that the graph's properties name (the benchmark's specification, "Algorithms" and
 * "Output"). */
#pragma once

#include <stdbool.h>

#include <quern/error.h>

struct qn_graphalytics_options {
  const char *path;   /* NAME.properties, or the folder that it is the only one in */
  const char *output; /* folder for NAME-BFS, NAME-PR, ...; NULL: nothing is written */
  const char *device; /* as --device says */
  bool force, json;
};

/* Import the graph, run the algorithms that its properties list, and print a line for each. */
enum qn_status qn_graphalytics(const struct qn_graphalytics_options *options,
                               struct qn_error *error);
