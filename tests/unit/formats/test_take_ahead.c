/* Pages that a writer takes ahead: the file is the same, as long as its bytes, and takes no more
 * pages than those. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/container/prefault.h"
#include "helpers/test.h"
#include "support/threads.h"

#define MIB ((uint64_t)1 << 20)
#define NOTHING UINT64_MAX

static struct qn_error error;
static char folder[64], path[128];

static int in_memory(void **state) {
  (void)state;
  strcpy(folder, "/dev/shm/quern-XXXXXX");
  if (!mkdtemp(folder))
    folder[0] = '\0';
  snprintf(path, sizeof path, "%s/g.qrn", folder);
  qn_threads_set(4);
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  unlink(path);
  return folder[0] ? rmdir(folder) : 0;
}

static void add(struct qn_writer *writer, const char *name, uint64_t bytes) {
  uint8_t *section = NULL;
  const struct qn_section_spec spec = {.name = name,
                                       .element_type = QN_ELEMENT_UNSIGNED,
                                       .element_bytes = 1,
                                       .count = bytes,
                                       .ancillary = true};
  assert_int_equal(qn_writer_section(writer, &spec, &section, &error), QN_OK);
  for (uint64_t i = 0; i < bytes; i += 4096) {
    assert_int_equal(section[i], 0);
    section[i] = (uint8_t)(i >> 12 | 1);
  }
}

static struct qn_writer *begin(uint64_t expected) {
  struct qn_writer *writer;
  assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
  qn_writer_info(writer)->layout = QN_LAYOUT_GRAPH;
  if (expected != NOTHING)
    qn_writer_expect(writer, expected);
  return writer;
}

/* Sections of which the writer expects so many bytes; the second is cut to a part of it. */
static uint64_t identity_of(uint64_t expected) {
  struct qn_writer *writer = begin(expected);
  add(writer, "none", 0);
  add(writer, "first", 20 * MIB + 5);
  add(writer, "none2", 0);
  add(writer, "small", 100);
  if (expected != NOTHING)
    qn_writer_expect(writer, expected + 3 * MIB);
  add(writer, "second", 17 * MIB);
  assert_int_equal(qn_writer_shrink(writer, 9 * MIB, &error), QN_OK);
  add(writer, "third", 12 * MIB);
  assert_int_equal(qn_writer_finish(writer, path, NULL, &error), QN_OK);

  struct stat about;
  struct qn_container *container;
  assert_int_equal(stat(path, &about), 0);
  assert_true((uint64_t)about.st_blocks * 512 <= (uint64_t)about.st_size + 2 * 4096);
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  assert_int_equal(qn_container_verify(container, &error), QN_OK);
  const uint64_t identity = qn_container_info(container)->header_checksum;
  qn_container_unmap(container);
  return identity;
}

TEST_BETWEEN(bytes_are_the_same, in_memory, clean_up) {
  if (!folder[0])
    skip();
  const uint64_t expected[] = {0, 1, 8 * MIB, 30 * MIB, 41 * MIB, 200 * MIB};
  const uint64_t identity = identity_of(NOTHING);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    assert_true(identity_of(expected[i]) == identity);
}

TEST_BETWEEN(nothing_is_left_of_what_is_dropped, in_memory, clean_up) {
  if (!folder[0])
    skip();
  qn_writer_abort(begin(1000 * MIB));
  struct qn_writer *writer = begin(50 * MIB);
  add(writer, "first", 20 * MIB);
  qn_writer_abort(writer);
}

TEST_MAIN(NULL, NULL)
