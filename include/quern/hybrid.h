/* The hybrid layout: a dense part of fixed width (ELL) and a sparse rest (COO)
 * (specs/hybrid.md). From Yang et al., HPGraph: High-Performance Graph Analytics with Productivity
 * on the GPU, 2018, section 3.2, after Bell and Garland's HYB format. */
#ifndef QUERN_HYBRID_H
#define QUERN_HYBRID_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/graph.h>
#include <quern/ids.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What fills ELL rows up: no vertex has this id. */
#define QN_HYBRID_PADDING UINT32_MAX
/* The columns of the ELL part are padded to a multiple of this many rows. */
#define QN_HYBRID_PITCH 32
/* Vertices between two entries of coo_starts. */
#define QN_HYBRID_RANGE 1024

/* Header parameters */
enum qn_hybrid_parameter {
  QN_HYBRID_DIRECTIONS = 0, /* set of enum qn_hybrid_directions, not empty */
  QN_HYBRID_IN_WIDTH = 1,   /* K of the in-edges; 0 if they are not there */
  QN_HYBRID_OUT_WIDTH = 2,  /* K of the out-edges; 0 if they are not there */
};

enum qn_hybrid_directions { QN_HYBRID_IN = 1, QN_HYBRID_OUT = 2 };

/* All edges in one direction: row v holds the in-edges (or out-edges) of v, columns are their other
 * ends, ascending. The first K entries of a row are in the ELL part, entry k of row v at
 * [k x pitch + v], the others in the COO part, sorted by row. */
struct qn_hybrid_matrix {
  uint64_t num_vertices;         /* V */
  uint64_t num_edges;            /* E */
  uint64_t num_ranges;           /* R = ceil(V / QN_HYBRID_RANGE) */
  uint64_t width;                /* K */
  uint64_t pitch;                /* V rounded up to a multiple of QN_HYBRID_PITCH */
  uint64_t num_coo;              /* N */
  const uint32_t *ell_columns;   /* [K x pitch] QN_HYBRID_PADDING behind a row's last entry */
  const uint64_t *coo_starts;    /* [R + 1] entries of rows below 1024 r */
  const uint32_t *coo_rows;      /* [N] */
  const uint32_t *coo_columns;   /* [N] */
  struct qn_weights ell_weights; /* [K x pitch] zero where there is padding */
  struct qn_weights coo_weights; /* [N] */
};

struct qn_hybrid {
  struct qn_container *container; /* owned; NULL for borrowed containers */
  enum qn_directedness directedness;
  uint64_t num_vertices;
  uint64_t num_edges;
  const uint32_t *out_degrees; /* [V] */
  bool has_in;                 /* stored, or the same as `out` when undirected */
  bool has_out;                /* stored, or the same as `in` when undirected */
  struct qn_hybrid_matrix in;
  struct qn_hybrid_matrix out;
  struct qn_ids ids;
};

/* The out-degree of a vertex of the graph. */
static inline uint64_t qn_hybrid_out_degree(const struct qn_hybrid *hybrid, uint64_t vertex) {
  return hybrid->out_degrees[vertex];
}

/* Structure: HY-1, sections, and the ends of coo_starts. Check: HY-2 to HY-7 and ID-1 to ID-4.
 * Content: HY-8 to HY-11. */
QN_DECLARE_LAYOUT(hybrid)

/* Entries of row `row` in the ELL part: at most K. */
static inline uint64_t qn_hybrid_ell_length(const struct qn_hybrid_matrix *matrix, uint64_t row) {
  uint64_t low = 0, high = matrix->width; /* entries come before padding */
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (matrix->ell_columns[middle * matrix->pitch + row] != QN_HYBRID_PADDING)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The first entry of the COO part, from `begin` on and before `end`, whose row is at least `row`.
 */
static inline uint64_t qn_hybrid_coo_find(const struct qn_hybrid_matrix *matrix, uint64_t begin,
                                          uint64_t end, uint64_t row) {
  while (begin < end) {
    uint64_t middle = begin + (end - begin) / 2;
    if (matrix->coo_rows[middle] < row)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Where the run of entries of the row of entry `begin` of the COO part ends, at most at `end`. Runs
 * are short or very long: doubling steps, then bisection. */
static inline uint64_t qn_hybrid_coo_run_end(const struct qn_hybrid_matrix *matrix, uint64_t begin,
                                             uint64_t end) {
  uint32_t row = matrix->coo_rows[begin];
  uint64_t step = 1;
  while (begin + step < end && matrix->coo_rows[begin + step] == row)
    step *= 2;
  uint64_t high = begin + step < end ? begin + step : end;
  return qn_hybrid_coo_find(matrix, begin + step / 2, high, (uint64_t)row + 1);
}

/* The entries [*begin, *end) of the COO part that belong to `row`. */
static inline void qn_hybrid_coo_row(const struct qn_hybrid_matrix *matrix, uint64_t row,
                                     uint64_t *begin, uint64_t *end) {
  const uint64_t *starts = matrix->coo_starts + row / QN_HYBRID_RANGE;
  *begin = qn_hybrid_coo_find(matrix, starts[0], starts[1], row);
  *end = qn_hybrid_coo_find(matrix, *begin, starts[1], row + 1);
}

/* Put rows together again: `graph` becomes a graph in memory whose out-rows are the rows of
 * `matrix`, which must have been checked. */
enum qn_status qn_hybrid_unite(const struct qn_hybrid_matrix *matrix, struct qn_graph *graph,
                               struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
