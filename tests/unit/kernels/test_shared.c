/* Memory that ranks share: another process sees it, and takes nothing else for it. */
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/test.h"
#include "kernels/ranks/shared.h"
#include "support/memory.h"

enum { COUNT = 700000 };

/* A process of its own writes behind what it finds there; was there any? */
static bool another_writes(const struct qn_shared_place *place, uint64_t count) {
  int status;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    uint32_t *found = qn_shared_open(count, sizeof *found, place);
    if (found)
      found[count - 1] = found[0] + 1;
    _exit(found != NULL);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void test_another_process(void **state) {
  (void)state;
  struct qn_shared_place place;
  void *memory;
  qn_shared_create(COUNT, sizeof(uint32_t), &memory, &place);
  assert_non_null(memory);
  uint32_t *own = memory;
  assert_int_equal(own[COUNT - 1], 0);
  own[0] = 41;
  assert_true(another_writes(&place, COUNT));
  assert_int_equal(own[COUNT - 1], 42);
  qn_shared_close(&place);
  assert_false(another_writes(&place, COUNT));
  assert_int_equal(own[0], 41); /* it stays until it is freed */
  qn_pages_free(memory, COUNT, sizeof(uint32_t));
}

/* Where the numbers are those of something else: another size, another mark, no regular file, none.
 */
static void test_something_else(void **state) {
  (void)state;
  struct qn_shared_place place, other;
  void *memory;
  qn_shared_create(COUNT, sizeof(uint32_t), &memory, &place);
  assert_non_null(memory);
  assert_false(another_writes(&place, COUNT - 1));
  other = place;
  other.mark++;
  assert_false(another_writes(&other, COUNT));
  other = place;
  other.descriptor = 0;
  assert_false(another_writes(&other, COUNT));
  other = (struct qn_shared_place){0};
  assert_false(another_writes(&other, COUNT));
  qn_shared_close(&place);
  qn_pages_free(memory, COUNT, sizeof(uint32_t));
  qn_shared_create(UINT64_MAX / 2, 4, &memory, &place);
  assert_null(memory);
  assert_int_equal(place.process, 0);
  qn_shared_close(&place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_another_process),
      cmocka_unit_test(test_something_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
