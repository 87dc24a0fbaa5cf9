#include "kernels/cuda/stream/share.cuh"

#include <string.h>

#include "support/memory.h"

/* A part of the units on its way to the device. */
#define PART_BYTES ((uint64_t)16 << 20)

static unsigned least_loaded(const struct qn_unit_share *shares, unsigned num_shares) {
  unsigned best = 0;
  for (unsigned i = 1; i < num_shares; i++)
    if (shares[i].bytes < shares[best].bytes)
      best = i;
  return best;
}

static void give(struct qn_unit_share *share, uint64_t number, uint64_t bytes) {
  if (share->mine)
    share->mine[number] = 1;
  share->count++;
  share->bytes += bytes;
}

enum qn_status qn_unit_shares_create(struct qn_unit_share *shares, unsigned num_shares, bool whole,
                                     const struct qn_unit_source *source, struct qn_error *error) {
  enum qn_status status = QN_OK;
  memset(shares, 0, num_shares * sizeof *shares);
  for (unsigned i = 0; i < num_shares && !status; i++) {
    shares[i].num_units = source->num_units;
    if (!whole)
      status = qn_pages_alloc(&shares[i].mine, source->num_units, 1, "shares of units", error);
  }
  for (uint64_t number = 0; number < source->num_units && !status; number++) {
    struct qn_unit unit;
    source->describe(source->user, number, &unit);
    const uint64_t bytes = qn_unit_bytes(&unit);
    if (!whole)
      give(&shares[source->owner ? source->owner(source->user, number)
                                 : least_loaded(shares, num_shares)],
           number, bytes);
    for (unsigned i = 0; i < num_shares && whole; i++)
      give(&shares[i], number, bytes);
  }
  for (unsigned i = 0; i < num_shares; i++)
    shares[i].resident_bytes = qn_cuda_rounded(shares[i].bytes) +
                               qn_cuda_rounded(shares[i].count * sizeof(struct qn_unit_entry));
  return status;
}

void qn_unit_share_destroy(struct qn_unit_share *share) {
  qn_pages_free(share->mine, share->num_units, 1);
  memset(share, 0, sizeof *share);
}

/* The units from `*next` on that fit in a part, or one that is larger; where they lie on the device
 * is noted in `entries`. */
static uint64_t gather_part(const struct qn_unit_share *share, const struct qn_unit_source *source,
                            uint64_t *next, uint64_t at, uint8_t *part,
                            struct qn_unit_entry *entries, uint64_t *made) {
  uint64_t filled = 0;
  for (; *next < share->num_units; ++*next) {
    struct qn_unit unit;
    if (share->mine && !share->mine[*next])
      continue;
    source->describe(source->user, *next, &unit);
    const uint64_t bytes = qn_unit_bytes(&unit);
    if (filled + bytes > PART_BYTES && filled > 0)
      break;
    struct qn_unit_entry *entry = &entries[(*made)++];
    memset(entry, 0, sizeof *entry);
    entry->unit = (uint32_t)*next;
    for (unsigned piece = 0; piece < unit.num_pieces; piece++) {
      const uint64_t size = unit.pieces[piece].bytes, rounded = qn_unit_rounded(size);
      entry->pieces[piece] = share->memory + at + filled;
      entry->bytes[piece] = (uint32_t)size;
      memcpy(part + filled, unit.pieces[piece].data, size);
      memset(part + filled + size, 0, rounded - size);
      filled += rounded;
    }
  }
  return filled;
}

enum qn_status qn_unit_share_upload(struct qn_unit_share *share, struct qn_cuda_memory *memory,
                                    const struct qn_unit_source *source, struct qn_error *error) {
  const uint64_t part_bytes = PART_BYTES > source->unit_bytes ? PART_BYTES : source->unit_bytes;
  struct qn_unit_entry *entries = NULL;
  uint8_t *part = NULL;
  uint64_t next = 0, at = 0, made = 0;
  enum qn_status status = qn_cuda_alloc(memory, &share->memory, share->bytes, 1,
                                        "the device's share of the graph", error);
  if (!status)
    status = qn_pages_alloc(&entries, share->count, sizeof *entries, "list of units", error);
  if (!status)
    status = qn_pages_alloc(&part, part_bytes, 1, "a part of the graph", error);
  while (!status && at < share->bytes) {
    const uint64_t bytes = gather_part(share, source, &next, at, part, entries, &made);
    status =
        qn_cuda_upload(memory, share->memory + at, part, bytes, 1, "a part of the graph", error);
    at += bytes;
  }
  if (!status)
    status = qn_cuda_copy_of(memory, &share->entries, entries, share->count, 0, sizeof *entries,
                             "list of units", error);
  qn_pages_free(part, part_bytes, 1);
  qn_pages_free(entries, share->count, sizeof *entries);
  return status;
}
