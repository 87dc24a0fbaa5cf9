/* How many threads there are to be: by the environment, and by what a control group leaves. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/system/processors.h"

static unsigned limit_for(const char *own) {
  write_file(scratch_path("own"), own, strlen(own));
  return qn_processors_of_groups(scratch_folder, scratch_path("own"));
}

static void put(const char *name, const char *text) {
  write_file(scratch_path(name), text, strlen(text));
}

static unsigned limited_by(const char *text) {
  put("cpu.max", text);
  return limit_for("0::/\n");
}

TEST(limits_of_a_group) {
  assert_int_equal(qn_processors_of_groups(scratch_path("nowhere"), ""), UINT_MAX);
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
  assert_int_equal(limit_for("0::/slice/job\n"), 5);
  put("slice/cpu.max", "300000 100000\n");
  assert_int_equal(limit_for("0::/slice/job\n"), 3);
  put("slice/job/cpu.max", "400000 100000\n");
  assert_int_equal(limit_for("0::/slice/job\n"), 3);
  put("slice/job/cpu.max", "200000 100000\n");
  assert_int_equal(limit_for("0::/slice/job\n"), 2);
  assert_int_equal(limit_for("0::/other/job\n"), 5);
  assert_int_equal(limit_for("nothing\n"), 5);
}

TEST(limits_of_version_1) {
  put("cpu.max", "max 100000\n");
  assert_int_equal(mkdir(scratch_path("cpu,cpuacct"), 0700), 0);
  assert_int_equal(mkdir(scratch_path("cpu,cpuacct/job"), 0700), 0);
  const char *own = "12:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/job\n0::/\n";
  assert_int_equal(limit_for(own), UINT_MAX);
  put("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  put("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  assert_int_equal(limit_for(own), UINT_MAX);
  put("cpu,cpuacct/job/cpu.cfs_quota_us", "350000\n");
  assert_int_equal(limit_for(own), 4);
  assert_int_equal(limit_for("3:cpuset:/job\n"), UINT_MAX);
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
  put("small", "12345\n");
  const char *two[] = {scratch_path("small"), scratch_path("small")};
  assert_true(qn_files_are_small(two, 1, 7));
  assert_false(qn_files_are_small(two, 1, 6));
  assert_false(qn_files_are_small(two, 2, 12));
  assert_false(qn_files_are_small(two, 0, 12));
  assert_false(qn_files_are_small(&(const char *){scratch_folder}, 1, UINT64_MAX));
  assert_false(qn_files_are_small(&(const char *){scratch_path("nowhere")}, 1, UINT64_MAX));
}

TEST_MAIN(scratch_create, scratch_remove)
