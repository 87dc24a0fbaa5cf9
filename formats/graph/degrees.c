#include "formats/graph/degrees.h"

#include <omp.h>
#include <stdlib.h>

#include "support/memory.h"
#include "support/threads.h"

const struct qn_degree_quantile qn_degree_quantiles[QN_DEGREE_QUANTILES] = {
    {250, "p25"}, {500, "median"}, {750, "p75"}, {900, "p90"}, {990, "p99"}, {999, "p999"}};

/* Smaller degrees are counted one by one; there are few vertices of larger ones. */
#define FEW ((uint64_t)4096)

/* A count of vertices by degree. */
struct counts {
  uint64_t *small;  /* [FEW] */
  uint64_t *tables; /* [num_tables x FEW], one a thread */
  uint64_t num_tables;
  uint64_t *large; /* [num_large] the other degrees, ascending */
  uint64_t num_large;
};

static void counts_destroy(struct counts *counts) {
  qn_free(counts->large);
  qn_free(counts->tables);
  qn_free(counts->small);
}

static void count_small(const uint64_t *row_offsets, uint64_t num_vertices, struct counts *counts) {
  uint64_t num_large = 0;
#pragma omp parallel reduction(+ : num_large)
  {
    uint64_t *table = counts->tables + (uint64_t)omp_get_thread_num() * FEW;
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++) {
      uint64_t degree = row_offsets[v + 1] - row_offsets[v];
      if (degree < FEW)
        table[degree]++;
      else
        num_large++;
    }
#pragma omp for schedule(static)
    for (uint64_t degree = 0; degree < FEW; degree++)
      for (uint64_t t = 0; t < counts->num_tables; t++)
        counts->small[degree] += counts->tables[t * FEW + degree];
  }
  counts->num_large = num_large;
}

static int compare_degrees(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void list_large(const uint64_t *row_offsets, uint64_t num_vertices, struct counts *counts) {
  uint64_t next = 0;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    if (row_offsets[v + 1] - row_offsets[v] >= FEW)
      counts->large[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)] =
          row_offsets[v + 1] - row_offsets[v];
  qsort(counts->large, counts->num_large, sizeof *counts->large, compare_degrees);
}

static enum qn_status count_degrees(const uint64_t *row_offsets, uint64_t num_vertices,
                                    struct counts *counts, struct qn_error *error) {
  *counts = (struct counts){.num_tables = qn_threads()};
  enum qn_status status;
  if ((status = qn_alloc_zeroed(&counts->small, FEW, sizeof *counts->small, "degrees", error)) ||
      (status = qn_alloc_zeroed(&counts->tables, counts->num_tables * FEW, sizeof *counts->tables,
                                "degrees", error)))
    return status;
  count_small(row_offsets, num_vertices, counts);
  status = qn_alloc(&counts->large, counts->num_large, sizeof *counts->large, "degrees", error);
  if (!status && counts->num_large)
    list_large(row_offsets, num_vertices, counts);
  return status;
}

/* The degree of the vertex at `rank` if vertices were sorted by degree. */
static uint64_t degree_at(const struct counts *counts, uint64_t rank) {
  for (uint64_t degree = 0; degree < FEW; degree++) {
    if (rank < counts->small[degree])
      return degree;
    rank -= counts->small[degree];
  }
  return counts->large[rank];
}

static unsigned bin_of(uint64_t degree) {
  return degree ? 64 - (unsigned)__builtin_clzll(degree) : 0;
}

/* The place of the quantile, rounded up: `permille` of so many vertices, less one. */
static uint64_t rank_of(uint64_t num_vertices, unsigned permille) {
  uint64_t below = num_vertices / 1000 * permille;
  uint64_t rest = num_vertices % 1000 * permille;
  uint64_t vertices = below + (rest + 999) / 1000;
  return vertices ? vertices - 1 : 0;
}

enum qn_status qn_degrees_of(const uint64_t *row_offsets, uint64_t num_vertices,
                             struct qn_degree_figures *degrees, struct qn_error *error) {
  struct counts counts;
  *degrees = (struct qn_degree_figures){.num_vertices = num_vertices};
  if (num_vertices == 0)
    return QN_OK;
  enum qn_status status = count_degrees(row_offsets, num_vertices, &counts, error);
  if (!status) {
    degrees->min = degree_at(&counts, 0);
    degrees->max = degree_at(&counts, num_vertices - 1);
    degrees->mean = (double)(row_offsets[num_vertices] - row_offsets[0]) / (double)num_vertices;
    for (unsigned i = 0; i < QN_DEGREE_QUANTILES; i++)
      degrees->quantiles[i] =
          degree_at(&counts, rank_of(num_vertices, qn_degree_quantiles[i].permille));
    for (uint64_t degree = 0; degree < FEW; degree++)
      degrees->bins[bin_of(degree)] += counts.small[degree];
    for (uint64_t i = 0; i < counts.num_large; i++)
      degrees->bins[bin_of(counts.large[i])]++;
  }
  counts_destroy(&counts);
  return status;
}
