/* Zip archives of stored members as others read them: in ZIP64, too, by a file that is mostly a
 * hole. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "converters/arrays/stored_zip.h"
#include "helpers/test.h"
#include "support/input/crc32.h"

#define MOST 3

static uint64_t at;
static int file;

static void put(const void *bytes, uint64_t length) {
  assert_int_equal(pwrite(file, bytes, length, (off_t)at), length);
  at += length;
}

/* Of so many zeros. */
static uint32_t crc_of_zeros(uint64_t bytes) {
  uint32_t crc = 0, power = qn_crc32(0, "", 1);
  for (uint64_t length = 1; length <= bytes; length *= 2) {
    if (bytes & length)
      crc = qn_crc32_join(crc, power, length);
    power = qn_crc32_join(power, power, length);
  }
  return crc;
}

/* Members a, b, ... of zeros. */
static void write_archive(const uint64_t *lengths, uint16_t count) {
  static const char *const names[] = {"a.npy", "b.npy", "c.npy"};
  struct qn_stored_member members[MOST];
  char record[QN_STORED_ZIP_RECORD_BYTES];
  file = open("stored.zip", O_RDWR | O_CREAT | O_TRUNC, 0644);
  assert_true(file >= 0);
  at = 0;
  for (uint16_t i = 0; i < count; i++) {
    members[i] = (struct qn_stored_member){names[i], lengths[i], crc_of_zeros(lengths[i]), at};
    put(record, qn_stored_zip_header(record, &members[i]));
    at += lengths[i];
  }
  const uint64_t directory = at;
  for (uint16_t i = 0; i < count; i++)
    put(record, qn_stored_zip_entry(record, &members[i]));
  put(record, qn_stored_zip_end(record, count, directory, at - directory));
}

/* All members but `unread`, which are long, are read, so that their checksums are compared. */
static void expect_archive(const uint64_t *lengths, uint16_t count, uint64_t unread) {
  struct archive *reader = archive_read_new();
  struct archive_entry *entry;
  static char buffer[1 << 16];
  assert_int_equal(archive_read_support_format_zip_seekable(reader), ARCHIVE_OK);
  assert_int_equal(archive_read_open_filename(reader, "stored.zip", 1 << 16), ARCHIVE_OK);
  for (uint16_t i = 0; i < count; i++) {
    assert_int_equal(archive_read_next_header(reader, &entry), ARCHIVE_OK);
    assert_int_equal(archive_entry_pathname(entry)[0], 'a' + i);
    assert_int_equal(archive_entry_size(entry), lengths[i]);
    assert_int_equal(archive_entry_mode(entry), 0100644);
    uint64_t found = 0;
    for (la_ssize_t some = 1; lengths[i] < unread && some > 0; found += (uint64_t)some) {
      some = archive_read_data(reader, buffer, sizeof buffer);
      assert_true(some >= 0);
    }
    if (lengths[i] < unread)
      assert_int_equal(found, lengths[i]);
  }
  assert_int_equal(archive_read_next_header(reader, &entry), ARCHIVE_EOF);
  archive_read_free(reader);
  close(file);
}

TEST(test_small) {
  static const uint64_t lengths[] = {0, 1, 100000};
  write_archive(lengths, 3);
  expect_archive(lengths, 3, UINT64_MAX);
}

TEST(test_zip64) {
  static const uint64_t cases[][3] = {{UINT64_C(5) << 30, 77, 12345},          /* a wide member */
                                      {UINT32_MAX - 35, 77, 0},                /* a wide place */
                                      {UINT32_MAX, 77, 1},                     /* at the edge */
                                      {UINT32_MAX - 1, UINT64_C(1) << 33, 1}}; /* both */
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_archive(cases[i], 3);
    expect_archive(cases[i], 3, 1 << 20);
  }
}

TEST_MAIN(NULL, NULL)
