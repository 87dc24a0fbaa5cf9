/* What is told of arrays that lie on storage: whether they exceed memory, and how fast they are
 * read. */
#include <fcntl.h>
#include <sys/mman.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include "kernels/device_run.h"
#include "kernels/storage.h"
#include "support/memory.h"

#define FILE_BYTES ((uint64_t)40 << 20)

struct seen {
  unsigned events;
  uint64_t in_order, at_random;
};

static void note(void *user, const struct qn_stream_event *event) {
  struct seen *seen = user;
  seen->events++;
  assert_true(event->bytes > 0 && event->end > event->begin);
  if (strcmp(event->what, QN_READ_IN_ORDER) == 0)
    seen->in_order += event->bytes;
  else if (strcmp(event->what, QN_READ_AT_RANDOM) == 0)
    seen->at_random += event->bytes;
  else
    fail_msg("what is %s?", event->what);
}

static struct qn_storage_rates measure(const void *array, uint64_t bytes, struct seen *seen) {
  *seen = (struct seen){0};
  struct qn_device_run device = {.streaming = {.on_event = note, .user = seen}};
  const struct qn_run_request request = {.device = &device};
  return qn_storage_measure(array, bytes, &request);
}

TEST(ratios) {
  assert_true(qn_storage_ratio(&(struct qn_storage_rates){0}) == 1);
  assert_true(qn_storage_ratio(&(struct qn_storage_rates){.in_order = 2e9}) == 1);
  assert_true(qn_storage_ratio(&(struct qn_storage_rates){.at_random = 2e9}) == 1);
  assert_true(qn_storage_ratio(&(struct qn_storage_rates){2e9, 2e8}) == 10);
  assert_true(qn_storage_ratio(&(struct qn_storage_rates){2e8, 2e9}) == 1); /* never less */
}

TEST(memory_is_given_or_what_is_free) {
  struct qn_device_run ten = {.streaming = {.host_memory = 10}};
  const struct qn_run_request given = {.device = &ten}, free = {0};
  assert_true(qn_storage_exceeds_memory(11, &given));
  assert_false(qn_storage_exceeds_memory(10, &given));
  assert_false(qn_storage_exceeds_memory(0, &free));
  assert_false(qn_storage_exceeds_memory(1000, &free));
  assert_true(qn_storage_exceeds_memory(UINT64_MAX - 1, &free));
}

/* What is in memory says nothing of storage, and stays what it is. */
TEST(arrays_in_memory) {
  struct seen seen;
  struct qn_error error;
  const uint64_t bytes = 8 << 20;
  uint8_t *array;
  assert_int_equal(qn_pages_alloc(&array, bytes, 1, "an array", &error), QN_OK);
  memset(array, 7, bytes);
  for (uint64_t size = 0; size <= bytes; size = size * 3 + 1) {
    struct qn_storage_rates rates = measure(array + 1, size < bytes ? size : bytes - 1, &seen);
    assert_true(rates.in_order == 0 && rates.at_random == 0);
    qn_storage_fetch(array + 1, size);
  }
  assert_int_equal(seen.events, 0);
  for (uint64_t i = 0; i < bytes; i++)
    assert_int_equal(array[i], 7);
  qn_pages_free(array, bytes, 1);
  assert_true(measure(NULL, 0, &seen).in_order == 0);
  qn_storage_expect(NULL, 0, true);
  qn_storage_fetch(NULL, 0);
}

static uint64_t pages_in_memory(const uint8_t *mapped) {
  static unsigned char there[FILE_BYTES / 4096];
  uint64_t present = 0;
  assert_int_equal(mincore((void *)mapped, FILE_BYTES, there), 0);
  for (uint64_t i = 0; i < FILE_BYTES / (uint64_t)sysconf(_SC_PAGESIZE); i++)
    present += there[i] & 1;
  return present;
}

/* A file of which nothing is in memory; there may be none, as on a tmpfs. */
static bool make_absent(const char *path, uint8_t **mapped) {
  static uint8_t block[1 << 20];
  int file = open(path, O_RDWR | O_CREAT, 0600);
  assert_true(file >= 0);
  memset(block, 9, sizeof block);
  for (uint64_t at = 0; at < FILE_BYTES; at += sizeof block)
    assert_int_equal(pwrite(file, block, sizeof block, (off_t)at), sizeof block);
  assert_int_equal(fsync(file), 0);
  assert_int_equal(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
  *mapped = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, file, 0);
  assert_true(*mapped != MAP_FAILED);
  close(file);
  return pages_in_memory(*mapped) == 0;
}

TEST(files_are_read) {
  struct seen seen;
  uint8_t *mapped;
  const bool is_absent = make_absent(scratch_path("file"), &mapped);
  struct qn_storage_rates rates = measure(mapped, FILE_BYTES, &seen);
  assert_int_equal(seen.events, is_absent ? 2 : 0);
  if (is_absent) {
    assert_true(rates.in_order > 0 && rates.at_random > 0);
    assert_true(qn_storage_ratio(&rates) >= 1);
    assert_true(seen.in_order >= 4 << 20 && seen.at_random <= 1 << 20);
  }
  for (uint64_t i = 0; i < FILE_BYTES; i += 100)
    assert_int_equal(mapped[i], 9);
  rates = measure(mapped, FILE_BYTES, &seen); /* now it is in memory */
  assert_true(qn_storage_ratio(&rates) == 1 && seen.events == 0);
  munmap(mapped, FILE_BYTES);
}

/* And nothing behind them. */
static void read_three_quarters(const char *path) {
  static uint8_t block[1 << 20];
  int file = open(path, O_RDONLY);
  assert_true(file >= 0);
  assert_int_equal(posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM), 0);
  for (uint64_t at = 0; at < FILE_BYTES / 4 * 3; at += sizeof block)
    assert_int_equal(pread(file, block, sizeof block, (off_t)at), sizeof block);
  close(file);
}

/* All that is fetched comes, however long it is and wherever it begins. */
TEST(files_are_read_ahead) {
  uint8_t *mapped;
  const uint64_t all = FILE_BYTES / (uint64_t)sysconf(_SC_PAGESIZE);
  const bool is_absent = make_absent(scratch_path("ahead"), &mapped);
  const double rate = qn_storage_rate_ahead(mapped, FILE_BYTES);
  assert_true(is_absent ? rate > 0 : rate == 0);
  assert_true(qn_storage_rate_ahead(mapped, FILE_BYTES / 1000) == 0); /* no window fits */
  munmap(mapped, FILE_BYTES);
  make_absent(scratch_path("ahead"), &mapped);
  read_three_quarters(scratch_path("ahead"));
  assert_true(is_absent ? qn_storage_rate_ahead(mapped, FILE_BYTES) > 0 : true);
  munmap(mapped, FILE_BYTES);
  make_absent(scratch_path("ahead"), &mapped);
  qn_storage_fetch(mapped + 100, FILE_BYTES - 200);
  for (int tries = 0; tries < 1000 && pages_in_memory(mapped) < all; tries++)
    usleep(10000);
  assert_int_equal(pages_in_memory(mapped), all);
  assert_true(qn_storage_rate_ahead(mapped, FILE_BYTES) == 0);
  munmap(mapped, FILE_BYTES);
}

TEST_MAIN(scratch_create, scratch_remove)
