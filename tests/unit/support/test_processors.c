/* How many threads there are to be: by the environment, and by what a control group leaves. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/system/processors.h"

static unsigned limited_by(const char *text) {
  write_file(scratch_path("cpu.max"), text, strlen(text));
  return qn_processors_of_group(scratch_folder, "/");
}

TEST(limits_of_a_group) {
  assert_int_equal(qn_processors_of_group(scratch_path("nowhere"), ""), UINT_MAX);
  assert_int_equal(limited_by("max 100000\n"), UINT_MAX);
  assert_int_equal(limited_by("200000 100000\n"), 2);
  assert_int_equal(limited_by("150000 100000\n"), 2);
  assert_int_equal(limited_by("1000 100000\n"), 1);
  assert_int_equal(limited_by(""), UINT_MAX);
  assert_int_equal(limited_by("0 0\n"), UINT_MAX);
  assert_int_equal(limited_by("18446744073709551615 1\n"), UINT_MAX);
}

/* Jobs of a scheduler see the groups that theirs lies in. */
TEST(limits_of_groups_above) {
  assert_int_equal(mkdir(scratch_path("slice"), 0700), 0);
  assert_int_equal(mkdir(scratch_path("slice/job"), 0700), 0);
  limited_by("500000 100000\n");
  assert_int_equal(qn_processors_of_group(scratch_folder, "/slice/job"), 5);
  write_file(scratch_path("slice/cpu.max"), "300000 100000\n", 14);
  assert_int_equal(qn_processors_of_group(scratch_folder, "/slice/job"), 3);
  write_file(scratch_path("slice/job/cpu.max"), "400000 100000\n", 14);
  assert_int_equal(qn_processors_of_group(scratch_folder, "/slice/job"), 3);
  write_file(scratch_path("slice/job/cpu.max"), "200000 100000\n", 14);
  assert_int_equal(qn_processors_of_group(scratch_folder, "/slice/job"), 2);
  assert_int_equal(qn_processors_of_group(scratch_folder, "/other/job"), 5);
}

TEST(the_environment_says_how_many) {
  unsetenv("OMP_NUM_THREADS");
  assert_false(qn_processors_are_given());
  assert_true(qn_processors_usual() >= 1);
  setenv("OMP_NUM_THREADS", "7,2", 1);
  assert_true(qn_processors_are_given());
  assert_int_equal(qn_processors_usual(), 7);
  setenv("OMP_NUM_THREADS", "many", 1);
  assert_false(qn_processors_are_given());
  setenv("OMP_NUM_THREADS", " -1", 1);
  assert_false(qn_processors_are_given());
}

TEST(files_are_small) {
  const char *two[] = {scratch_path("cpu.max"), scratch_path("cpu.max")};
  limited_by("12345\n");
  assert_true(qn_files_are_small(two, 1, 7));
  assert_false(qn_files_are_small(two, 1, 6));
  assert_false(qn_files_are_small(two, 2, 12));
  assert_false(qn_files_are_small(two, 0, 12));
  assert_false(qn_files_are_small(&(const char *){scratch_folder}, 1, UINT64_MAX));
  assert_false(qn_files_are_small(&(const char *){scratch_path("nowhere")}, 1, UINT64_MAX));
}

TEST_MAIN(scratch_create, scratch_remove)
