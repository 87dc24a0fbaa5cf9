/* Rows cut into chunks, and the hubs among them. */
#include "helpers/test.h"
#include "kernels/work_division/chunks.h"
#include "support/random.h"

enum { MOST_ROWS = 40, LENGTHS = 8 };

static const uint64_t lengths[LENGTHS] = {0,
                                          1,
                                          100,
                                          QN_CHUNK_EDGES,
                                          3 * QN_CHUNK_EDGES,
                                          QN_HUB_EDGES,
                                          QN_HUB_EDGES + 1,
                                          20 * QN_HUB_EDGES};

static void check(const uint64_t *offsets, uint64_t num_rows) {
  struct qn_row_chunks chunks;
  struct qn_error error;
  uint64_t num_hubs = 0;
  assert_int_equal(qn_row_chunks_create(&chunks, offsets, num_rows, &error), QN_OK);
  assert_int_equal(chunks.bounds[0], 0);
  assert_int_equal(chunks.bounds[chunks.num_chunks], num_rows);
  for (uint64_t chunk = 0; chunk < chunks.num_chunks; chunk++) {
    assert_true(chunks.bounds[chunk] <= chunks.bounds[chunk + 1]);
    if (chunks.bounds[chunk] + 1 < chunks.bounds[chunk + 1]) /* without its last row */
      assert_true(offsets[chunks.bounds[chunk + 1] - 1] - offsets[chunks.bounds[chunk]] <=
                  QN_CHUNK_EDGES);
  }
  for (uint64_t row = 0; row < num_rows; row++)
    if (offsets[row + 1] - offsets[row] > QN_HUB_EDGES) {
      assert_true(num_hubs < chunks.num_hubs);
      assert_int_equal(chunks.hubs[num_hubs++], row);
    }
  assert_int_equal(num_hubs, chunks.num_hubs);
  qn_row_chunks_destroy(&chunks);
}

TEST(hubs_are_found) {
  for (uint64_t round = 0; round < 200; round++) {
    uint64_t offsets[MOST_ROWS + 1] = {0};
    const uint64_t num_rows = qn_random_at(1, round) % (MOST_ROWS + 1);
    for (uint64_t row = 0; row < num_rows; row++)
      offsets[row + 1] = offsets[row] + lengths[qn_random_at(2, round * MOST_ROWS + row) % LENGTHS];
    check(offsets, num_rows);
  }
}

TEST_MAIN(NULL, NULL)
