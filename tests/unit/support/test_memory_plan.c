/* What a control group leaves: the page cache gives way, a group without a limit says nothing. */
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/temp_file.h"

static void write_text(const char *name, const char *text) {
  write_file(scratch_path(name), text, strlen(text));
}

static uint64_t left_for(const char *own) {
  write_text("own", own);
  return qn_memory_left_in_groups(scratch_folder, scratch_path("own"));
}

TEST(no_group) {
  assert_int_equal(qn_memory_left_in_groups(scratch_path("nowhere"), ""), UINT64_MAX);
  assert_true(qn_memory_available() > 0);
}

TEST(no_limit) {
  write_text("memory.max", "max\n");
  write_text("memory.current", "1000\n");
  assert_int_equal(left_for("0::/\n"), UINT64_MAX);
}

TEST(cached_files_give_way) {
  write_text("memory.max", "8000000000\n");
  write_text("memory.current", "7999000000\n");
  assert_int_equal(left_for("0::/\n"), 1000000);
  write_text("memory.stat", "anon 900000000\nfile 7099000000\ninactive_anon 900000000\n"
                            "inactive_file 7000000000\nactive_file 90000000\n");
  assert_int_equal(left_for("0::/\n"), 7091000000);
}

TEST(group_beyond_its_limit) {
  write_text("memory.max", "1000\n");
  write_text("memory.current", "5000\n");
  write_text("memory.stat", "inactive_file 100\nactive_file 0\n");
  assert_int_equal(left_for("0::/\n"), 0);
}

/* Of a job under a scheduler, whose own group has no limit, and of one in version 1. */
TEST(groups_above) {
  assert_int_equal(mkdir(scratch_path("slice"), 0700), 0);
  assert_int_equal(mkdir(scratch_path("slice/job"), 0700), 0);
  write_text("memory.max", "max\n");
  write_text("slice/memory.max", "7000\n");
  write_text("slice/memory.current", "3000\n");
  write_text("slice/job/memory.max", "max\n");
  write_text("slice/job/memory.current", "3000\n");
  assert_int_equal(left_for("0::/slice/job\n"), 4000);
  assert_int_equal(left_for("0::/another\n"), UINT64_MAX);
}

TEST(groups_of_version_1) {
  assert_int_equal(mkdir(scratch_path("memory"), 0700), 0);
  assert_int_equal(mkdir(scratch_path("memory/job"), 0700), 0);
  write_text("memory.max", "max\n");
  write_text("memory/memory.limit_in_bytes", "9223372036854771712\n");
  write_text("memory/memory.usage_in_bytes", "123456\n");
  write_text("memory/job/memory.limit_in_bytes", "8000\n");
  write_text("memory/job/memory.usage_in_bytes", "7000\n");
  write_text("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n"
                                       "total_active_file 500\n");
  assert_int_equal(left_for("4:memory:/job\n0::/\n"), 3500);
  assert_int_equal(left_for("4:memory:/in/a/container\n0::/\n"), 9223372036854771712u - 123456);
}

static bool is_on_tmpfs(const char *folder) {
  struct statfs about;
  return statfs(folder, &about) == 0 && about.f_type == TMPFS_MAGIC;
}

/* Is it to be done in temporary files, where a little memory and so much of output are needed? */
static bool goes_to_disk(const char *output, uint64_t bytes) {
  const struct qn_memory_options options = {0};
  const struct qn_work_estimate estimate = {.usual = 1 << 20, .most = 1 << 20, .output = bytes};
  struct qn_memory_plan plan;
  struct qn_error error;
  qn_memory_plan_make(&options, output, &estimate, &plan, &error); /* there may be no room */
  qn_memory_limit_set(0, NULL);
  return plan.on_disk;
}

/* Of what the process has not mapped, output and input take their part. */
TEST(a_limited_address_space) {
  struct rlimit before, limited;
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  assert_int_equal(fscanf(file, "%llu", &pages), 1);
  fclose(file);
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  limited = before;
  limited.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)64 << 20);
  const bool outside = goes_to_disk("out.qrn", 0), was = goes_to_disk("out.qrn", 200 << 20);
  assert_int_equal(setrlimit(RLIMIT_AS, &limited), 0);
  const uint64_t left = qn_memory_available();
  const bool small = goes_to_disk("out.qrn", 0), large = goes_to_disk("out.qrn", 200 << 20);
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  assert_in_range(left, 32 << 20, 64 << 20);
  assert_false(outside || was || small);
  assert_true(large);
}

TEST(output_on_a_tmpfs_takes_memory) {
  const uint64_t much = qn_memory_available();
  if (is_on_tmpfs("/dev/shm")) {
    assert_true(goes_to_disk("/dev/shm/output.qrn", much));
    assert_false(goes_to_disk("/dev/shm/output.qrn", 1));
  }
  if (!is_on_tmpfs(scratch_folder))
    assert_false(goes_to_disk(scratch_path("output.qrn"), much));
}

TEST_MAIN(scratch_create, scratch_remove)
