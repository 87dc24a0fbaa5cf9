#include "kernels/storage.h"

#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/device_run.h"
#include "support/memory_plan.h"
#include "support/random.h"
#include "support/threads.h"

/* What is read at random, what a window in order has, and how many of these are read. */
#define PAGE_READS 256
#define WINDOW_BYTES ((uint64_t)4 << 20)
#define WINDOWS 4
/* Windows that are read ahead: the reads of all threads are to be under way at once. */
#define WINDOWS_AHEAD 64
/* What one piece of advice may cover: the system cuts off what is more than a device's read-ahead
 * window. */
#define ADVISED_BYTES ((uint64_t)128 << 10)
/* Places that are looked at for one that is not in memory. */
#define TRIES 16
/* No thread begins another page later. */
#define MOST_SECONDS 0.3

/* The whole pages of an array. */
struct pages {
  char *first;
  uint64_t count, bytes; /* of each */
};

static struct pages pages_of(const void *array, uint64_t bytes) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t skipped = (page - (uintptr_t)array % page) % page;
  return (struct pages){.first = (char *)array + skipped,
                        .count = bytes > skipped ? (bytes - skipped) / page : 0,
                        .bytes = page};
}

/* All but one in sixteen. */
static bool are_absent(const struct pages *pages, uint64_t first, uint64_t count) {
  unsigned char there[WINDOW_BYTES / 4096];
  uint64_t present = 0;
  if (count > sizeof there ||
      mincore(pages->first + first * pages->bytes, count * pages->bytes, there))
    return false;
  for (uint64_t i = 0; i < count; i++)
    present += there[i] & 1;
  return present <= count / 16;
}

/* Of the pages at random places that `count` begin at, the first that are absent; the number of
 * pages if none is found. */
static uint64_t find_absent(const struct pages *pages, uint64_t count, uint64_t key, uint64_t i) {
  for (uint64_t n = 0; n < TRIES && pages->count >= count; n++) {
    const uint64_t first =
        qn_random_below(qn_random_at(key, i * TRIES + n), pages->count - count + 1);
    if (are_absent(pages, first, count))
      return first;
  }
  return pages->count;
}

/* Absent ones of windows at equal distances; none if nearly all are in memory. */
static uint64_t find_windows(const struct pages *pages, uint64_t length, uint64_t *places) {
  const uint64_t fit = pages->count / length;
  const uint64_t windows = fit < TRIES * WINDOWS_AHEAD ? fit : TRIES * WINDOWS_AHEAD;
  uint64_t found = 0;
  for (uint64_t i = 0; i < windows && found < WINDOWS_AHEAD; i++) {
    places[found] = i * (pages->count / windows);
    found += are_absent(pages, places[found], length);
  }
  return found * TRIES >= windows ? found : 0;
}

static void touch(const struct pages *pages, uint64_t first, uint64_t count) {
  for (uint64_t page = first; page < first + count; page++)
    (void)*(const volatile char *)(pages->first + page * pages->bytes);
}

/* Read `length` pages at each place, shared by all threads, which ask for them first if `ahead`.
 * Returns how many were read, in so many seconds. */
static uint64_t read_places(const struct pages *pages, const uint64_t *places, uint64_t count,
                            uint64_t length, bool ahead, double *seconds) {
  const double begin = qn_seconds();
  uint64_t read = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : read)
  for (uint64_t i = 0; i < count; i++) {
    if (qn_seconds() - begin > MOST_SECONDS)
      continue;
    if (ahead)
      qn_storage_fetch(pages->first + places[i] * pages->bytes, length * pages->bytes);
    touch(pages, places[i], length);
    read += length;
  }
  *seconds = qn_seconds() - begin;
  return read;
}

/* Read `stretches` of `length` pages. Returns bytes per second, 0 if most were in memory. */
static double rate_of(const struct pages *pages, uint64_t stretches, uint64_t length,
                      const char *what, const struct qn_run_request *request) {
  const uint64_t key = qn_random_key(0, length);
  uint64_t places[PAGE_READS], found = 0;
  double seconds;
  for (uint64_t i = 0; i < stretches; i++) {
    places[found] = find_absent(pages, length, key, i);
    found += places[found] < pages->count;
  }
  if (found == 0 || found < stretches / 2)
    return 0;
  const uint64_t read = read_places(pages, places, found, length, false, &seconds);
  const struct qn_stream_event event = {
      .what = what, .units = read, .bytes = read * pages->bytes, .end = seconds};
  if (request->device && request->device->streaming.on_event)
    request->device->streaming.on_event(request->device->streaming.user, &event);
  return seconds > 0 ? (double)event.bytes / seconds : 0;
}

double qn_storage_rate_ahead(const void *array, uint64_t bytes) {
  const struct pages pages = pages_of(array, bytes);
  const uint64_t length = WINDOW_BYTES / pages.bytes;
  uint64_t places[WINDOWS_AHEAD];
  double seconds;
  const uint64_t found = find_windows(&pages, length, places);
  const uint64_t read = read_places(&pages, places, found, length, true, &seconds);
  return read > 0 && seconds > 0 ? (double)(read * pages.bytes) / seconds : 0;
}

bool qn_storage_exceeds_memory(uint64_t bytes, const struct qn_run_request *request) {
  const uint64_t host_memory = request->device ? request->device->streaming.host_memory : 0;
  return bytes > (host_memory ? host_memory : qn_memory_available());
}

struct qn_storage_rates qn_storage_measure(const void *array, uint64_t bytes,
                                           const struct qn_run_request *request) {
  const struct pages pages = pages_of(array, bytes);
  struct qn_storage_rates rates = {0};
  qn_storage_expect(array, bytes,
                    true); /* first, as a window has a thousand pages to find absent */
  rates.in_order = rate_of(&pages, WINDOWS, WINDOW_BYTES / pages.bytes, QN_READ_IN_ORDER, request);
  if (rates.in_order <= 0)
    return rates;
  qn_storage_expect(array, bytes, false);
  rates.at_random = rate_of(&pages, PAGE_READS, 1, QN_READ_AT_RANDOM, request);
  return rates;
}

double qn_storage_ratio(const struct qn_storage_rates *rates) {
  const bool is_known = rates->at_random > 0 && rates->in_order > rates->at_random;
  return is_known ? rates->in_order / rates->at_random : 1;
}

/* Where advice is not taken, nothing but time is lost. */
static void advise(const void *array, uint64_t bytes, int advice) {
  const struct pages pages = pages_of(array, bytes);
  if (pages.count > 0)
    (void)madvise(pages.first, pages.count * pages.bytes, advice);
}

void qn_storage_expect(const void *array, uint64_t bytes, bool in_order) {
  advise(array, bytes, in_order ? MADV_SEQUENTIAL : MADV_RANDOM);
}

void qn_storage_fetch(const void *array, uint64_t bytes) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t end = bytes ? (uintptr_t)array + bytes : 0;
  for (uintptr_t at = (uintptr_t)array - (uintptr_t)array % page; at < end; at += ADVISED_BYTES)
    (void)madvise((void *)at, end - at < ADVISED_BYTES ? end - at : ADVISED_BYTES, MADV_WILLNEED);
}
