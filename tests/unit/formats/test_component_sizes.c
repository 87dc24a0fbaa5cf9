/* Components counted by labels, which are vertices of their component or any others. */
#include "formats/graph/components.h"
#include "helpers/test.h"
#include "support/random.h"
#include "support/threads.h"

enum { MOST = 3000 };

static uint32_t label_of(int kind, uint32_t vertex, uint32_t count, const uint32_t *before) {
  const uint32_t any = (uint32_t)(qn_random_at((uint64_t)kind << 32 | count, vertex) % count);
  if (kind == 0)
    return any;
  if (kind == 1) /* those of smaller ones, or a new one */
    return any < vertex ? before[any] : vertex;
  if (kind == 2) /* one large, and single vertices */
    return any % 3 ? 0 : vertex;
  return kind == 3 ? count - 1 - vertex : any % 7;
}

TEST(sizes_are_counted) {
  qn_threads_set(3);
  for (int kind = 0; kind < 5; kind++)
    for (uint32_t count = 0; count <= MOST; count = count < 70 ? count + 1 : 3 * count) {
      uint32_t labels[MOST], members[MOST] = {0};
      struct qn_component_sizes expected = {0}, sizes;
      struct qn_error error;
      for (uint32_t v = 0; v < count; v++) {
        labels[v] = label_of(kind, v, count, labels);
        labels[v] = labels[v] < count ? labels[v] : 0;
        const uint32_t size = ++members[labels[v]];
        expected.count += size == 1;
        expected.largest = size > expected.largest ? size : expected.largest;
      }
      assert_int_equal(qn_component_sizes(labels, count, &sizes, &error), QN_OK);
      assert_int_equal(sizes.count, expected.count);
      assert_int_equal(sizes.largest, expected.largest);
    }
}

TEST_MAIN(NULL, NULL)
