#include "kernels/cuda/unit_gather.cuh"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is looked for at a time, and what one piece of advice may cover: the kernel cuts off what is
 * more than a device's read-ahead window. */
#define LOOKED_BYTES ((uintptr_t)2 << 20)
#define ADVISED_BYTES ((uintptr_t)128 << 10)
#define LEAST_PAGE 4096
#define BRIDGED_BYTES 16384 /* gaps that are not worth a range of their own */

/* Copy a unit's pieces; how many bytes they take. */
static uint64_t gather_unit(const struct qn_unit_source *source, uint64_t number, uint8_t *to) {
  struct qn_unit unit;
  uint64_t at = 0;
  source->describe(source->user, number, &unit);
  for (unsigned piece = 0; piece < unit.num_pieces; piece++) {
    const struct qn_unit_piece *from = &unit.pieces[piece];
    for (uint64_t run = 0; run <= from->more; run++)
      memcpy(to + at + run * from->bytes, (const char *)from->data + run * from->stride,
             from->bytes);
    at += qn_unit_piece_bytes(from);
  }
  return at;
}

void qn_unit_gather(const struct qn_unit_list *list, const struct qn_unit_batch *batch,
                    uint8_t *stage, const uint8_t *buffer, uint8_t *cached) {
  const struct qn_unit_source *source = list->source;
  const struct qn_unit_use *uses = list->uses + batch->first;
  struct qn_unit_entry *entries = (struct qn_unit_entry *)stage;
  uint64_t at = batch->count * sizeof *entries;
  for (uint32_t i = 0; i < batch->count; i++) {
    uint8_t *slot = uses[i].slot == QN_NO_SLOT ? NULL : cached + uses[i].slot * source->unit_bytes;
    const uint64_t bytes = batch->resident ? 0 : gather_unit(source, uses[i].unit, stage + at);
    entries[i].unit = uses[i].unit;
    entries[i].bytes = batch->resident ? slot : buffer + at;
    entries[i].keep = batch->resident ? NULL : slot;
    entries[i].num_bytes = bytes;
    at += bytes;
  }
}

/* ---- Reading ahead ----------------------------------------------------------------- */

static uintptr_t smaller(uintptr_t a, uintptr_t b) {
  return a < b ? a : b;
}

static bool is_in_memory(uintptr_t begin, uintptr_t bytes, uintptr_t page) {
  unsigned char pages[LOOKED_BYTES / LEAST_PAGE];
  if (mincore((void *)begin, bytes, pages) != 0)
    return false;
  for (uintptr_t i = 0; i < (bytes + page - 1) / page; i++)
    if (!(pages[i] & 1))
      return false;
  return true;
}

/* No more than advice: what is no mapping may refuse it. */
static void advise_range(uintptr_t begin, uintptr_t end) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (begin -= begin % page; begin < end; begin += LOOKED_BYTES) {
    const uintptr_t looked_end = smaller(begin + LOOKED_BYTES, end);
    if (is_in_memory(begin, looked_end - begin, page))
      continue;
    for (uintptr_t at = begin; at < looked_end; at += ADVISED_BYTES)
      madvise((void *)at, smaller(ADVISED_BYTES, looked_end - at), MADV_WILLNEED);
  }
}

/* Units that follow each other in the file, closely, make one range. Of a piece in several runs
 * only the first is asked for. */
void qn_unit_read_ahead(const struct qn_unit_list *list, const struct qn_unit_batch *batch) {
  const struct qn_unit_source *source = list->source;
  uintptr_t begin[QN_UNIT_PIECES] = {0}, end[QN_UNIT_PIECES] = {0};
  for (uint32_t i = 0; i < batch->count && !batch->resident; i++) {
    struct qn_unit unit;
    source->describe(source->user, list->uses[batch->first + i].unit, &unit);
    for (unsigned piece = 0; piece < unit.num_pieces; piece++) {
      const uintptr_t at = (uintptr_t)unit.pieces[piece].data;
      if (at < begin[piece] || at > end[piece] + BRIDGED_BYTES) {
        advise_range(begin[piece], end[piece]);
        begin[piece] = end[piece] = at;
      }
      if (at + unit.pieces[piece].bytes > end[piece])
        end[piece] = at + unit.pieces[piece].bytes;
    }
  }
  for (unsigned piece = 0; piece < QN_UNIT_PIECES; piece++)
    advise_range(begin[piece], end[piece]);
}
