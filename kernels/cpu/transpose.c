/* A stable counting sort by destination in two steps, so that writes stay in the
 * cache: first into buckets of 2^16 destinations, then within each bucket. Parts
 * of the first step are consecutive edges, one part a thread: as both steps keep
 * the order of equals, the outcome does not depend on the number of parts. */
#include "kernels/cpu/transpose.h"

#include <omp.h>
#include <string.h>

#include "support/memory.h"
#include "support/threads.h"

#define BUCKET_BITS 16
#define BUCKET_VERTICES ((uint64_t)1 << BUCKET_BITS)

struct arc {
  uint32_t source;
  uint32_t destination;
};

struct work {
  const struct qn_csr *csr;
  uint64_t num_buckets;
  unsigned parts;
  uint64_t *places;  /* [parts][num_buckets] counts, then where the part's next arc goes */
  uint64_t *buckets; /* [num_buckets + 1] where a bucket begins */
  struct arc *arcs;  /* [E] by bucket */
  uint32_t *weights; /* [E] bits of the arcs' weights, or NULL */
};

/* The row that holds `edge`: the last one that begins at or before it. */
static uint64_t row_of_edge(const struct qn_csr *csr, uint64_t edge) {
  uint64_t low = 0, high = csr->num_vertices;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (csr->row_offsets[middle] <= edge)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static const uint32_t *weight_bits(const struct qn_weights *weights) {
  return weights->type == QN_WEIGHT_F32 ? (const uint32_t *)weights->f32 : weights->u32;
}

static void count_buckets(struct work *work) {
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < work->parts; part++) {
    uint64_t begin, end, *counts = work->places + part * work->num_buckets;
    qn_part_of(work->csr->num_edges, work->parts, part, &begin, &end);
    for (uint64_t edge = begin; edge < end; edge++)
      counts[work->csr->column_indices[edge] >> BUCKET_BITS]++;
  }
  uint64_t sum = 0;
  for (uint64_t bucket = 0; bucket < work->num_buckets; bucket++) {
    work->buckets[bucket] = sum;
    for (unsigned part = 0; part < work->parts; part++) {
      uint64_t *place = &work->places[part * work->num_buckets + bucket], count = *place;
      *place = sum;
      sum += count;
    }
  }
  work->buckets[work->num_buckets] = sum;
}

static void fill_buckets(struct work *work) {
  const struct qn_csr *csr = work->csr;
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < work->parts; part++) {
    uint64_t begin, end, *places = work->places + part * work->num_buckets;
    qn_part_of(csr->num_edges, work->parts, part, &begin, &end);
    uint64_t row = begin < end ? row_of_edge(csr, begin) : 0;
    for (uint64_t edge = begin; edge < end; edge++) {
      while (csr->row_offsets[row + 1] <= edge)
        row++;
      uint32_t destination = csr->column_indices[edge];
      uint64_t place = places[destination >> BUCKET_BITS]++;
      work->arcs[place] = (struct arc){(uint32_t)row, destination};
      if (work->weights)
        work->weights[place] = weight_bits(&csr->weights)[edge];
    }
  }
}

static void sort_bucket(const struct work *work, uint64_t bucket, uint64_t *places, uint64_t *rows,
                        uint32_t *columns, uint32_t *weights) {
  uint64_t first = bucket << BUCKET_BITS;
  uint64_t count = work->csr->num_vertices - first;
  if (count > BUCKET_VERTICES)
    count = BUCKET_VERTICES;
  uint64_t begin = work->buckets[bucket], end = work->buckets[bucket + 1];
  memset(places, 0, count * sizeof *places);
  for (uint64_t arc = begin; arc < end; arc++)
    places[work->arcs[arc].destination - first]++;
  uint64_t sum = begin;
  for (uint64_t v = 0; v < count; v++) {
    uint64_t degree = places[v];
    places[v] = rows[first + v] = sum;
    sum += degree;
  }
  for (uint64_t arc = begin; arc < end; arc++) {
    uint64_t place = places[work->arcs[arc].destination - first]++;
    columns[place] = work->arcs[arc].source;
    if (weights)
      weights[place] = work->weights[arc];
  }
}

static enum qn_status sort_buckets(const struct work *work, uint64_t *rows, uint32_t *columns,
                                   uint32_t *weights, struct qn_error *error) {
  uint64_t *places;
  enum qn_status status = qn_pages_alloc(&places, work->parts * BUCKET_VERTICES, sizeof *places,
                                         "work space of the transpose", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t bucket = 0; bucket < work->num_buckets; bucket++)
    sort_bucket(work, bucket, places + (uint64_t)omp_get_thread_num() * BUCKET_VERTICES, rows,
                columns, weights);
  rows[work->csr->num_vertices] = work->csr->num_edges;
  qn_pages_free(places, work->parts * BUCKET_VERTICES, sizeof *places);
  return QN_OK;
}

enum qn_status qn_transpose_create(const struct qn_csr *csr, struct qn_csr *transpose,
                                   struct qn_error *error) {
  uint64_t V = csr->num_vertices, E = csr->num_edges;
  struct work work = {
      .csr = csr, .num_buckets = (V + BUCKET_VERTICES - 1) >> BUCKET_BITS, .parts = qn_threads()};
  uint64_t *rows = NULL;
  uint32_t *columns = NULL, *weights = NULL;
  bool weighted = csr->weights.type != QN_WEIGHT_NONE;
  enum qn_status status = qn_pages_alloc(&work.places, work.parts * work.num_buckets,
                                         sizeof *work.places, "work space of the transpose", error);
  if (!status)
    status = qn_pages_alloc(&work.buckets, work.num_buckets + 1, sizeof *work.buckets,
                            "work space of the transpose", error);
  if (!status)
    status = qn_pages_alloc(&work.arcs, E, sizeof *work.arcs, "arcs of the transpose", error);
  if (!status && weighted)
    status = qn_pages_alloc(&work.weights, E, sizeof *weights, "weights of the transpose", error);
  if (!status)
    status = qn_pages_alloc(&rows, V + 1, sizeof *rows, "rows of the transpose", error);
  if (!status)
    status = qn_pages_alloc(&columns, E, sizeof *columns, "columns of the transpose", error);
  if (!status && weighted)
    status = qn_pages_alloc(&weights, E, sizeof *weights, "weights of the transpose", error);
  if (status)
    goto cleanup;
  count_buckets(&work);
  fill_buckets(&work);
  status = sort_buckets(&work, rows, columns, weights, error);
cleanup:
  qn_pages_free(work.places, work.parts * work.num_buckets, sizeof *work.places);
  qn_pages_free(work.buckets, work.num_buckets + 1, sizeof *work.buckets);
  qn_pages_free(work.arcs, E, sizeof *work.arcs);
  qn_pages_free(work.weights, E, sizeof *weights);
  *transpose = (struct qn_csr){V, E, rows, columns, csr->weights};
  transpose->weights.u32 = csr->weights.type == QN_WEIGHT_U32 ? weights : NULL;
  transpose->weights.f32 = csr->weights.type == QN_WEIGHT_F32 ? (const float *)weights : NULL;
  if (status)
    qn_transpose_destroy(transpose);
  return status;
}

void qn_transpose_destroy(struct qn_csr *transpose) {
  uint64_t E = transpose->num_edges;
  qn_pages_free((void *)transpose->row_offsets, transpose->num_vertices + 1, sizeof(uint64_t));
  qn_pages_free((void *)transpose->column_indices, E, sizeof(uint32_t));
  qn_pages_free((void *)transpose->weights.u32, E, sizeof(uint32_t));
  qn_pages_free((void *)transpose->weights.f32, E, sizeof(float));
  *transpose = (struct qn_csr){0};
}
