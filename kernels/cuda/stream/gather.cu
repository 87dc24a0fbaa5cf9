#include "kernels/cuda/stream/gather.cuh"

#include <algorithm>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/cuda/stream/packing.cuh"
#include "kernels/storage.h"

#define LOOKED_BYTES ((uintptr_t)2 << 20) /* of which all may be in memory */
#define LEAST_PAGE 4096
#define BRIDGED_BYTES 16384 /* gaps that are not worth a range of their own */

static bool has_pieces(const struct qn_unit_batch *batch) {
  return !batch->resident && !batch->was_ahead;
}

/* A batch in the making. */
struct gathering {
  const struct qn_unit_target *target;
  struct qn_unit_entry *entries; /* NULL: another part has them */
  uint64_t begin, end;           /* bytes of the stage that are this part's */
  struct qn_unit_copies *copies;
  uint64_t at; /* what of the buffer is taken; a multiple of QN_UNIT_ALIGN */
  /* The open run, or as many runs as its units' pieces have: */
  const char *run, *run_end; /* the first one on the host */
  uint64_t to;               /* where it goes */
  uint64_t more, stride;     /* the others */
  uint32_t first;            /* unit of the batch */
};

static void add_copy(struct qn_unit_copies *copies, void *to, const void *from, uint64_t bytes,
                     bool from_stage) {
  const uint32_t place = copies->count++;
  copies->from_stage[place] = from_stage;
  copies->to[place] = to;
  copies->from[place] = from;
  copies->bytes[place] = bytes;
}

/* From the stage, where these bytes are; what lies between them and those before may go along. */
static void copy_staged(struct gathering *work, uint64_t to, uint64_t bytes) {
  const struct qn_unit_target *target = work->target;
  struct qn_unit_copies *copies = work->copies;
  const uint32_t last = copies->count - 1;
  if (copies->count > 0 && copies->from_stage[last])
    copies->bytes[last] = (size_t)(target->buffer + to + bytes - (uint8_t *)copies->to[last]);
  else
    add_copy(copies, target->buffer + to, target->stage + to, bytes, true);
}

/* What of these bytes is this part's. */
static void put_staged(const struct gathering *work, uint64_t to, const char *from,
                       uint64_t bytes) {
  const uint64_t begin = std::max(to, work->begin), end = std::min(to + bytes, work->end);
  if (begin < end)
    memcpy(work->target->stage + begin, from + (begin - to), end - begin);
}

/* What fills the first QN_UNIT_ALIGN bytes of a run is copied with it: packed rows are loaded so
 * many at a time. It lies on the same page, which is pinned whole. */
static uint64_t filled_up(const struct gathering *work, uint64_t to, const char *from) {
  const uint64_t before = (uintptr_t)from % QN_UNIT_ALIGN;
  return work->more == 0 && to % QN_UNIT_ALIGN == before ? before : 0;
}

/* From where it lies, if that is pinned. There is always a place left for the rest of the batch. */
static void copy_run(struct gathering *work, uint64_t to, const char *from, uint64_t bytes) {
  const struct qn_unit_target *target = work->target;
  while (bytes > 0) {
    bool pinned;
    const uint64_t length =
        qn_unit_pins_reach(target->pins, target->num_pinned, from, bytes, &pinned);
    const uint64_t before = filled_up(work, to, from);
    if (pinned && length >= QN_UNIT_LONG_RUN && work->copies->count + 2 <= QN_UNIT_COPIES) {
      add_copy(work->copies, target->buffer + to - before, from - before, length + before, false);
    } else {
      put_staged(work, to - before, from - before, length + before);
      copy_staged(work, to - before, length + before);
    }
    to += length;
    from += length;
    bytes -= length;
  }
}

/* Piece `number` of the units before `end` has been put into the open runs. */
static void close_runs(struct gathering *work, unsigned number, uint32_t end) {
  const uint64_t bytes = (uint64_t)(work->run_end - work->run), stride = qn_unit_rounded(bytes);
  if (!work->run)
    return;
  for (uint64_t i = 0; i <= work->more; i++)
    copy_run(work, work->to + i * stride, work->run + i * work->stride, bytes);
  for (uint32_t i = work->first; work->entries && i < end; i++)
    work->entries[i].strides[number] = (uint32_t)stride;
  work->at = qn_unit_rounded(work->to + work->more * stride + bytes);
  work->run = NULL;
}

/* Does a unit go on where the one before ends? They overlap, where both need what lies on their
 * border. */
static bool goes_on(const struct gathering *work, const struct qn_unit *unit,
                    const struct qn_unit_piece *piece) {
  const char *data = (const char *)piece->data;
  return work->run && data >= work->run && data <= work->run_end && unit->more == work->more &&
         (unit->more == 0 || piece->stride == work->stride);
}

static void put_piece(struct gathering *work, const struct qn_unit *unit, unsigned number,
                      uint32_t place) {
  const struct qn_unit_piece *piece = &unit->pieces[number];
  const char *data = (const char *)piece->data;
  if (!goes_on(work, unit, piece)) {
    close_runs(work, number, place);
    work->run = work->run_end = data;
    work->to = work->at + (uintptr_t)data % QN_UNIT_ALIGN;
    work->more = unit->more;
    work->stride = piece->stride;
    work->first = place;
  }
  if (data + piece->bytes > work->run_end)
    work->run_end = data + piece->bytes;
  if (work->entries)
    work->entries[place].pieces[number] = work->target->buffer + work->to + (data - work->run);
}

/* What comes now is another part's, and so are the entries. */
static bool is_done(const struct gathering *work) {
  return !work->entries && work->at >= work->end;
}

static void put_pieces(struct gathering *work, const struct qn_unit_list *list,
                       const struct qn_unit_batch *batch, unsigned number) {
  const struct qn_unit_source *source = list->source;
  for (uint32_t i = 0; i < batch->count && !is_done(work); i++) {
    struct qn_unit unit;
    source->describe(source->user, batch->uses[i].unit, &unit);
    if (number < unit.num_pieces)
      put_piece(work, &unit, number, i);
    else
      close_runs(work, number, i);
  }
  close_runs(work, number, batch->count);
}

/* Units that are put together, each by the part in which it begins. */
static void pack_units(struct gathering *work, const struct qn_unit_list *list,
                       const struct qn_unit_batch *batch) {
  const struct qn_unit_packing *packing = qn_unit_packing_of(list->source);
  const struct qn_unit_target *target = work->target;
  const uint64_t first = work->at;
  for (uint32_t i = 0; i < batch->count && !is_done(work); i++) {
    const uint32_t unit = batch->uses[i].unit;
    const uint64_t bytes = list->unit_bytes[unit];
    if (work->entries)
      work->entries[i].pieces[0] = target->buffer + work->at;
    if (work->at >= work->begin && work->at < work->end)
      packing->pack(packing->user, unit, target->stage + work->at, bytes);
    work->at += bytes;
  }
  copy_staged(work, first, work->at - first);
}

/* The entry of a unit: what is in the cache lies there run after run, what was copied ahead where
 * it was put then. */
static void put_entry(const struct qn_unit_list *list, const struct qn_unit_use *use,
                      uint8_t *cached, struct qn_unit_entry *entry) {
  const struct qn_unit_source *source = list->source;
  uint8_t *slot = use->slot == QN_NO_SLOT ? NULL : cached + use->slot * source->unit_bytes;
  struct qn_unit unit;
  if (use->ahead > 0) {
    *entry = list->ahead.entries[use->ahead - 1];
    entry->keep = slot;
    return;
  }
  source->describe(source->user, use->unit, &unit);
  memset(entry, 0, sizeof *entry);
  entry->unit = use->unit;
  entry->more = unit.more;
  entry->keep = use->is_hit ? NULL : slot;
  for (unsigned i = 0; i < unit.num_pieces; i++) {
    entry->bytes[i] =
        (uint32_t)(qn_unit_packing_of(source) ? list->unit_bytes[use->unit] : unit.pieces[i].bytes);
    if (!use->is_hit)
      continue;
    entry->strides[i] = (uint32_t)qn_unit_rounded(entry->bytes[i]);
    entry->pieces[i] = slot;
    slot += (unit.more + 1) * (uint64_t)entry->strides[i];
  }
}

unsigned qn_unit_parts(const struct qn_unit_batch *batch) {
  const uint64_t most = batch->bytes + batch->count * QN_UNIT_OVERHEAD;
  return has_pieces(batch) ? (unsigned)(most / QN_UNIT_PART_BYTES + 1) : 1;
}

void qn_unit_gather(const struct qn_unit_list *list, const struct qn_unit_batch *batch,
                    const struct qn_unit_target *target, unsigned part,
                    struct qn_unit_copies *copies) {
  struct qn_unit_entry *entries = (struct qn_unit_entry *)target->stage;
  const uint64_t bytes = batch->count * sizeof *entries;
  struct qn_unit_copies unused; /* which run is too many to be one is seen from the others */
  struct gathering work;
  memset(&work, 0, sizeof work);
  work.target = target;
  work.entries = part == 0 ? entries : NULL;
  work.begin = part * QN_UNIT_PART_BYTES;
  work.end = work.begin + QN_UNIT_PART_BYTES;
  work.copies = part == 0 ? copies : &unused;
  work.copies->count = 0;
  work.at = qn_unit_rounded(bytes);
  for (uint32_t i = 0; i < batch->count && part == 0; i++)
    put_entry(list, &batch->uses[i], target->cached, &entries[i]);
  copy_staged(&work, 0, bytes);
  if (qn_unit_packing_of(list->source) && has_pieces(batch)) {
    pack_units(&work, list, batch);
    return;
  }
  for (unsigned number = 0; number < QN_UNIT_PIECES && has_pieces(batch); number++)
    put_pieces(&work, list, batch, number);
}

void qn_unit_packed(const void *packing, uint64_t unit, struct qn_unit *out) {
  const struct qn_unit_packing *of = (const struct qn_unit_packing *)packing;
  of->describe(of->user, unit, out);
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

static void advise_range(uintptr_t begin, uintptr_t end) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (begin -= begin % page; begin < end; begin += LOOKED_BYTES) {
    const uintptr_t looked_end = smaller(begin + LOOKED_BYTES, end);
    if (!is_in_memory(begin, looked_end - begin, page))
      qn_storage_fetch((void *)begin, looked_end - begin);
  }
}

/* Units that follow each other in the file, closely, make one range. Of a piece in several runs
 * only the first is asked for. */
void qn_unit_read_ahead(const struct qn_unit_list *list, const struct qn_unit_batch *batch) {
  const struct qn_unit_source *source = list->source;
  uintptr_t begin[QN_UNIT_PIECES] = {0}, end[QN_UNIT_PIECES] = {0};
  for (uint32_t i = 0; i < batch->count && has_pieces(batch); i++) {
    struct qn_unit unit;
    source->describe(source->user, batch->uses[i].unit, &unit);
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
