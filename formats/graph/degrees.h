/* How the degrees of a graph are distributed. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* Bin 0 is degree 0, bin b > 0 degrees 2^(b-1) to 2^b - 1. */
#define QN_DEGREE_BINS 65
#define QN_DEGREE_QUANTILES 6

struct qn_degree_figures {
  uint64_t num_vertices;
  uint64_t min, max; /* 0 without vertices */
  double mean;
  uint64_t quantiles[QN_DEGREE_QUANTILES]; /* by qn_degree_quantiles */
  uint64_t bins[QN_DEGREE_BINS];           /* vertices in each */
};

/* Quantile i: the least degree that at least permille / 1000 of the vertices do not exceed. */
struct qn_degree_quantile {
  unsigned permille;
  const char *name; /* "p25", "median" */
};
extern const struct qn_degree_quantile qn_degree_quantiles[QN_DEGREE_QUANTILES];

/* The degrees of rows [row_offsets[v], row_offsets[v + 1]), which must ascend. Takes about 8 bytes
 * for every 4096 edges, and 32 KB a thread. */
enum qn_status qn_degrees_of(const uint64_t *row_offsets, uint64_t num_vertices,
                             struct qn_degree_figures *degrees, struct qn_error *error);
