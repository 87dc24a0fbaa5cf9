/* What a control group leaves: the page cache gives way, a group without a limit says nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/scratch.h"
#include "support/memory_plan.h"

static void write_text(const char *name, const char *text) {
  write_file(scratch_path(name), text, strlen(text));
}

static void no_group(void **state) {
  (void)state;
  assert_int_equal(qn_memory_left_in_group(scratch_path("nowhere")), UINT64_MAX);
  assert_true(qn_memory_available() > 0);
}

static void no_limit(void **state) {
  (void)state;
  write_text("memory.max", "max\n");
  write_text("memory.current", "1000\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), UINT64_MAX);
}

static void cached_files_give_way(void **state) {
  (void)state;
  write_text("memory.max", "8000000000\n");
  write_text("memory.current", "7999000000\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), 1000000);
  write_text("memory.stat", "anon 900000000\nfile 7099000000\ninactive_anon 900000000\n"
                            "inactive_file 7000000000\nactive_file 90000000\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), 7091000000);
}

static void group_beyond_its_limit(void **state) {
  (void)state;
  write_text("memory.max", "1000\n");
  write_text("memory.current", "5000\n");
  write_text("memory.stat", "inactive_file 100\nactive_file 0\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_group),
      cmocka_unit_test(no_limit),
      cmocka_unit_test(cached_files_give_way),
      cmocka_unit_test(group_beyond_its_limit),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
