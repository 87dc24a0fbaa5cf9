/* quern-run graph500: the searches of the Graph500 benchmark (its specification, version 3), each
 * validated by the benchmark's rules. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_graph500_options {
  const char *path;   /* an undirected container; or a directed one, whose edges are the benchmark's
                         list: the graph is constructed of them first */
  const char *device; /* as --device says */
  const char *seed;   /* of the search keys; NULL: 1 */
  bool json, quiet;
};

/* Search from 64 vertices and print the fields of the benchmark's output. QN_NEGATIVE if a search
 * gave no tree of shortest paths. */
enum qn_status qn_graph500(const struct qn_graph500_options *options, struct qn_error *error);
