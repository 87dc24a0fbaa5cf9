/* Temporary files: what is appended by many threads is read back; nothing has a name; a full disk
 * and a missing folder are errors. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

static struct qn_error error;

TEST(appended_is_read_back) {
  enum { PIECES = 200, LENGTH = 10000 };
  static uint64_t offsets[PIECES];
  struct qn_temp_file *file;
  unsigned before = names_in("."), failed = 0;
  assert_int_equal(qn_temp_file_create(".", &file, &error), QN_OK);
  assert_int_equal(names_in("."), before);
#pragma omp parallel for schedule(dynamic) reduction(+ : failed) num_threads(4)
  for (int i = 0; i < PIECES; i++) {
    char bytes[LENGTH];
    memset(bytes, i, sizeof bytes);
    failed += qn_temp_file_append(file, bytes, (uint64_t)(i + 1) * 50, &offsets[i], NULL) != QN_OK;
  }
  assert_int_equal(failed, 0);
  assert_int_equal(qn_temp_file_bytes(file), 50 * PIECES * (PIECES + 1) / 2);
  for (int i = 0; i < PIECES; i++) {
    char bytes[LENGTH], expected[LENGTH];
    uint64_t length = (uint64_t)(i + 1) * 50;
    memset(expected, i, sizeof expected);
    qn_temp_file_expect(file, length, offsets[i]);
    assert_int_equal(qn_temp_file_read(file, bytes, length, offsets[i], &error), QN_OK);
    assert_memory_equal(bytes, expected, length);
  }
  char beyond[8];
  assert_int_equal(qn_temp_file_read(file, beyond, 8, qn_temp_file_bytes(file), &error), QN_SYSTEM);
  qn_temp_file_destroy(file);
  qn_temp_file_destroy(NULL);
}

TEST(arrays_are_files_under_a_limit) {
  const uint64_t count = 1000000;
  uint64_t live = qn_memory_live(), *array;
  for (int limited = 0; limited < 2; limited++) {
    qn_memory_limit_set(limited ? 1 << 20 : 0, ".");
    assert_int_equal(qn_bulk_alloc(&array, count, sizeof *array, "numbers", &error), QN_OK);
    for (uint64_t i = 0; i < count; i++) {
      assert_int_equal(array[i], 0);
      array[i] = i;
    }
    assert_int_equal(array[count - 1], count - 1);
    qn_pages_free(array, count, sizeof *array);
    assert_int_equal(qn_bulk_alloc(&array, 0, sizeof *array, "nothing", &error), QN_OK);
    qn_pages_free(array, 0, sizeof *array);
    assert_int_equal(qn_bulk_alloc(&array, UINT64_MAX, 8, "too much", &error), QN_SYSTEM);
    assert_null(array);
  }
  qn_memory_limit_set(0, ".");
  assert_int_equal(qn_memory_live(), live);
}

TEST(missing_folders) {
  struct qn_temp_file *file;
  uint64_t bytes, *array;
  assert_int_equal(qn_temp_file_create("nowhere", &file, &error), QN_SYSTEM);
  assert_non_null(strstr(error.message, "--tmpdir"));
  assert_string_equal(error.file, "nowhere");
  assert_int_equal(qn_free_space("nowhere", &bytes, &error), QN_SYSTEM);
  assert_int_equal(qn_free_space(".", &bytes, &error), QN_OK);
  qn_memory_limit_set(1 << 20, "nowhere");
  assert_int_equal(qn_bulk_alloc(&array, 1, 8, "a number", &error), QN_SYSTEM);
  qn_memory_limit_set(0, ".");
}

/* A limit of file sizes stands for a full disk. */
TEST(full_disks) {
  struct rlimit before, small;
  static char bytes[100000];
  struct qn_temp_file *file;
  uint64_t offset, *array;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 150000;
  assert_int_equal(qn_temp_file_create(".", &file, &error), QN_OK);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  qn_memory_limit_set(1 << 20, ".");
  enum qn_status first = qn_temp_file_append(file, bytes, sizeof bytes, &offset, NULL);
  enum qn_status second = qn_temp_file_append(file, bytes, sizeof bytes, &offset, &error);
  enum qn_status third = qn_bulk_alloc(&array, 100000, 8, "numbers", NULL);
  qn_memory_limit_set(0, ".");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(first, QN_OK);
  assert_int_equal(second, QN_SYSTEM);
  assert_non_null(strstr(error.message, "cannot write temporary data"));
  assert_int_equal(third, QN_SYSTEM);
  qn_temp_file_destroy(file);
}

int main(void) {
  qn_threads_set(2);
  return run_listed_tests(NULL, NULL);
}
