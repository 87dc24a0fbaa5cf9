/* Transposing in two passes that stay in the cache.
 *
 * Writing every edge straight to its new row would miss the cache once an edge.
 * Instead the first pass deals the edges out to buckets of consecutive columns:
 * sources go to their bucket's part of the result, and the low 16 bits of the
 * columns, which are enough within a bucket, to an array beside it. The second
 * pass sorts one bucket at a time by counting. Both passes are stable. */
#include "formats/transpose.h"

#include <string.h>

#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

enum { STAGED = 16 }; /* edges gathered for a bucket before they are written: a cache line */
enum { WANTED_BUCKETS = 1024 }; /* few enough for their stages to stay in the L2 cache */
enum { MIN_SPAN_LOG2 = 6, MAX_SPAN_LOG2 = 16 };

struct transposition {
  const struct qn_csr *csr;
  const uint32_t *weights; /* bits of the weights; NULL if there are none */
  uint64_t *row_offsets;
  uint32_t *columns;
  uint32_t *out_weights;
  unsigned span_log2; /* a bucket is 2^span_log2 columns */
  uint64_t num_buckets;
  uint64_t parts;   /* of the input, in order */
  uint64_t *places; /* [parts x num_buckets] where a part's first edge of a bucket goes */
  uint64_t *bounds; /* [num_buckets + 1] where buckets begin */
  uint16_t *keys;   /* [E] low bits of columns, in the buckets' order */
};

static const uint32_t *weight_bits(const struct qn_weights *weights) {
  return weights->type == QN_WEIGHT_F32 ? (const uint32_t *)weights->f32 : weights->u32;
}

static enum qn_status prepare(struct transposition *work, struct qn_error *error) {
  const struct qn_csr *csr = work->csr;
  work->span_log2 = MIN_SPAN_LOG2;
  while (work->span_log2 < MAX_SPAN_LOG2 && csr->num_vertices >> work->span_log2 >= WANTED_BUCKETS)
    work->span_log2++;
  work->num_buckets = (csr->num_vertices >> work->span_log2) + 1;
  work->parts = csr->num_edges / (16 * work->num_buckets + 1) + 1;
  if (work->parts > qn_threads())
    work->parts = qn_threads();
  enum qn_status status = qn_pages_alloc(&work->places, work->parts * work->num_buckets,
                                         sizeof *work->places, "bucket counts", error);
  if (!status)
    status = qn_alloc(&work->bounds, work->num_buckets + 1, sizeof *work->bounds, "bucket bounds",
                      error);
  if (!status)
    status = qn_bulk_alloc(&work->keys, csr->num_edges, sizeof *work->keys,
                           "columns within buckets", error);
  return status;
}

static void release(struct transposition *work) {
  qn_pages_free(work->places, work->parts * work->num_buckets, sizeof *work->places);
  qn_free(work->bounds);
  qn_pages_free(work->keys, work->csr->num_edges, sizeof *work->keys);
}

static void count_buckets(struct transposition *work) {
#pragma omp parallel for schedule(static, 1)
  for (uint64_t part = 0; part < work->parts; part++) {
    uint64_t begin, end;
    uint64_t *counts = work->places + part * work->num_buckets;
    qn_part_of(work->csr->num_edges, work->parts, part, &begin, &end);
    for (uint64_t edge = begin; edge < end; edge++)
      counts[work->csr->column_indices[edge] >> work->span_log2]++;
  }
}

static void counts_to_places(struct transposition *work) {
  uint64_t next = 0;
  for (uint64_t bucket = 0; bucket < work->num_buckets; bucket++) {
    work->bounds[bucket] = next;
    for (uint64_t part = 0; part < work->parts; part++) {
      uint64_t *place = &work->places[part * work->num_buckets + bucket];
      uint64_t count = *place;
      *place = next;
      next += count;
    }
  }
  work->bounds[work->num_buckets] = next;
}

/* Edges that wait to be written, a cache line a bucket. An edge waits in the slot that the low bits
 * of its place name, so that full lines are written to whole lines of the result. */
struct stages {
  uint32_t *rows;         /* [num_buckets x STAGED] */
  uint32_t *weights;      /* [num_buckets x STAGED]; NULL without weights */
  uint16_t *keys;         /* [num_buckets x STAGED] */
  uint64_t *places;       /* [num_buckets] where the next edge goes */
  const uint64_t *starts; /* [num_buckets] where the part's first edge went */
};

/* Write `count` edges that wait from the slot of `place` on. Whole lines, nearly all, get a call of
 * their own with a constant count, which becomes a few moves. */
static inline void write_slots(const struct transposition *work, const struct stages *stages,
                               uint64_t bucket, uint64_t place, uint64_t count) {
  uint64_t from = bucket * STAGED + place % STAGED;
  memcpy(work->columns + place, stages->rows + from, count * sizeof *stages->rows);
  memcpy(work->keys + place, stages->keys + from, count * sizeof *stages->keys);
  if (work->weights)
    memcpy(work->out_weights + place, stages->weights + from, count * sizeof *stages->weights);
}

/* Write what waits before `place`: back to the line's begin, or to the part's first edge. */
static inline void flush_stage(const struct transposition *work, const struct stages *stages,
                               uint64_t bucket, uint64_t place, uint64_t line) {
  uint64_t start = stages->starts[bucket];
  if (place - line == STAGED && line >= start)
    write_slots(work, stages, bucket, line, STAGED);
  else
    write_slots(work, stages, bucket, line > start ? line : start,
                place - (line > start ? line : start));
}

/* The row that holds `edge`: the last one that begins at or before it and is not empty. */
static uint64_t row_of(const struct qn_csr *csr, uint64_t edge) {
  uint64_t low = 0, high = csr->num_vertices;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (csr->row_offsets[middle + 1] <= edge)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline void stage_edge(const struct transposition *work, const struct stages *stages,
                              uint64_t row, uint64_t edge) {
  uint32_t column = work->csr->column_indices[edge];
  uint64_t bucket = column >> work->span_log2;
  uint64_t place = stages->places[bucket]++;
  uint64_t slot = bucket * STAGED + place % STAGED;
  stages->rows[slot] = (uint32_t)row;
  stages->keys[slot] = (uint16_t)(column & ((1u << work->span_log2) - 1));
  if (work->weights)
    stages->weights[slot] = work->weights[edge];
  if (place % STAGED == STAGED - 1)
    flush_stage(work, stages, bucket, place + 1, place + 1 - STAGED);
}

static void deal_part(const struct transposition *work, const struct stages *stages, uint64_t begin,
                      uint64_t end) {
  /* Copies, since writes might alias the originals, which would be loaded again for each edge. */
  const struct qn_csr csr = *work->csr;
  const struct stages own = *stages;
  struct transposition local = *work;
  local.csr = &csr;
  uint64_t row = row_of(&csr, begin);
  for (uint64_t edge = begin; edge < end; row++) {
    uint64_t row_end = csr.row_offsets[row + 1] < end ? csr.row_offsets[row + 1] : end;
    for (; edge < row_end; edge++)
      stage_edge(&local, &own, row, edge);
  }
  for (uint64_t bucket = 0; bucket < work->num_buckets; bucket++) {
    uint64_t place = stages->places[bucket], line = place - place % STAGED;
    if (place > line && place > stages->starts[bucket])
      flush_stage(work, stages, bucket, place, line);
  }
}

static enum qn_status stages_create(const struct transposition *work, const uint64_t *starts,
                                    struct stages *stages, struct qn_error *error) {
  uint64_t slots = work->num_buckets * STAGED;
  *stages = (struct stages){.starts = starts};
  enum qn_status status =
      qn_pages_alloc(&stages->rows, slots, sizeof *stages->rows, "bucket stages", error);
  if (!status)
    status = qn_pages_alloc(&stages->keys, slots, sizeof *stages->keys, "bucket stages", error);
  if (!status && work->weights)
    status =
        qn_pages_alloc(&stages->weights, slots, sizeof *stages->weights, "bucket stages", error);
  if (!status)
    status = qn_alloc(&stages->places, work->num_buckets, sizeof *stages->places, "bucket stages",
                      error);
  if (!status)
    memcpy(stages->places, starts, work->num_buckets * sizeof *starts);
  return status;
}

static void stages_destroy(const struct transposition *work, struct stages *stages) {
  uint64_t slots = work->num_buckets * STAGED;
  qn_pages_free(stages->rows, slots, sizeof *stages->rows);
  qn_pages_free(stages->keys, slots, sizeof *stages->keys);
  qn_pages_free(stages->weights, slots, sizeof *stages->weights);
  qn_free(stages->places);
}

/* Of several threads' failures one is reported. */
static void report_failure(enum qn_status own, const struct qn_error *own_error,
                           enum qn_status *status, struct qn_error *error) {
  if (!own)
    return;
#pragma omp critical
  {
    *status = own;
    if (error)
      *error = *own_error;
  }
}

static enum qn_status deal(struct transposition *work, struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static, 1)
  for (uint64_t part = 0; part < work->parts; part++) {
    uint64_t begin, end;
    struct stages stages;
    struct qn_error own_error;
    qn_part_of(work->csr->num_edges, work->parts, part, &begin, &end);
    enum qn_status own =
        stages_create(work, work->places + part * work->num_buckets, &stages, &own_error);
    if (!own && begin < end)
      deal_part(work, &stages, begin, end);
    stages_destroy(work, &stages);
    report_failure(own, &own_error, &status, error);
  }
  return status;
}

/* A thread's copy of the bucket that it sorts. */
struct scratch {
  uint64_t *counters; /* [1 << span_log2] */
  uint32_t *rows;     /* [capacity] */
  uint32_t *weights;  /* [capacity], with weights */
  uint64_t capacity;
};

static void scratch_free(struct scratch *scratch) {
  qn_free(scratch->counters);
  qn_pages_free(scratch->rows, scratch->capacity, sizeof *scratch->rows);
  qn_pages_free(scratch->weights, scratch->capacity, sizeof *scratch->weights);
}

/* With a limit of memory, buckets that are too large for a thread's part of it (those of hubs) lie
 * in a file: it is read in order, and written along as many places as the bucket has columns. */
static enum qn_status alloc_copy(void *out, uint64_t count, struct qn_error *error) {
  uint64_t share = qn_memory_limit() / (8 * (uint64_t)qn_threads());
  if (qn_memory_limit() && count > share / 4)
    return qn_bulk_alloc(out, count, 4, "a bucket", error);
  return qn_pages_alloc(out, count, 4, "a bucket", error);
}

static enum qn_status scratch_reserve(const struct transposition *work, struct scratch *scratch,
                                      uint64_t count, struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (!scratch->counters)
    status = qn_alloc(&scratch->counters, (uint64_t)1 << work->span_log2, sizeof *scratch->counters,
                      "column counts", error);
  if (status || count <= scratch->capacity)
    return status;
  qn_pages_free(scratch->rows, scratch->capacity, sizeof *scratch->rows);
  qn_pages_free(scratch->weights, scratch->capacity, sizeof *scratch->weights);
  scratch->rows = scratch->weights = NULL;
  scratch->capacity = count;
  status = alloc_copy(&scratch->rows, count, error);
  if (!status && work->weights)
    status = alloc_copy(&scratch->weights, count, error);
  return status;
}

/* The offsets of the bucket's rows; afterwards counters[k] is where the next edge of row k goes. */
static void offsets_of_bucket(const struct transposition *work, uint64_t bucket,
                              uint64_t *counters) {
  uint64_t begin = work->bounds[bucket], end = work->bounds[bucket + 1];
  uint64_t first = bucket << work->span_log2;
  uint64_t rows = work->csr->num_vertices - first;
  if (rows > (uint64_t)1 << work->span_log2)
    rows = (uint64_t)1 << work->span_log2;
  memset(counters, 0, sizeof *counters << work->span_log2);
  for (uint64_t i = begin; i < end; i++)
    counters[work->keys[i]]++;
  for (uint64_t row = 0, next = begin; row < rows; row++) {
    uint64_t count = counters[row];
    counters[row] = work->row_offsets[first + row] = next;
    next += count;
  }
}

static void scatter(const uint32_t *rows, const uint16_t *keys, uint64_t count, uint64_t *counters,
                    uint32_t *columns) {
  for (uint64_t i = 0; i < count; i++)
    columns[counters[keys[i]]++] = rows[i];
}

static void sort_bucket(const struct transposition *work, uint64_t bucket,
                        struct scratch *scratch) {
  uint64_t begin = work->bounds[bucket], count = work->bounds[bucket + 1] - begin;
  const uint16_t *keys = work->keys + begin;
  offsets_of_bucket(work, bucket, scratch->counters);
  if (count == 0)
    return;
  memcpy(scratch->rows, work->columns + begin, count * sizeof *scratch->rows);
  if (!work->weights) {
    scatter(scratch->rows, keys, count, scratch->counters, work->columns);
    return;
  }
  memcpy(scratch->weights, work->out_weights + begin, count * sizeof *scratch->weights);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t place = scratch->counters[keys[i]]++;
    work->columns[place] = scratch->rows[i];
    work->out_weights[place] = scratch->weights[i];
  }
}

static enum qn_status sort_buckets(const struct transposition *work, struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel
  {
    struct scratch scratch = {0};
    struct qn_error own_error;
    enum qn_status own_status = QN_OK;
#pragma omp for schedule(dynamic, 1)
    for (uint64_t bucket = 0; bucket < work->num_buckets; bucket++) {
      uint64_t count = work->bounds[bucket + 1] - work->bounds[bucket];
      if (!own_status)
        own_status = scratch_reserve(work, &scratch, count, &own_error);
      if (!own_status)
        sort_bucket(work, bucket, &scratch);
    }
    scratch_free(&scratch);
    report_failure(own_status, &own_error, &status, error);
  }
  return status;
}

enum qn_status qn_csr_transpose(const struct qn_csr *csr, const struct qn_graph_arrays *arrays,
                                struct qn_error *error) {
  struct transposition work = {
      .csr = csr,
      .weights = csr->weights.type == QN_WEIGHT_NONE ? NULL : weight_bits(&csr->weights),
      .row_offsets = arrays->row_offsets,
      .columns = arrays->column_indices,
      .out_weights = arrays->weights,
  };
  enum qn_status status = prepare(&work, error);
  if (status)
    goto cleanup;
  count_buckets(&work);
  counts_to_places(&work);
  status = deal(&work, error);
  if (!status)
    status = sort_buckets(&work, error);
  arrays->row_offsets[csr->num_vertices] = csr->num_edges;
cleanup:
  release(&work);
  return status;
}

enum qn_status qn_graph_create_transpose(const struct qn_csr *csr, struct qn_graph *graph,
                                         struct qn_error *error) {
  struct qn_graph_arrays arrays;
  enum qn_status status =
      qn_graph_create(csr->num_vertices, csr->num_edges, csr->weights.type, graph, &arrays, error);
  if (status)
    return status;
  status = qn_csr_transpose(csr, &arrays, error);
  if (status)
    qn_graph_unmap(graph);
  return status;
}
