/* Writing every edge straight to its bucket would miss the cache once an edge. Words wait in a
 * line of 64 bytes a bucket instead, which goes to memory when it is full, past the caches. */
#include "formats/graph/deal.h"

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

struct qn_deal_words qn_deal_words(const struct qn_dealt_edges *dealt, uint64_t bucket,
                                   uint64_t part) {
  const struct qn_deal_share *shares = dealt->shares + bucket;
  uint64_t before = 0;
  if (part > 0)
    before = shares[(part - 1) * dealt->num_buckets].end;
  else if (bucket > 0)
    before = dealt->shares[(dealt->num_parts - 1) * dealt->num_buckets + bucket - 1].end;
  uint64_t end = shares[part * dealt->num_buckets].end;
  return (struct qn_deal_words){line_after(before),
                                end < dealt->num_words ? end : dealt->num_words};
}

void qn_deal_release(const struct qn_dealt_edges *dealt, uint64_t bucket) {
  uint64_t begin = qn_deal_words(dealt, bucket, 0).begin;
  uint64_t words = qn_deal_words(dealt, bucket, dealt->num_parts - 1).end - begin;
  qn_pages_release(dealt->words + begin, words * sizeof *dealt->words);
  if (dealt->weights)
    qn_pages_release((char *)dealt->weights + begin * dealt->weight_bytes,
                     words * dealt->weight_bytes);
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
static void count_part(const struct qn_dealt_edges *dealt, const struct qn_csr *csr,
                       struct qn_deal_share *shares, uint64_t edge, uint64_t end) {
  const uint32_t *columns = csr->column_indices;
  unsigned span_log2 = dealt->span_log2;
  for (uint64_t block = qn_row_of_edge(csr, edge) >> ROW_BITS; edge < end; block++) {
    uint64_t last = block_end(csr, block, end);
    for (; edge < last; edge++) {
      struct qn_deal_share *share = &shares[columns[edge] >> span_log2];
      share->end++;
      if (share->block != (uint32_t)block) {
        share->block = (uint32_t)block;
        share->marks++;
      }
    }
  }
}

static void count_words(const struct qn_dealt_edges *dealt, const struct qn_csr *csr) {
#pragma omp parallel for schedule(static, 1)
  for (uint64_t part = 0; part < dealt->num_parts; part++) {
    struct qn_deal_share *shares = dealt->shares + part * dealt->num_buckets;
    uint64_t begin, end;
    qn_part_of(csr->num_edges, dealt->num_parts, part, &begin, &end);
    for (uint64_t bucket = 0; bucket < dealt->num_buckets; bucket++)
      shares[bucket].block = UINT32_MAX;
    if (begin < end)
      count_part(dealt, csr, shares, begin, end);
  }
}

/* Every share begins a line, and `end` becomes where its first word goes. */
static void place_shares(struct qn_dealt_edges *dealt) {
  uint64_t edges = 0, next = 0;
  for (uint64_t bucket = 0; bucket < dealt->num_buckets; bucket++) {
    dealt->bounds[bucket] = edges;
    for (uint64_t part = 0; part < dealt->num_parts; part++) {
      struct qn_deal_share *share = &dealt->shares[part * dealt->num_buckets + bucket];
      uint64_t words = share->end + share->marks;
      edges += share->end;
      share->end = next;
      share->block = UINT32_MAX;
      next = line_after(next + words);
    }
  }
  dealt->bounds[dealt->num_buckets] = edges;
  dealt->num_words = next;
}

/* ---- Dealing ---------------------------------------------------------------- */

/* What a thread writes to. A copy on the stack is used, which no word that is written can be taken
 * to change. */
struct dealer {
  struct qn_deal_share *shares; /* [num_buckets] */
  uint32_t *waiting;            /* [num_buckets x LINE] words that wait */
  char *waiting_weights;        /* NULL without weights */
  uint32_t *words;
  char *weights;
  uint64_t num_words;
  unsigned span_log2;
};

/* The weights of a line take one line, or two. */
QN_ALWAYS_INLINE void store_weights(const struct dealer *dealer, uint64_t place, uint64_t line,
                                    unsigned weight_bytes) {
  char *to = dealer->weights + place * weight_bytes;
  const char *from = dealer->waiting_weights + line * weight_bytes;
  for (unsigned done = 0; done < LINE * weight_bytes; done += QN_STREAM_BYTES)
    qn_stream_store(to + done, from + done);
}

/* `weights` is NULL without weights; a mark's is not looked at. */
QN_ALWAYS_INLINE void deal_word(const struct dealer *dealer, uint64_t bucket, uint32_t word,
                                const void *weights, unsigned weight_bytes, uint64_t edge) {
  uint64_t place = dealer->shares[bucket].end++;
  uint64_t slot = place % LINE, line = bucket * LINE;
  dealer->waiting[line + slot] = word;
  if (weights)
    qn_weight_copy(dealer->waiting_weights, line + slot, weights, edge, weight_bytes);
  if (slot < LINE - 1 || place >= dealer->num_words) /* more than was counted */
    return;
  qn_stream_store(dealer->words + (place - slot), dealer->waiting + line);
  if (weights)
    store_weights(dealer, place - slot, line, weight_bytes);
}

QN_ALWAYS_INLINE void deal_edge(const struct dealer *dealer, uint64_t row, uint32_t column,
                                const void *weights, unsigned weight_bytes, uint64_t edge) {
  uint64_t bucket = column >> dealer->span_log2;
  uint32_t block = (uint32_t)(row >> ROW_BITS);
  if (dealer->shares[bucket].block != block) {
    dealer->shares[bucket].block = block;
    deal_word(dealer, bucket, block << ROW_BITS | QN_DEAL_MARK, weights, weight_bytes, edge);
  }
  deal_word(dealer, bucket,
            (uint32_t)row << ROW_BITS | (column & (((uint32_t)1 << dealer->span_log2) - 1)),
            weights, weight_bytes, edge);
}

/* Inlined for weights of each size and without. */
QN_ALWAYS_INLINE void deal_rows(const struct qn_csr *csr, const struct dealer *dealer,
                                const void *weights, unsigned weight_bytes, uint64_t edge,
                                uint64_t end) {
  const struct dealer own = *dealer;
  const uint64_t *row_offsets = csr->row_offsets;
  const uint32_t *columns = csr->column_indices;
  for (uint64_t row = qn_row_of_edge(csr, edge); edge < end && row < csr->num_vertices; row++) {
    uint64_t row_end = row_offsets[row + 1], last = row_end < end ? row_end : end;
    for (; edge < last; edge++)
      deal_edge(&own, row, columns[edge], weights, weight_bytes, edge);
  }
}

static void deal_part(const struct qn_csr *csr, const struct dealer *dealer, uint64_t edge,
                      uint64_t end) {
  const void *weights = csr->weights.data;
  switch (qn_weight_bytes(csr->weights.type)) {
  case 0:
    deal_rows(csr, dealer, NULL, 0, edge, end);
    break;
  case 4:
    deal_rows(csr, dealer, weights, 4, edge, end);
    break;
  default:
    deal_rows(csr, dealer, weights, 8, edge, end);
  }
}

/* Lines that are not full are written with what lies behind their words: it is their own space. */
static void flush_lines(const struct dealer *dealer, unsigned weight_bytes, uint64_t num_buckets) {
  for (uint64_t bucket = 0; bucket < num_buckets; bucket++) {
    uint64_t place = dealer->shares[bucket].end, line = bucket * LINE;
    if (place % LINE == 0 || place >= dealer->num_words)
      continue;
    qn_stream_store(dealer->words + (place - place % LINE), dealer->waiting + line);
    if (dealer->weights)
      store_weights(dealer, place - place % LINE, line, weight_bytes);
  }
  qn_stream_fence();
}

static enum qn_status deal_shares(const struct qn_dealt_edges *dealt, const struct qn_csr *csr,
                                  uint64_t part, struct qn_error *error) {
  uint64_t begin, end, waiting = dealt->num_buckets * LINE;
  struct dealer dealer = {.shares = dealt->shares + part * dealt->num_buckets,
                          .words = dealt->words,
                          .weights = dealt->weights,
                          .num_words = dealt->num_words,
                          .span_log2 = dealt->span_log2};
  qn_part_of(csr->num_edges, dealt->num_parts, part, &begin, &end);
  enum qn_status status =
      qn_pages_alloc(&dealer.waiting, waiting, sizeof *dealer.waiting, "waiting edges", error);
  if (!status && dealt->weights)
    status = qn_pages_alloc(&dealer.waiting_weights, waiting, dealt->weight_bytes, "waiting edges",
                            error);
  if (!status && begin < end) {
    deal_part(csr, &dealer, begin, end);
    flush_lines(&dealer, dealt->weight_bytes, dealt->num_buckets);
  }
  qn_pages_free(dealer.waiting, waiting, sizeof *dealer.waiting);
  qn_pages_free(dealer.waiting_weights, waiting, dealt->weight_bytes);
  return status;
}

static enum qn_status deal_all(const struct qn_dealt_edges *dealt, const struct qn_csr *csr,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static, 1)
  for (uint64_t part = 0; part < dealt->num_parts; part++) {
    struct qn_error own_error;
    enum qn_status own = deal_shares(dealt, csr, part, &own_error);
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

static void choose_shape(struct qn_dealt_edges *dealt, const struct qn_csr *csr) {
  dealt->num_vertices = csr->num_vertices;
  dealt->weight_bytes = qn_weight_bytes(csr->weights.type);
  dealt->span_log2 = MIN_SPAN_LOG2;
  while (dealt->span_log2 < MAX_SPAN_LOG2 &&
         csr->num_vertices >> dealt->span_log2 >= WANTED_BUCKETS)
    dealt->span_log2++;
  dealt->num_buckets = (csr->num_vertices >> dealt->span_log2) + 1;
  dealt->num_parts = csr->num_edges / (LINE * dealt->num_buckets) + 1;
  if (dealt->num_parts > qn_threads())
    dealt->num_parts = qn_threads();
}

enum qn_status qn_deal_edges(const struct qn_csr *csr, struct qn_dealt_edges *dealt,
                             struct qn_error *error) {
  *dealt = (struct qn_dealt_edges){0};
  choose_shape(dealt, csr);
  enum qn_status status = qn_pages_alloc(&dealt->shares, dealt->num_parts * dealt->num_buckets,
                                         sizeof *dealt->shares, "bucket counts", error);
  if (!status)
    status = qn_alloc(&dealt->bounds, dealt->num_buckets + 1, sizeof *dealt->bounds,
                      "bucket bounds", error);
  if (!status) {
    count_words(dealt, csr);
    place_shares(dealt);
    if (dealt->bounds[dealt->num_buckets] != csr->num_edges)
      status = qn_input_changed(error);
  }
  if (!status)
    status =
        qn_bulk_alloc(&dealt->words, dealt->num_words, sizeof *dealt->words, "dealt edges", error);
  if (!status && dealt->weight_bytes)
    status = qn_bulk_alloc(&dealt->weights, dealt->num_words, dealt->weight_bytes, "dealt weights",
                           error);
  if (!status)
    status = deal_all(dealt, csr, error);
  if (status)
    qn_dealt_edges_destroy(dealt);
  return status;
}

void qn_dealt_edges_destroy(struct qn_dealt_edges *dealt) {
  qn_pages_free(dealt->shares, dealt->num_parts * dealt->num_buckets, sizeof *dealt->shares);
  qn_free(dealt->bounds);
  qn_pages_free(dealt->words, dealt->num_words, sizeof *dealt->words);
  qn_pages_free(dealt->weights, dealt->num_words, dealt->weight_bytes);
  *dealt = (struct qn_dealt_edges){0};
}
