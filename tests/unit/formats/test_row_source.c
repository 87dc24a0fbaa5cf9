/* Rows by their numbers: from memory, and from a file by each way of reading it. */
#include "helpers/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/properties/row_source.h"
#include "support/used_files.h"

#define ROWS 5000
#define WIDTH 37 /* which fits neither blocks nor words */
#define BEGIN 100
#define COUNT 20000

static struct qn_error error;
static uint8_t out[COUNT * WIDTH];
static int64_t numbers[COUNT];

struct file {
  struct qn_used_file used;
  uint8_t *mapped;
};

static uint8_t value_at(uint64_t row, uint64_t i) {
  return (uint8_t)(row * 31 + i * 7 + row / 256);
}

static bool is_intact(const void *user) {
  (void)user;
  return true;
}

static void begin(struct file *file) {
  const uint64_t bytes = BEGIN + ROWS * WIDTH;
  *file = (struct file){.used = {.path = "rows", .is_intact = is_intact}};
  file->used.descriptor = open("rows", O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(ftruncate(file->used.descriptor, (off_t)bytes), 0);
  file->mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->used.descriptor, 0);
  for (uint64_t row = 0; row < ROWS; row++)
    for (uint64_t i = 0; i < WIDTH; i++)
      file->mapped[BEGIN + row * WIDTH + i] = value_at(row, i);
  assert_int_equal(fsync(file->used.descriptor), 0);
  file->used.mapped = file->mapped;
  file->used.mapped_bytes = bytes;
  qn_used_file_list(&file->used);
  for (uint64_t i = 0; i < COUNT; i++)
    numbers[i] = (int64_t)(i * i % 7 ? i * 2654435761u % ROWS : i % 50);
}

static void end(struct file *file) {
  qn_used_file_forget(&file->used);
  munmap(file->mapped, file->used.mapped_bytes);
  close(file->used.descriptor);
}

static void check_rows(struct qn_row_source *source, uint64_t count) {
  memset(out, 0, sizeof out);
  assert_int_equal(qn_rows_gather(source, numbers, count, out, &error), QN_OK);
  for (uint64_t i = 0; i < count; i++)
    for (uint64_t j = 0; j < WIDTH; j++)
      assert_int_equal(out[i * WIDTH + j], value_at((uint64_t)numbers[i], j));
}

TEST(every_way_reads_the_same) {
  struct file file;
  struct qn_row_source source;
  begin(&file);
  for (int way = 0; way < 6; way++) {
    const uint64_t cache = way % 2 ? 100000 : 0;
    assert_int_equal(
        qn_row_source_create(&source, file.mapped + BEGIN, ROWS, WIDTH, 0, way > 0, cache, &error),
        QN_OK);
    assert_int_equal(source.descriptor >= 0, way > 0);
    assert_true(qn_row_cache_bytes(&source.cache) <= cache);
    if (way > 1)
      source.ring = false;
    if (way > 3 && source.unbuffered >= 0) {
      close(source.unbuffered);
      source.unbuffered = -1;
    }
    check_rows(&source, 1);
    check_rows(&source, COUNT);
    check_rows(&source, COUNT);
    assert_true((source.found > 0) == (way % 2 > 0));
    qn_row_source_destroy(&source);
  }
  end(&file);
}

TEST(a_cache_that_holds_all_reads_once) {
  struct file file;
  struct qn_row_source source;
  begin(&file);
  assert_int_equal(qn_row_source_create(&source, file.mapped + BEGIN, ROWS, WIDTH, 0, true,
                                        UINT64_MAX / 2, &error),
                   QN_OK);
  assert_true(source.cache.num_sets * QN_CACHE_WAYS < ROWS + 2 * QN_CACHE_WAYS);
  check_rows(&source, 50);
  const uint64_t read = source.read;
  check_rows(&source, 50);
  assert_int_equal(source.read, read);
  assert_int_equal(source.found, 50);
  qn_row_source_destroy(&source);
  end(&file);
}

TEST(what_is_not_there_is_refused) {
  struct file file;
  struct qn_row_source source;
  begin(&file);
  for (int from_file = 0; from_file < 2; from_file++) {
    assert_int_equal(
        qn_row_source_create(&source, file.mapped + BEGIN, ROWS, WIDTH, 0, from_file, 0, &error),
        QN_OK);
    numbers[3] = from_file ? ROWS : -1;
    assert_int_equal(qn_rows_gather(&source, numbers, 5, out, &error), QN_USAGE);
    assert_non_null(strstr(error.message, from_file ? "row 5000 among" : "row -1 among 5000"));
    qn_row_source_destroy(&source);
  }
  end(&file);
}

TEST(a_file_that_is_cut_is_an_error) {
  struct file file;
  struct qn_row_source source;
  begin(&file);
  assert_int_equal(ftruncate(file.used.descriptor, 8192), 0);
  numbers[0] = ROWS - 1;
  for (int way = 0; way < 4; way++) {
    assert_int_equal(
        qn_row_source_create(&source, file.mapped + BEGIN, ROWS, WIDTH, 0, way > 0, 0, &error),
        QN_OK);
    if (way > 1)
      source.ring = false;
    if (way > 2 && source.unbuffered >= 0) {
      close(source.unbuffered);
      source.unbuffered = -1;
    }
    assert_int_equal(qn_rows_gather(&source, numbers, 1, out, &error), QN_SYSTEM);
    assert_non_null(strstr(error.message, "was cut"));
    qn_row_source_destroy(&source);
  }
  end(&file);
}

TEST_MAIN(NULL, NULL)
