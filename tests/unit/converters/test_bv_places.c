/* Where lists of a WebGraph begin, in 4 bytes a node. */
#include "converters/arrays/bv_graph.h"
#include "helpers/test.h"

TEST(test_places_beyond_4_gib) {
  enum { NODES = 2 * QN_BV_PLACES };
  uint64_t firsts[NODES / QN_BV_PLACES + 1], place = 0;
  uint32_t behind[NODES + 1];
  const struct qn_bv_places places = {firsts, behind};
  for (uint64_t node = 0; node <= NODES; node++, place += UINT32_MAX / QN_BV_PLACES)
    assert_true(qn_bv_place_set(&places, node, place));
  for (uint64_t node = 0; node <= NODES; node++)
    assert_int_equal(qn_bv_place_of(&places, node), node * (UINT32_MAX / QN_BV_PLACES));
}

/* Such lists are read in their order then, without places. */
TEST(test_too_far_behind) {
  uint64_t firsts[2];
  uint32_t behind[QN_BV_PLACES + 1];
  const struct qn_bv_places places = {firsts, behind};
  assert_true(qn_bv_place_set(&places, 0, 7));
  assert_true(qn_bv_place_set(&places, 1, 7 + (uint64_t)UINT32_MAX));
  assert_false(qn_bv_place_set(&places, 2, 8 + (uint64_t)UINT32_MAX));
  assert_true(qn_bv_place_set(&places, QN_BV_PLACES, UINT64_MAX));
}

TEST_MAIN(NULL, NULL)
