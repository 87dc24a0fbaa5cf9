/* Dividing edges among piles while others make the piles wider. */
#include <stdlib.h>

#include "converters/edges/division.h"
#include "converters/edges/edge_blocks.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/threads.h"

static struct qn_error error;

static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* A wide edge from `source` to 0. */
static void add_edge(struct qn_block_pool *pool, struct qn_divider *divider, uint64_t source) {
  struct qn_edge_block *block = qn_block_take(pool);
  assert_non_null(block);
  *block = (struct qn_edge_block){.largest = source, .count = 1, .wide = true};
  qn_edge_block_ids(block)[0] = source;
  qn_edge_block_ids(block)[1] = 0;
  assert_int_equal(qn_divider_add(divider, block, &error), QN_OK);
  qn_block_give(pool, block);
}

/* An edge that waits goes to the pile of its id by then, however much wider piles have become. */
TEST(piles_grow_while_edges_wait) {
  const struct qn_division_options options = {.by = QN_BY_SOURCE, .num_piles = 16};
  for (unsigned shift = 1; shift <= 60; shift++) {
    struct qn_block_pool *pool;
    struct qn_division *division;
    assert_int_equal(qn_block_pool_create(&pool, &error), QN_OK);
    assert_int_equal(qn_division_create(pool, &options, &division, &error), QN_OK);
    struct qn_divider *early = qn_divider_open(division, 0), *late = qn_divider_open(division, 1);
    add_edge(pool, early, 13);
    add_edge(pool, late, (uint64_t)15 << shift);
    assert_int_equal(qn_divider_close(early, &error), QN_OK);
    assert_int_equal(qn_divider_close(late, &error), QN_OK);
    assert_int_equal(qn_division_flush(division, &error), QN_OK);
    assert_int_equal(division->shift, shift);
    const unsigned early_pile = shift < 32 ? 13u >> shift : 0;
    for (unsigned p = 0; p < 16; p++)
      assert_int_equal(division->piles[p].num_edges, (p == early_pile) + (p == 15));
    qn_division_destroy(division);
    qn_block_pool_destroy(pool);
  }
}

/* Blocks of one arena and the next, each once, whatever the order in which they are taken. */
TEST(blocks_are_apart) {
  enum { BLOCKS = 2500 };
  static const unsigned threads[] = {1, 2, 5, 40};
  for (unsigned i = 0; i < sizeof threads / sizeof threads[0]; i++) {
    struct qn_block_pool *pool;
    uint64_t taken[BLOCKS];
    qn_threads_set(threads[i]);
    assert_int_equal(qn_block_pool_create(&pool, &error), QN_OK);
    for (unsigned b = 0; b < BLOCKS; b++) {
      taken[b] = (uint64_t)(uintptr_t)qn_block_take(pool);
      assert_int_equal(taken[b] % QN_BLOCK_BYTES, 0);
    }
    qsort(taken, BLOCKS, sizeof taken[0], compare_u64);
    for (unsigned b = 1; b < BLOCKS; b++)
      assert_true(taken[b] - taken[b - 1] >= QN_BLOCK_BYTES);
    qn_block_pool_destroy(pool);
  }
  qn_threads_set(0);
}

TEST_MAIN(scratch_create, scratch_remove)
