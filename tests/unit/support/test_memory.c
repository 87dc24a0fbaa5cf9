/* Behind an array nothing is that an index of 32 bits reaches. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/memory.h"

enum { COUNT = 1000 };

static struct qn_error error;

/* What ends a process that writes to this element: a signal, or 0. */
static int signal_of_writing(uint64_t *array, uint64_t index) {
  int status;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    ((volatile uint64_t *)array)[index] = 1;
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void check_reach(uint64_t *array) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) / sizeof *array;
  assert_int_equal(signal_of_writing(array, COUNT - 1), 0);
  for (uint64_t index = (COUNT + page - 1) / page * page; index < (uint64_t)1 << 32; index *= 2)
    assert_int_equal(signal_of_writing(array, index), SIGSEGV);
  assert_int_equal(signal_of_writing(array, UINT32_MAX), SIGSEGV);
}

TEST(allocated) {
  uint64_t *others[3], *array;
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal(qn_pages_alloc(&others[i], COUNT, 8, "another array", &error), QN_OK);
  assert_int_equal(qn_pages_alloc(&array, COUNT, sizeof *array, "an array", &error), QN_OK);
  check_reach(array);
  qn_pages_free(array, COUNT, sizeof *array);
  for (unsigned i = 0; i < 3; i++)
    qn_pages_free(others[i], COUNT, 8);
}

TEST(mapped) {
  uint64_t *array;
  int descriptor = open(scratch_path("file"), O_RDWR | O_CREAT, 0600);
  assert_int_equal(ftruncate(descriptor, 65536), 0);
  assert_int_equal(qn_pages_map(&array, descriptor, 8192, COUNT, 8, "a file", &error), QN_OK);
  array[0] = 7;
  check_reach(array);
  uint64_t first = 0;
  assert_int_equal(pread(descriptor, &first, sizeof first, 8192), sizeof first);
  assert_int_equal(first, 7);
  qn_pages_free(array, COUNT, sizeof *array);
  close(descriptor);
}

/* Where there is no address space to spare, arrays are had all the same. */
TEST(limited) {
#ifdef __SANITIZE_ADDRESS__
  skip(); /* its shadow needs more */
#endif
  int status;
  pid_t child = fork();
  if (child == 0) {
    execlp("sh", "sh", "-c", "ulimit -v 8000000; exec quern-generate rmat --scale 5 -qo g.qrn",
           NULL);
    _exit(127);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

/* More arrays than there is address space to reserve behind each; what was reserved before is given
 * back, and no more than that. In a process of its own, which reserves nothing from then on. */
TEST(many) {
  enum { MANY = 10000 };
  int status;
  pid_t child = fork();
  if (child == 0) {
    static uint64_t *arrays[MANY];
    for (unsigned round = 0; round < 2; round++) {
      for (unsigned i = 0; i < MANY; i++) {
        if (qn_pages_alloc(&arrays[i], i % 3, sizeof **arrays, "an array", &error))
          _exit(1);
        arrays[i][0] = i;
      }
      for (unsigned i = 0; i < MANY; i++) {
        if (arrays[i][0] != i)
          _exit(2);
        qn_pages_free(arrays[i], i % 3, sizeof **arrays);
      }
    }
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

TEST_MAIN(scratch_create, scratch_remove)
