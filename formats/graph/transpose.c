/* Transposing in two passes that stay in the cache: edges are dealt out to buckets of rows
 * (formats/graph/bucket.h), then each bucket is sorted by counting. Both passes are stable. */
#include "formats/graph/transposition.h"
#include <quern/transpose.h>

#include <omp.h>
#include <string.h>

#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include "support/used_files.h"
#include <quern/inline.h>

/* Keys of a thread's table, and a cache line between it and the next. */
#define TABLE_KEYS ((uint64_t)QN_BUCKET_KEYS + 63)

struct row_range {
  uint64_t first, last;
};

static struct row_range rows_of_bucket(const struct qn_bucketed_edges *bucketed, uint64_t bucket) {
  uint64_t first = bucket << bucketed->span_log2, last = (bucket + 1) << bucketed->span_log2;
  return (struct row_range){first, last < bucketed->num_vertices ? last : bucketed->num_vertices};
}

/* ---- The lengths of rows ---------------------------------------------------- */

/* `counts` [QN_BUCKET_KEYS] is working space. False if other edges were dealt than counted, which
 * sorting relies on. */
static bool count_bucket(const struct qn_bucketed_edges *bucketed, uint64_t bucket,
                         uint64_t *counts, uint64_t *row_offsets) {
  struct row_range rows = rows_of_bucket(bucketed, bucket);
  memset(counts, 0, QN_BUCKET_KEYS * sizeof *counts); /* with marks, which nobody reads */
  for (uint64_t part = 0; part < bucketed->num_parts; part++) {
    struct qn_bucket_words words = qn_bucket_words(bucketed, bucket, part);
    for (uint64_t i = words.begin; i < words.end; i++)
      counts[bucketed->words[i] & 0xFFFF]++;
  }
  uint64_t next = bucketed->bounds[bucket];
  for (uint64_t row = rows.first; row < rows.last; row++) {
    row_offsets[row] = next;
    next += counts[row - rows.first];
  }
  uint64_t outside = 0;
  for (uint64_t key = rows.last - rows.first; key < (uint64_t)1 << bucketed->span_log2; key++)
    outside += counts[key];
  return outside == 0 && next == bucketed->bounds[bucket + 1];
}

static enum qn_status create_tables(struct qn_transposition *work, struct qn_error *error) {
  work->num_threads = qn_threads();
  return qn_pages_alloc(&work->tables, work->num_threads * TABLE_KEYS, sizeof *work->tables,
                        "tables of a bucket's rows", error);
}

static uint64_t *own_table(const struct qn_transposition *work) {
  return work->tables + (uint64_t)omp_get_thread_num() * TABLE_KEYS;
}

enum qn_status qn_transposition_create(const struct qn_csr *csr, uint64_t *row_offsets,
                                       struct qn_transposition *work, struct qn_error *error) {
  struct qn_bucketed_edges *bucketed = &work->bucketed;
  work->row_offsets = row_offsets;
  enum qn_status status = qn_scatter_edges(csr, bucketed, error);
  if (!status)
    status = create_tables(work, error);
  if (status)
    return status;
  bool as_counted = true;
#pragma omp parallel for schedule(dynamic, 1) reduction(&& : as_counted)
  for (uint64_t bucket = 0; bucket < bucketed->num_buckets; bucket++)
    as_counted = count_bucket(bucketed, bucket, own_table(work), row_offsets) && as_counted;
  row_offsets[csr->num_vertices] = csr->num_edges;
  return as_counted ? QN_OK : qn_input_changed(error);
}

void qn_transposition_destroy(struct qn_transposition *work) {
  qn_bucketed_edges_destroy(&work->bucketed);
  qn_pages_free(work->tables, work->num_threads * TABLE_KEYS, sizeof *work->tables);
  work->tables = NULL;
}

/* ---- Sorting ---------------------------------------------------------------- */

/* Put the words of a part behind those before it: `places` [rows of the bucket] says where. */
QN_ALWAYS_INLINE void scatter_part(const struct qn_bucketed_edges *bucketed,
                                   struct qn_bucket_words words, uint64_t *places,
                                   uint32_t *columns, void *weights, unsigned weight_bytes) {
  uint32_t block = 0;
  for (uint64_t i = words.begin; i < words.end; i++) {
    uint32_t word = bucketed->words[i];
    if (word & QN_BUCKET_MARK) {
      block = word & 0xFFFF0000;
      continue;
    }
    uint64_t place = places[word & 0x7FFF]++;
    columns[place] = block | word >> 16;
    if (weights)
      qn_weight_copy(weights, place, bucketed->weights, i, weight_bytes);
  }
}

static void sort_bucket(const struct qn_transposition *work, uint64_t bucket, uint32_t *columns,
                        void *weights) {
  const struct qn_bucketed_edges *bucketed = &work->bucketed;
  struct row_range rows = rows_of_bucket(bucketed, bucket);
  uint64_t *places = own_table(work);
  for (uint64_t row = rows.first; row < rows.last; row++)
    places[row - rows.first] = work->row_offsets[row] - bucketed->bounds[bucket];
  for (uint64_t part = 0; part < bucketed->num_parts; part++) {
    struct qn_bucket_words words = qn_bucket_words(bucketed, bucket, part);
    if (bucketed->weight_bytes == 8)
      scatter_part(bucketed, words, places, columns, weights, 8);
    else if (bucketed->weight_bytes == 4)
      scatter_part(bucketed, words, places, columns, weights, 4);
    else
      scatter_part(bucketed, words, places, columns, NULL, 0);
  }
}

/* ---- Visiting --------------------------------------------------------------- */

/* A thread's buffer for the bucket that it sorts. */
struct buffer {
  uint32_t *columns; /* [capacity] */
  void *weights;     /* [capacity], with weights */
  unsigned weight_bytes;
  uint64_t capacity;
};

static void buffer_free(struct buffer *buffer) {
  qn_pages_free(buffer->columns, buffer->capacity, sizeof *buffer->columns);
  qn_pages_free(buffer->weights, buffer->capacity, buffer->weight_bytes);
  *buffer = (struct buffer){0};
}

/* With a limit of memory, buckets that are too large for a thread's part of it (those of hubs) lie
 * in a file: it is written along as many places as the bucket has rows, and read in order. */
static enum qn_status alloc_buffer(void *out, uint64_t count, unsigned bytes,
                                   struct qn_error *error) {
  uint64_t share = qn_memory_limit() / (8 * (uint64_t)qn_threads());
  if (qn_memory_limit() && count > share / bytes)
    return qn_bulk_alloc(out, count, bytes, "a bucket", error);
  return qn_pages_alloc(out, count, bytes, "a bucket", error);
}

/* With something to spare: most buckets are about as large as others. */
static enum qn_status buffer_reserve(struct buffer *buffer, uint64_t count, unsigned weight_bytes,
                                     struct qn_error *error) {
  if (buffer->columns && count <= buffer->capacity)
    return QN_OK;
  buffer_free(buffer);
  buffer->capacity = count + count / 8;
  buffer->weight_bytes = weight_bytes;
  enum qn_status status =
      alloc_buffer(&buffer->columns, buffer->capacity, sizeof *buffer->columns, error);
  if (!status && weight_bytes)
    status = alloc_buffer(&buffer->weights, buffer->capacity, weight_bytes, error);
  return status;
}

struct visit {
  const struct qn_transposition *work;
  qn_rows_visitor *visitor;
  void *context;
  bool is_last;
};

static enum qn_status visit_bucket(const struct visit *visit, uint64_t bucket,
                                   struct buffer *buffer, struct qn_error *error) {
  const struct qn_bucketed_edges *bucketed = &visit->work->bucketed;
  struct row_range rows = rows_of_bucket(bucketed, bucket);
  uint64_t count = bucketed->bounds[bucket + 1] - bucketed->bounds[bucket];
  if (rows.first == rows.last)
    return QN_OK;
  enum qn_status status = buffer_reserve(buffer, count, bucketed->weight_bytes, error);
  if (status)
    return status;
  sort_bucket(visit->work, bucket, buffer->columns, buffer->weights);
  if (visit->is_last)
    qn_scatter_release(bucketed, bucket);
  visit->visitor(&(struct qn_csr_rows){.first = rows.first,
                                       .last = rows.last,
                                       .row_offsets = visit->work->row_offsets + rows.first,
                                       .columns = buffer->columns,
                                       .weights = buffer->weights,
                                       .weight_bytes = bucketed->weight_bytes},
                 visit->context);
  return QN_OK;
}

enum qn_status qn_transposition_visit(const struct qn_transposition *work, bool is_last,
                                      qn_rows_visitor *visitor, void *context,
                                      struct qn_error *error) {
  const struct visit visit = {work, visitor, context, is_last};
  enum qn_status status = QN_OK;
#pragma omp parallel
  {
    struct buffer buffer = {0};
    struct qn_error own_error;
    enum qn_status own = QN_OK;
#pragma omp for schedule(dynamic, 1)
    for (uint64_t bucket = 0; bucket < work->bucketed.num_buckets; bucket++)
      if (!own)
        own = visit_bucket(&visit, bucket, &buffer, &own_error);
    buffer_free(&buffer);
    if (own) {
#pragma omp critical
      {
        status = own;
        if (error)
          *error = own_error;
      }
    }
  }
  return status;
}

/* ---- The whole -------------------------------------------------------------- */

/* Sorting where the edges are to stay would miss the caches more often than copying takes. */
static void copy_rows(const struct qn_csr_rows *rows, void *context) {
  const struct qn_graph_arrays *arrays = context;
  uint64_t begin = rows->row_offsets[0];
  uint64_t count = rows->row_offsets[rows->last - rows->first] - begin;
  if (count == 0)
    return;
  memcpy(arrays->column_indices + begin, rows->columns, count * sizeof *rows->columns);
  if (rows->weights)
    memcpy((char *)arrays->weights + begin * rows->weight_bytes, rows->weights,
           count * rows->weight_bytes);
}

enum qn_status qn_csr_transpose(const struct qn_csr *csr, const struct qn_graph_arrays *arrays,
                                struct qn_error *error) {
  struct qn_transposition work = {0};
  struct qn_graph_arrays sections = *arrays;
  enum qn_status status = qn_transposition_create(csr, arrays->row_offsets, &work, error);
  if (!status)
    status = qn_transposition_visit(&work, true, copy_rows, &sections, error);
  qn_transposition_destroy(&work);
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
