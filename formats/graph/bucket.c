/* Writing every edge straight to its bucket would miss the cache once an edge. Words wait in a
 * line of 64 bytes a bucket instead, which goes to memory when it is full, past the caches. */
#include "formats/graph/bucket.h"

#include <string.h>

#include "formats/graph/csr_shares.h"
#include "formats/graph/stream_store.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include "support/used_files.h"
#include <quern/inline.h>

enum { LINE = QN_STREAM_BYTES / sizeof(uint32_t) }; /* words of a line */
enum { WANTED_BUCKETS = 2048 };                     /* few enough for their lines to stay cached */
enum { MIN_SPAN_LOG2 = 10, MAX_SPAN_LOG2 = 15 };
enum { ROW_BITS = 16 }; /* of a row in a word */

static uint64_t line_after(uint64_t words) {
  return (words + LINE - 1) / LINE * LINE;
}

struct qn_bucket_words qn_bucket_words(const struct qn_bucketed_edges *bucketed, uint64_t bucket,
                                       uint64_t part) {
  const struct qn_bucket_share *shares = bucketed->shares + bucket;
  uint64_t before = 0;
  if (part > 0)
    before = shares[(part - 1) * bucketed->num_buckets].end;
  else if (bucket > 0)
    before = bucketed->shares[(bucketed->num_parts - 1) * bucketed->num_buckets + bucket - 1].end;
  uint64_t end = shares[part * bucketed->num_buckets].end;
  return (struct qn_bucket_words){line_after(before),
                                  end < bucketed->num_words ? end : bucketed->num_words};
}

void qn_scatter_release(const struct qn_bucketed_edges *bucketed, uint64_t bucket) {
  uint64_t begin = qn_bucket_words(bucketed, bucket, 0).begin;
  uint64_t words = qn_bucket_words(bucketed, bucket, bucketed->num_parts - 1).end - begin;
  qn_pages_release(bucketed->words + begin, words * sizeof *bucketed->words);
  if (bucketed->weights)
    qn_pages_release((char *)bucketed->weights + begin * bucketed->weight_bytes,
                     words * bucketed->weight_bytes);
}

/* ---- Edges of a part -------------------------------------------------------- */

/* Where a block of rows ends, or `end` if that is earlier. */
static uint64_t block_end(const struct qn_csr *csr, uint64_t block, uint64_t end) {
  uint64_t row = (block + 1) << ROW_BITS;
  uint64_t last = row > csr->num_vertices ? end : csr->row_offsets[row];
  return last < end ? last : end;
}

/* ---- Counting --------------------------------------------------------------- */

/* Until places are known, `end` counts the edges alone. */
static void count_part(const struct qn_bucketed_edges *bucketed, const struct qn_csr *csr,
                       struct qn_bucket_share *shares, uint64_t edge, uint64_t end) {
  const uint32_t *columns = csr->column_indices;
  unsigned span_log2 = bucketed->span_log2;
  for (uint64_t block = qn_row_of_edge(csr, edge) >> ROW_BITS; edge < end; block++) {
    uint64_t last = block_end(csr, block, end);
    for (; edge < last; edge++) {
      struct qn_bucket_share *share = &shares[columns[edge] >> span_log2];
      share->end++;
      if (share->block != (uint32_t)block) {
        share->block = (uint32_t)block;
        share->marks++;
      }
    }
  }
}

static void count_words(const struct qn_bucketed_edges *bucketed, const struct qn_csr *csr) {
#pragma omp parallel for schedule(static, 1)
  for (uint64_t part = 0; part < bucketed->num_parts; part++) {
    struct qn_bucket_share *shares = bucketed->shares + part * bucketed->num_buckets;
    uint64_t begin, end;
    qn_part_of(csr->num_edges, bucketed->num_parts, part, &begin, &end);
    for (uint64_t bucket = 0; bucket < bucketed->num_buckets; bucket++)
      shares[bucket].block = UINT32_MAX;
    if (begin < end)
      count_part(bucketed, csr, shares, begin, end);
  }
}

/* Every share begins a line, and `end` becomes where its first word goes. */
static void place_shares(struct qn_bucketed_edges *bucketed) {
  uint64_t edges = 0, next = 0;
  for (uint64_t bucket = 0; bucket < bucketed->num_buckets; bucket++) {
    bucketed->bounds[bucket] = edges;
    for (uint64_t part = 0; part < bucketed->num_parts; part++) {
      struct qn_bucket_share *share = &bucketed->shares[part * bucketed->num_buckets + bucket];
      uint64_t words = share->end + share->marks;
      edges += share->end;
      share->end = next;
      share->block = UINT32_MAX;
      next = line_after(next + words);
    }
  }
  bucketed->bounds[bucketed->num_buckets] = edges;
  bucketed->num_words = next;
}

/* ---- Dealing ---------------------------------------------------------------- */

/* What a thread writes to. A copy on the stack is used, which no word that is written can be taken
 * to change. */
struct bucketer {
  struct qn_bucket_share *shares; /* [num_buckets] */
  uint32_t *waiting;              /* [num_buckets x LINE] words that wait */
  char *waiting_weights;          /* NULL without weights */
  uint32_t *words;
  char *weights;
  uint64_t num_words;
  unsigned span_log2;
};

/* The weights of a line take one line, or two. */
QN_ALWAYS_INLINE void store_weights(const struct bucketer *bucketer, uint64_t place, uint64_t line,
                                    unsigned weight_bytes) {
  char *to = bucketer->weights + place * weight_bytes;
  const char *from = bucketer->waiting_weights + line * weight_bytes;
  for (unsigned done = 0; done < LINE * weight_bytes; done += QN_STREAM_BYTES)
    qn_stream_store(to + done, from + done);
}

/* `weights` is NULL without weights; a mark's is not looked at. */
QN_ALWAYS_INLINE void bucket_word(const struct bucketer *bucketer, uint64_t bucket, uint32_t word,
                                  const void *weights, unsigned weight_bytes, uint64_t edge) {
  uint64_t place = bucketer->shares[bucket].end++;
  uint64_t slot = place % LINE, line = bucket * LINE;
  bucketer->waiting[line + slot] = word;
  if (weights)
    qn_weight_copy(bucketer->waiting_weights, line + slot, weights, edge, weight_bytes);
  if (slot < LINE - 1 || place >= bucketer->num_words) /* more than was counted */
    return;
  qn_stream_store(bucketer->words + (place - slot), bucketer->waiting + line);
  if (weights)
    store_weights(bucketer, place - slot, line, weight_bytes);
}

QN_ALWAYS_INLINE void bucket_edge(const struct bucketer *bucketer, uint64_t row, uint32_t column,
                                  const void *weights, unsigned weight_bytes, uint64_t edge) {
  uint64_t bucket = column >> bucketer->span_log2;
  uint32_t block = (uint32_t)(row >> ROW_BITS);
  if (bucketer->shares[bucket].block != block) {
    bucketer->shares[bucket].block = block;
    bucket_word(bucketer, bucket, block << ROW_BITS | QN_BUCKET_MARK, weights, weight_bytes, edge);
  }
  bucket_word(bucketer, bucket,
              (uint32_t)row << ROW_BITS | (column & (((uint32_t)1 << bucketer->span_log2) - 1)),
              weights, weight_bytes, edge);
}

/* Inlined for weights of each size and without. */
QN_ALWAYS_INLINE void bucket_rows(const struct qn_csr *csr, const struct bucketer *bucketer,
                                  const void *weights, unsigned weight_bytes, uint64_t edge,
                                  uint64_t end) {
  const struct bucketer own = *bucketer;
  const uint64_t *row_offsets = csr->row_offsets;
  const uint32_t *columns = csr->column_indices;
  for (uint64_t row = qn_row_of_edge(csr, edge); edge < end && row < csr->num_vertices; row++) {
    uint64_t row_end = row_offsets[row + 1], last = row_end < end ? row_end : end;
    for (; edge < last; edge++)
      bucket_edge(&own, row, columns[edge], weights, weight_bytes, edge);
  }
}

static void bucket_part(const struct qn_csr *csr, const struct bucketer *bucketer, uint64_t edge,
                        uint64_t end) {
  const void *weights = csr->weights.data;
  switch (qn_weight_bytes(csr->weights.type)) {
  case 0:
    bucket_rows(csr, bucketer, NULL, 0, edge, end);
    break;
  case 4:
    bucket_rows(csr, bucketer, weights, 4, edge, end);
    break;
  default:
    bucket_rows(csr, bucketer, weights, 8, edge, end);
  }
}

/* Lines that are not full are written with what lies behind their words: it is their own space. */
static void flush_lines(const struct bucketer *bucketer, unsigned weight_bytes,
                        uint64_t num_buckets) {
  for (uint64_t bucket = 0; bucket < num_buckets; bucket++) {
    uint64_t place = bucketer->shares[bucket].end, line = bucket * LINE;
    if (place % LINE == 0 || place >= bucketer->num_words)
      continue;
    qn_stream_store(bucketer->words + (place - place % LINE), bucketer->waiting + line);
    if (bucketer->weights)
      store_weights(bucketer, place - place % LINE, line, weight_bytes);
  }
  qn_stream_fence();
}

static enum qn_status bucket_shares(const struct qn_bucketed_edges *bucketed,
                                    const struct qn_csr *csr, uint64_t part,
                                    struct qn_error *error) {
  uint64_t begin, end, waiting = bucketed->num_buckets * LINE;
  struct bucketer bucketer = {.shares = bucketed->shares + part * bucketed->num_buckets,
                              .words = bucketed->words,
                              .weights = bucketed->weights,
                              .num_words = bucketed->num_words,
                              .span_log2 = bucketed->span_log2};
  qn_part_of(csr->num_edges, bucketed->num_parts, part, &begin, &end);
  enum qn_status status =
      qn_pages_alloc(&bucketer.waiting, waiting, sizeof *bucketer.waiting, "waiting edges", error);
  if (!status && bucketed->weights)
    status = qn_pages_alloc(&bucketer.waiting_weights, waiting, bucketed->weight_bytes,
                            "waiting edges", error);
  if (!status && begin < end) {
    bucket_part(csr, &bucketer, begin, end);
    flush_lines(&bucketer, bucketed->weight_bytes, bucketed->num_buckets);
  }
  qn_pages_free(bucketer.waiting, waiting, sizeof *bucketer.waiting);
  qn_pages_free(bucketer.waiting_weights, waiting, bucketed->weight_bytes);
  return status;
}

static enum qn_status bucket_all(const struct qn_bucketed_edges *bucketed, const struct qn_csr *csr,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static, 1)
  for (uint64_t part = 0; part < bucketed->num_parts; part++) {
    struct qn_error own_error;
    enum qn_status own = bucket_shares(bucketed, csr, part, &own_error);
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

static void choose_shape(struct qn_bucketed_edges *bucketed, const struct qn_csr *csr) {
  bucketed->num_vertices = csr->num_vertices;
  bucketed->weight_bytes = qn_weight_bytes(csr->weights.type);
  bucketed->span_log2 = MIN_SPAN_LOG2;
  while (bucketed->span_log2 < MAX_SPAN_LOG2 &&
         csr->num_vertices >> bucketed->span_log2 >= WANTED_BUCKETS)
    bucketed->span_log2++;
  bucketed->num_buckets = (csr->num_vertices >> bucketed->span_log2) + 1;
  bucketed->num_parts = csr->num_edges / (LINE * bucketed->num_buckets) + 1;
  if (bucketed->num_parts > qn_threads())
    bucketed->num_parts = qn_threads();
}

enum qn_status qn_scatter_edges(const struct qn_csr *csr, struct qn_bucketed_edges *bucketed,
                                struct qn_error *error) {
  *bucketed = (struct qn_bucketed_edges){0};
  choose_shape(bucketed, csr);
  enum qn_status status =
      qn_pages_alloc(&bucketed->shares, bucketed->num_parts * bucketed->num_buckets,
                     sizeof *bucketed->shares, "bucket counts", error);
  if (!status)
    status = qn_alloc(&bucketed->bounds, bucketed->num_buckets + 1, sizeof *bucketed->bounds,
                      "bucket bounds", error);
  if (!status) {
    count_words(bucketed, csr);
    place_shares(bucketed);
    if (bucketed->bounds[bucketed->num_buckets] != csr->num_edges)
      status = qn_input_changed(error);
  }
  if (!status)
    status = qn_bulk_alloc(&bucketed->words, bucketed->num_words, sizeof *bucketed->words,
                           "dealt edges", error);
  if (!status && bucketed->weight_bytes)
    status = qn_bulk_alloc(&bucketed->weights, bucketed->num_words, bucketed->weight_bytes,
                           "dealt weights", error);
  if (!status)
    status = bucket_all(bucketed, csr, error);
  if (status)
    qn_bucketed_edges_destroy(bucketed);
  return status;
}

void qn_bucketed_edges_destroy(struct qn_bucketed_edges *bucketed) {
  qn_pages_free(bucketed->shares, bucketed->num_parts * bucketed->num_buckets,
                sizeof *bucketed->shares);
  qn_free(bucketed->bounds);
  qn_pages_free(bucketed->words, bucketed->num_words, sizeof *bucketed->words);
  qn_pages_free(bucketed->weights, bucketed->num_words, bucketed->weight_bytes);
  *bucketed = (struct qn_bucketed_edges){0};
}
