/* What a control group leaves: the page cache gives way, a group without a limit says nothing. */
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/memory_plan.h"

static void write_text(const char *name, const char *text) {
  write_file(scratch_path(name), text, strlen(text));
}

TEST(no_group) {
  assert_int_equal(qn_memory_left_in_group(scratch_path("nowhere")), UINT64_MAX);
  assert_true(qn_memory_available() > 0);
}

TEST(no_limit) {
  write_text("memory.max", "max\n");
  write_text("memory.current", "1000\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), UINT64_MAX);
}

TEST(cached_files_give_way) {
  write_text("memory.max", "8000000000\n");
  write_text("memory.current", "7999000000\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), 1000000);
  write_text("memory.stat", "anon 900000000\nfile 7099000000\ninactive_anon 900000000\n"
                            "inactive_file 7000000000\nactive_file 90000000\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), 7091000000);
}

TEST(group_beyond_its_limit) {
  write_text("memory.max", "1000\n");
  write_text("memory.current", "5000\n");
  write_text("memory.stat", "inactive_file 100\nactive_file 0\n");
  assert_int_equal(qn_memory_left_in_group(scratch_folder), 0);
}

TEST_MAIN(scratch_create, scratch_remove)
