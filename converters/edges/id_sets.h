/* Sets of ids: a bitmap with ranks, and ascending arrays. Internal to the builder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "converters/edges/edge_blocks.h"

/* 64 ids: which occur, and how many occur before them. */
struct qn_id_marks {
  uint64_t bits;
  uint64_t rank;
};

/* From any thread. */
static inline void qn_mark(struct qn_id_marks *marks, uint64_t id) {
  uint64_t bit = (uint64_t)1 << (id & 63);
  uint64_t *word = &marks[id >> 6].bits;
  /* Most ids occur many times: looking first keeps the cache line shared. */
  if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
    __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

static inline void qn_mark_block(struct qn_id_marks *marks, struct qn_edge_block *block) {
  const uint64_t *ids = qn_edge_block_ids(block);
  if (block->wide) {
    for (uint64_t i = 0; i < 2 * (uint64_t)block->count; i++)
      qn_mark(marks, ids[i]);
    return;
  }
  for (uint32_t i = 0; i < block->count; i++) {
    qn_mark(marks, (uint32_t)ids[i]);
    qn_mark(marks, ids[i] >> 32);
  }
}

/* Fill in the ranks; returns how many ids are marked. */
static inline uint64_t qn_rank_marks(struct qn_id_marks *marks, uint64_t num_marks) {
  uint64_t rank = 0;
  for (uint64_t i = 0; i < num_marks; i++) {
    marks[i].rank = rank;
    rank += (uint64_t)__builtin_popcountll(marks[i].bits);
  }
  return rank;
}

/* How many marked ids are below `id`. */
static inline uint64_t qn_rank_of(const struct qn_id_marks *marks, uint64_t id) {
  const struct qn_id_marks *word = &marks[id >> 6];
  uint64_t before = ((uint64_t)1 << (id & 63)) - 1;
  return word->rank + (uint64_t)__builtin_popcountll(word->bits & before);
}

static inline int qn_compare_numbers(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* Sort `ids`, leave each once, and return how many are left. */
static inline uint64_t qn_sort_unique(uint64_t *ids, uint64_t count) {
  uint64_t kept = 0;
  if (count)
    qsort(ids, count, sizeof *ids, qn_compare_numbers);
  for (uint64_t i = 0; i < count; i++)
    if (kept == 0 || ids[kept - 1] != ids[i])
      ids[kept++] = ids[i];
  return kept;
}

/* The union of two ascending runs, without repetition; returns its size. */
static inline uint64_t qn_merge_unique(const uint64_t *a, uint64_t num_a, const uint64_t *b,
                                       uint64_t num_b, uint64_t *out) {
  uint64_t i = 0, j = 0, n = 0;
  while (i < num_a && j < num_b) {
    uint64_t x = a[i], y = b[j];
    out[n++] = x < y ? x : y;
    i += x <= y;
    j += y <= x;
  }
  while (i < num_a)
    out[n++] = a[i++];
  while (j < num_b)
    out[n++] = b[j++];
  return n;
}
