/* Cutting work into chunks whose shape does not depend on the number of threads,
 * so that floating-point sums come out the same on every machine. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* Vertices of one chunk of a sweep over all vertices. */
#define QN_SWEEP_VERTICES 4096

/* A sum over vertices: one part a chunk, added up in order. */
struct qn_sum {
  double *parts; /* [num_parts] */
  uint64_t num_parts;
};

enum qn_status qn_sum_create(struct qn_sum *sum, uint64_t num_parts, struct qn_error *error);
void qn_sum_destroy(struct qn_sum *sum);
double qn_sum_total(const struct qn_sum *sum);

static inline uint64_t qn_sweep_chunks(uint64_t num_vertices) {
  return (num_vertices + QN_SWEEP_VERTICES - 1) / QN_SWEEP_VERTICES;
}

/* Edges (and rows, which cost about as much as an edge) of one chunk of rows. */
#define QN_CHUNK_EDGES ((uint64_t)1 << 15)
/* A row of more edges is a hub, whose edges many threads share. */
#define QN_HUB_EDGES ((uint64_t)1 << 18)

/* Rows of a CSR cut into chunks of about QN_CHUNK_EDGES: chunk c is rows
 * [bounds[c], bounds[c+1]). */
struct qn_row_chunks {
  uint64_t num_chunks;
  uint32_t *bounds; /* [num_chunks + 1] */
  uint64_t num_hubs;
  uint32_t *hubs; /* [num_hubs] rows of more than QN_HUB_EDGES, ascending */
};

/* How many chunks so many rows and edges become. */
static inline uint64_t qn_row_chunks_of(uint64_t num_rows, uint64_t num_edges) {
  return (num_edges + num_rows) / QN_CHUNK_EDGES + 1;
}

/* `row_offsets` has num_rows + 1 entries. Owned until qn_row_chunks_destroy. */
enum qn_status qn_row_chunks_create(struct qn_row_chunks *chunks, const uint64_t *row_offsets,
                                    uint64_t num_rows, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_row_chunks_destroy(struct qn_row_chunks *chunks);
