/* Each rank owns a range of keys, between two samples. The others send it theirs, ascending; it
 * merges them, counts, and sends back what number each has. */
#include "converters/distributed/keys.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include "support/ranks/exchange.h"
#include "support/temp_file.h"

/* Of each rank so many keys are looked at, as far as this. */
#define SAMPLES 256
#define SAMPLE_BYTES 64

struct sample {
  char bytes[SAMPLE_BYTES];
};

static struct sample sample_of(const struct qn_keys *keys, uint64_t i) {
  struct sample sample = {{0}};
  uint64_t length = keys->offsets[i + 1] - keys->offsets[i];
  memcpy(sample.bytes, keys->bytes + keys->offsets[i],
         length < SAMPLE_BYTES ? length : SAMPLE_BYTES);
  return sample;
}

static int compare_samples(const void *a, const void *b) {
  return memcmp(a, b, SAMPLE_BYTES);
}

/* The samples of all ranks, sorted; `*count` of them. */
static enum qn_status gather_samples(const struct qn_collective *ranks, const struct qn_keys *keys,
                                     struct sample **out, uint64_t *count, struct qn_error *error) {
  struct sample *samples;
  uint64_t own = keys->count < SAMPLES ? keys->count : SAMPLES, all, before;
  enum qn_status status = qn_exclusive_sum(ranks, own, &before, &all, error);
  if (!status)
    status = qn_alloc_zeroed(out, all + 1, sizeof **out, "samples of keys", error);
  if (status)
    return status;
  samples = *out;
  for (uint64_t i = 0; i < own; i++)
    samples[before + i] = sample_of(keys, keys->count * i / own);
  status = ranks->combine((uint64_t *)samples, all * SAMPLE_BYTES / 8, QN_COMBINE_OR, error);
  if (!status)
    qsort(samples, all, sizeof *samples, compare_samples);
  *count = all;
  return status;
}

/* The first key that is not before the sample, as far as that tells. */
static uint64_t first_from(const struct qn_keys *keys, const struct sample *sample) {
  uint64_t low = 0, high = keys->count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    struct sample key = sample_of(keys, middle);
    if (compare_samples(&key, sample) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Rank r gets keys [cuts[r], cuts[r + 1]). */
static enum qn_status cut(const struct qn_collective *ranks, const struct qn_keys *keys,
                          uint64_t *cuts, struct qn_error *error) {
  struct sample *samples = NULL;
  uint64_t count = 0;
  enum qn_status status = gather_samples(ranks, keys, &samples, &count, error);
  cuts[0] = 0;
  for (unsigned r = 1; r < ranks->num_ranks && !status; r++)
    cuts[r] = count ? first_from(keys, &samples[count * r / ranks->num_ranks]) : 0;
  cuts[ranks->num_ranks] = keys->count;
  qn_free(samples);
  return status;
}

/* ---- Merging ------------------------------------------------------------------ */

/* The keys of one rank that are left. */
struct run {
  const char *bytes;
  const uint32_t *lengths, *end;
  uint32_t *numbers;
};

static bool is_before(const struct run *a, const struct run *b) {
  uint32_t length = *a->lengths < *b->lengths ? *a->lengths : *b->lengths;
  int order = memcmp(a->bytes, b->bytes, length);
  return order ? order < 0 : *a->lengths < *b->lengths;
}

/* The least run is first. */
static void sink(struct run *heap, uint64_t count, uint64_t hole) {
  struct run run = heap[hole];
  for (uint64_t child; (child = 2 * hole + 1) < count; hole = child) {
    if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
      child++;
    if (!is_before(&heap[child], &run))
      break;
    heap[hole] = heap[child];
  }
  heap[hole] = run;
}

static void take_key(struct qn_owned_keys *owned, const struct run *run) {
  const char *last = owned->count ? owned->bytes + owned->offsets[owned->count - 1] : NULL;
  uint64_t length = last ? owned->num_bytes - owned->offsets[owned->count - 1] : 0;
  if (!last || length != *run->lengths || memcmp(last, run->bytes, length) != 0) {
    memcpy(owned->bytes + owned->num_bytes, run->bytes, *run->lengths);
    owned->num_bytes += *run->lengths;
    owned->offsets[++owned->count] = owned->num_bytes;
  }
  *run->numbers = (uint32_t)(owned->count - 1);
}

static void merge(struct run *heap, uint64_t count, struct qn_owned_keys *owned) {
  for (uint64_t i = count; i-- > 0;)
    sink(heap, count, i);
  while (count > 0) {
    struct run *least = &heap[0];
    take_key(owned, least);
    least->bytes += *least->lengths++;
    least->numbers++;
    if (least->lengths == least->end)
      *least = heap[--count];
    sink(heap, count, 0);
  }
}

static enum qn_status merge_received(const struct qn_collective *ranks,
                                     const struct qn_received *lengths,
                                     const struct qn_received *bytes, uint32_t *numbers,
                                     struct qn_owned_keys *owned, struct qn_error *error) {
  struct run *heap = NULL;
  const uint32_t *length = (const uint32_t *)lengths->data;
  const char *at = bytes->data;
  uint64_t count = 0, most = lengths->bytes / sizeof *length;
  enum qn_status status = qn_alloc(&heap, ranks->num_ranks, sizeof *heap, "runs of keys", error);
  if (!status)
    status = qn_bulk_alloc(&owned->offsets, most + 1, sizeof *owned->offsets, "keys", error);
  owned->capacity = most;
  if (!status)
    status = qn_bulk_alloc(&owned->bytes, bytes->bytes, 1, "keys", error);
  owned->bytes_capacity = bytes->bytes;
  for (unsigned r = 0; r < ranks->num_ranks && !status; r++) {
    uint64_t num = lengths->bytes_of[r] / sizeof *length;
    if (num)
      heap[count++] = (struct run){at, length, length + num, numbers};
    at += bytes->bytes_of[r];
    length += num;
    numbers += num;
  }
  if (!status) {
    owned->offsets[0] = 0;
    merge(heap, count, owned);
  }
  qn_free(heap);
  return status;
}

/* ---- The whole ---------------------------------------------------------------- */

static enum qn_status send_keys(const struct qn_collective *ranks, const struct qn_keys *keys,
                                const uint64_t *cuts, uint64_t *sizes, struct qn_received *lengths,
                                struct qn_received *bytes, struct qn_error *error) {
  uint32_t *own;
  enum qn_status status = qn_bulk_alloc(&own, keys->count, sizeof *own, "lengths of keys", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < keys->count; i++)
    own[i] = (uint32_t)(keys->offsets[i + 1] - keys->offsets[i]);
  for (unsigned r = 0; r < ranks->num_ranks; r++)
    sizes[r] = (cuts[r + 1] - cuts[r]) * sizeof *own;
  status = qn_all_to_all(ranks, own, sizes, lengths, error);
  qn_pages_free(own, keys->count, sizeof *own);
  for (unsigned r = 0; r < ranks->num_ranks; r++)
    sizes[r] = keys->offsets[cuts[r + 1]] - keys->offsets[cuts[r]];
  return status ? status
                : qn_all_to_all(ranks, keys->bytes + keys->offsets[0], sizes, bytes, error);
}

static enum qn_status send_back(const struct qn_collective *ranks, const uint64_t *cuts,
                                uint64_t *sizes, const struct qn_received *lengths,
                                uint32_t *received_numbers, uint32_t *numbers,
                                struct qn_owned_keys *owned, struct qn_error *error) {
  uint64_t before;
  enum qn_status status = qn_exclusive_sum(ranks, owned->count, &before, &owned->num_of_all, error);
  if (!status && owned->num_of_all > UINT32_MAX)
    return qn_fail(error, QN_INVALID, "%llu different vertex ids, but at most 2^32-1 are possible",
                   (unsigned long long)owned->num_of_all);
  if (status)
    return status;
  for (uint64_t i = 0; i < lengths->bytes / sizeof *received_numbers; i++)
    received_numbers[i] += (uint32_t)before;
  for (unsigned r = 0; r < ranks->num_ranks; r++)
    sizes[r] = (cuts[r + 1] - cuts[r]) * sizeof *numbers;
  return ranks->exchange(received_numbers, lengths->bytes_of, numbers, sizes, error);
}

static enum qn_status number(const struct qn_collective *ranks, const struct qn_keys *keys,
                             uint64_t *cuts, uint64_t *sizes, uint32_t *numbers,
                             struct qn_owned_keys *owned, struct qn_error *error) {
  struct qn_received lengths = {0}, bytes = {0};
  uint32_t *received_numbers = NULL;
  enum qn_status status = cut(ranks, keys, cuts, error);
  if (!status)
    status = send_keys(ranks, keys, cuts, sizes, &lengths, &bytes, error);
  uint64_t num_received = lengths.bytes / sizeof *received_numbers;
  if (!status)
    status =
        qn_bulk_alloc(&received_numbers, num_received, sizeof *received_numbers, "numbers", error);
  if (!status)
    status = merge_received(ranks, &lengths, &bytes, received_numbers, owned, error);
  if (!status)
    status = send_back(ranks, cuts, sizes, &lengths, received_numbers, numbers, owned, error);
  qn_pages_free(received_numbers, num_received, sizeof *received_numbers);
  qn_received_free(&lengths);
  qn_received_free(&bytes);
  return status;
}

enum qn_status qn_keys_number(const struct qn_collective *ranks, const struct qn_keys *keys,
                              uint32_t *numbers, struct qn_owned_keys *owned,
                              struct qn_error *error) {
  uint64_t *cuts = NULL, *sizes = NULL;
  *owned = (struct qn_owned_keys){0};
  enum qn_status status =
      qn_alloc(&cuts, (uint64_t)ranks->num_ranks + 1, sizeof *cuts, "cuts", error);
  if (!status)
    status = qn_alloc(&sizes, ranks->num_ranks, sizeof *sizes, "sizes", error);
  if (!status)
    status = number(ranks, keys, cuts, sizes, numbers, owned, error);
  qn_free(cuts);
  qn_free(sizes);
  return status;
}

void qn_owned_keys_free(struct qn_owned_keys *owned) {
  qn_pages_free(owned->offsets, owned->capacity + 1, sizeof *owned->offsets);
  qn_pages_free(owned->bytes, owned->bytes_capacity, 1);
  *owned = (struct qn_owned_keys){0};
}
