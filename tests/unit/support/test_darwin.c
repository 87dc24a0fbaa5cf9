/* Stand-ins for what macOS lacks, beside glibc's. */
#include "support/system/darwin.h"

#include "helpers/test.h"
#include "support/system/program_path.h"

TEST(bytes_are_found_and_copied) {
  const char text[] = "a/b/c";
  char copy[8], same[8];
  for (int letter = 0; letter < 256; letter++) {
    assert_ptr_equal(qn_stand_in_memrchr(text, letter, 5), memrchr(text, letter, 5));
    assert_ptr_equal(qn_stand_in_strchrnul(text, letter), strchrnul(text, letter));
  }
  assert_null(qn_stand_in_memrchr(text, 'a', 0));
  assert_ptr_equal(qn_stand_in_mempcpy(copy, text, 6), copy + 6);
  assert_ptr_equal(mempcpy(same, text, 6), same + 6);
  assert_string_equal(copy, same);
}

TEST(descriptors_are_closed_in_other_programs) {
  int ends[2];
  const int file = qn_stand_in_memfd_create("test", 0);
  assert_true(file >= 0);
  assert_int_equal(write(file, "abc", 3), 3);
  assert_int_equal(lseek(file, 0, SEEK_END), 3);
  assert_int_equal(qn_stand_in_pipe2(ends, O_CLOEXEC), 0);
  assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
  assert_true(fcntl(ends[0], F_GETFD) & fcntl(ends[1], F_GETFD) & FD_CLOEXEC);
  assert_int_equal(qn_stand_in_fallocate(file, 0, 0, 10), -1);
  assert_int_equal(errno, EOPNOTSUPP);
  assert_int_equal(qn_stand_in_posix_fadvise(file, 0, 10, 0), 0);
  close(file), close(ends[0]), close(ends[1]);
}

TEST(the_program_is_found) {
  char path[4096], short_path[4];
  qn_program_path(path, sizeof path);
  assert_non_null(strstr(path, "test_darwin"));
  qn_program_path(short_path, sizeof short_path);
  assert_true(strlen(short_path) < sizeof short_path);
}

TEST_MAIN(NULL, NULL)
