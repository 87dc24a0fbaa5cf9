/* How fast the reader threads of streamed runs gather a file that is not in memory, beside plain
 * sequential reading of it: the file's halves are taken for two arrays, of which each unit has a
 * piece, as those of edge partitions have. Needs no device.
 *
 *   cold-reading FILE [READERS]      READERS: 1 to 12, default 2 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/cuda/stream/gather.cuh"
#include "kernels/cuda/stream/readers.cuh"
#include "support/threads.h"

#define PIECE_BYTES 16384u
#define BATCH_BYTES ((uint64_t)4 << 20)
#define STAGES 16u
#define TRIALS 3

struct reading {
  const uint8_t *mapped;
  uint64_t num_units;
  struct qn_unit_list list;
  struct qn_unit_readers readers;
  uint8_t *stages;
};

static void describe(const void *user, uint64_t unit, struct qn_unit *out) {
  const struct reading *reading = user;
  const uint8_t *first = reading->mapped + unit * PIECE_BYTES;
  out->num_pieces = 2;
  out->more = 0;
  out->pieces[0] = (struct qn_unit_piece){.data = first, .bytes = PIECE_BYTES};
  out->pieces[1] = (struct qn_unit_piece){.data = first + reading->num_units * PIECE_BYTES,
                                          .bytes = PIECE_BYTES};
}

static unsigned begin(void *user, uint64_t number) {
  struct reading *reading = user;
  return qn_unit_parts(&reading->list.batches[number]);
}

static void fill(void *user, uint64_t number, unsigned part) {
  struct reading *reading = user;
  const uint64_t later = number + STAGES;
  uint8_t *stage = reading->stages + number % STAGES * BATCH_BYTES;
  const struct qn_unit_target target = {.stage = stage, .buffer = stage};
  struct qn_unit_copies copies;
  if (part == 0 && later < reading->list.num_batches)
    qn_unit_read_ahead(&reading->list, &reading->list.batches[later]);
  qn_unit_gather(&reading->list, &reading->list.batches[number], &target, part, &copies);
}

static enum qn_status gather_all(struct reading *reading, unsigned num_readers,
                                 struct qn_error *error) {
  const struct qn_unit_source source = {.user = reading,
                                        .num_units = reading->num_units,
                                        .unit_bytes = 2 * PIECE_BYTES,
                                        .total_bytes = 2 * reading->num_units * PIECE_BYTES,
                                        .describe = describe};
  const struct qn_stream_plan plan = {.batch_bytes = BATCH_BYTES};
  const struct qn_unit_filling filling = {.begin = begin, .fill = fill, .user = reading};
  enum qn_status status = qn_unit_list_create(&reading->list, &source, &plan, error);
  if (!status)
    status = qn_unit_readers_create(&reading->readers, num_readers, STAGES, &filling, error);
  if (!status) {
    qn_unit_list_make(&reading->list, NULL, false);
    qn_unit_readers_add(&reading->readers, reading->list.num_batches);
    for (uint64_t number = 0; number < reading->list.num_batches; number++) {
      qn_unit_readers_wait(&reading->readers, number);
      qn_unit_readers_allow(&reading->readers, number + 1);
    }
  }
  qn_unit_readers_destroy(&reading->readers);
  qn_unit_list_destroy(&reading->list);
  return status;
}

/* As dd does. */
static bool read_sequentially(int file, uint64_t bytes, uint8_t *buffer) {
  for (uint64_t at = 0; at < bytes;) {
    const ssize_t got = pread(file, buffer, BATCH_BYTES, (off_t)at);
    if (got <= 0)
      return false;
    at += (uint64_t)got;
  }
  return true;
}

static enum qn_status measure(struct reading *reading, int file, uint64_t bytes,
                              unsigned num_readers, struct qn_error *error) {
  for (int trial = 0; trial < TRIALS; trial++) {
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    double begin = qn_seconds();
    if (!read_sequentially(file, bytes, reading->stages))
      return qn_fail(error, QN_SYSTEM, "cannot read the file");
    const double sequential = qn_seconds() - begin;
    void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
      return qn_fail(error, QN_SYSTEM, "cannot map the file");
    reading->mapped = mapped;
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    begin = qn_seconds();
    const enum qn_status status = gather_all(reading, num_readers, error);
    const double gathered = qn_seconds() - begin;
    munmap(mapped, bytes);
    if (status)
      return status;
    printf("sequential %.3f GB/s, gathered by %u readers %.3f GB/s: %.0f %%\n",
           1e-9 * (double)bytes / sequential, num_readers, 1e-9 * (double)bytes / gathered,
           100 * sequential / gathered);
  }
  return QN_OK;
}

int main(int argc, char **argv) {
  struct reading reading = {0};
  struct qn_error error = {0};
  struct stat about;
  const unsigned num_readers = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
  const int file = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0 || fstat(file, &about) != 0 || num_readers == 0) {
    fprintf(stderr, "usage: cold-reading FILE [READERS]\n");
    return QN_USAGE;
  }
  reading.num_units = (uint64_t)about.st_size / 2 / PIECE_BYTES;
  reading.stages = aligned_alloc(4096, STAGES * BATCH_BYTES);
  enum qn_status status = QN_OK;
  if (!reading.stages || reading.num_units == 0)
    status = qn_fail(&error, QN_USAGE, "the file is too small, or memory is short");
  if (!status)
    status = measure(&reading, file, 2 * reading.num_units * PIECE_BYTES, num_readers, &error);
  if (status)
    fprintf(stderr, "cold-reading: %s\n", error.message);
  free(reading.stages);
  close(file);
  return (int)status;
}
