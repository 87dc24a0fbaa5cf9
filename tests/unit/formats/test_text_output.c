/* Text in a file whose pages are taken ahead: the bytes are the same whatever was expected, and as
 * many as were written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/text/text_output.h"
#include "helpers/test.h"
#include "support/threads.h"

#define MIB ((uint64_t)1 << 20)
#define PARTS 300

static struct qn_error error;
static char folder[64], path[128];

static int in_memory(void **state) {
  (void)state;
  strcpy(folder, "/dev/shm/quern-XXXXXX");
  if (!mkdtemp(folder))
    folder[0] = '\0';
  snprintf(path, sizeof path, "%s/values.txt", folder);
  qn_threads_set(4);
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  unlink(path);
  return folder[0] ? rmdir(folder) : 0;
}

/* Some 15 MB in all. */
static void format(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  (void)context;
  const uint64_t length = 1000 + part * 331;
  char *text = qn_text_buffer_reserve(buffer, length);
  memset(text, (int)('a' + part % 26), length);
  qn_text_buffer_advance(buffer, text + length);
}

static void check_file(uint64_t bytes) {
  struct stat about;
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &about), 0);
  assert_true((uint64_t)about.st_size == bytes);
  assert_true((uint64_t)about.st_blocks * 512 <= bytes + 4096);
  for (int i = 0; i < 4; i++)
    assert_int_equal(getc(file), "head"[i]);
  for (uint64_t part = 0; part < PARTS; part++)
    for (uint64_t i = 0; i < 1000 + part * 331; i++)
      if (getc(file) != (int)('a' + part % 26))
        fail_msg("byte %lu of part %lu", (unsigned long)i, (unsigned long)part);
  assert_int_equal(getc(file), EOF);
  fclose(file);
}

static struct qn_text_output *begin(uint64_t expected) {
  struct qn_text_output *output;
  assert_int_equal(qn_text_output_create(path, true, &output, &error), QN_OK);
  qn_text_output_expect(output, expected);
  assert_int_equal(qn_text_output_write(output, "head", 4, &error), QN_OK);
  return output;
}

TEST_BETWEEN(bytes_are_the_same, in_memory, clean_up) {
  if (!folder[0])
    skip();
  const uint64_t expected[] = {0, 1, 8 * MIB, 8 * MIB + 1, 200 * MIB};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    struct qn_text_output *output = begin(expected[i]);
    assert_int_equal(qn_text_output_parts(output, PARTS, format, NULL, &error), QN_OK);
    const uint64_t bytes = qn_text_output_bytes(output);
    assert_int_equal(qn_text_output_commit(output, &error), QN_OK);
    check_file(bytes);
  }
}

TEST_BETWEEN(nothing_is_left_of_what_is_dropped, in_memory, clean_up) {
  if (!folder[0])
    skip();
  qn_text_output_abort(begin(1000 * MIB));
  struct qn_text_output *output = begin(10 * MIB);
  assert_int_equal(qn_text_output_parts(output, PARTS, format, NULL, &error), QN_OK);
  qn_text_output_abort(output);
  assert_int_equal(access(path, F_OK), -1);
}

TEST_MAIN(NULL, NULL)
