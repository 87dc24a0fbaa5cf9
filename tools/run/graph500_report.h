/* What quern-run graph500 tells: the fields of the benchmark's output, in its order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#define QN_GRAPH500_KEYS 64

/* The searches by one kernel. */
struct qn_graph500_searches {
  char kernel[64], device[16];
  double seconds[QN_GRAPH500_KEYS];
  double validate_seconds[QN_GRAPH500_KEYS];
};

struct qn_graph500_report {
  uint64_t num_vertices, num_edges; /* of the input's list, where an undirected edge is one */
  double construction_seconds;
  uint64_t seed;
  unsigned num_keys;
  char *keys[QN_GRAPH500_KEYS];           /* original ids */
  double edges[QN_GRAPH500_KEYS];         /* of the list, in the component that was searched */
  uint64_t num_reached[QN_GRAPH500_KEYS]; /* vertices */
  struct qn_graph500_searches bfs, sssp;
  bool has_sssp;
};

/* The lines of the reference implementation, on standard output. */
void qn_graph500_print(const struct qn_graph500_report *report);
/* The same and each search (docs/json.md); NULL: memory ran out. */
json_t *qn_graph500_json(const struct qn_graph500_report *report);
