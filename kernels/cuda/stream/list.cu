#include "kernels/cuda/stream/list.cuh"

#include <string.h>

#include "kernels/cuda/stream/packing.cuh"
#include "support/memory.h"

static uint64_t bytes_of(const struct qn_unit_source *source, uint64_t number) {
  struct qn_unit unit;
  const struct qn_unit_packing *packing = qn_unit_packing_of(source);
  if (packing)
    return qn_unit_rounded(packing->bytes(packing->user, number));
  source->describe(source->user, number, &unit);
  return qn_unit_bytes(&unit);
}

/* What is the same in every iteration. Pages of the lists are there before the first one. */
static void look_at_units(struct qn_unit_list *list) {
  const struct qn_unit_source *source = list->source;
#pragma omp parallel for schedule(static)
  for (uint64_t unit = 0; unit < source->num_units; unit++) {
    list->unit_bytes[unit] = bytes_of(source, unit);
    memset(&list->used[unit], 0, sizeof list->used[unit]);
    memset(&list->uses[unit], 0, sizeof list->uses[unit]);
    if (list->late)
      list->late[unit] = source->is_late(source->user, unit);
  }
}

enum qn_status qn_unit_list_create(struct qn_unit_list *list, const struct qn_unit_source *source,
                                   const struct qn_stream_plan *plan, struct qn_error *error) {
  static const char what[] = "list of units";
  const uint64_t num_units = source->num_units;
  memset(list, 0, sizeof *list);
  list->source = source;
  list->batch_bytes = plan->batch_bytes;
  enum qn_status status =
      qn_unit_cache_create(&list->cache, num_units, (uint32_t)plan->cache_units, error);
  if (!status)
    status = qn_unit_ahead_create(&list->ahead, num_units, error);
  if (!status)
    status = qn_pages_alloc(&list->unit_bytes, num_units, sizeof *list->unit_bytes, what, error);
  if (!status && source->is_late)
    status = qn_pages_alloc(&list->late, num_units, sizeof *list->late, what, error);
  if (!status)
    status = qn_pages_alloc(&list->used, num_units, sizeof *list->used, what, error);
  if (!status)
    status = qn_pages_alloc(&list->uses, num_units, sizeof *list->uses, what, error);
  if (!status)
    status = qn_pages_alloc(&list->batches, num_units, sizeof *list->batches, what, error);
  if (status)
    qn_unit_list_destroy(list);
  else
    look_at_units(list);
  return status;
}

void qn_unit_list_destroy(struct qn_unit_list *list) {
  if (!list->source)
    return;
  const uint64_t num_units = list->source->num_units;
  qn_unit_cache_destroy(&list->cache);
  qn_unit_ahead_destroy(&list->ahead);
  qn_pages_free(list->unit_bytes, num_units, sizeof *list->unit_bytes);
  qn_pages_free(list->late, num_units, sizeof *list->late);
  qn_pages_free(list->used, num_units, sizeof *list->used);
  qn_pages_free(list->uses, num_units, sizeof *list->uses);
  qn_pages_free(list->batches, num_units, sizeof *list->batches);
  memset(list, 0, sizeof *list);
}

/* `action(unit)` for all units whose flag is set. */
template <class Action>
static void each_active(uint64_t num_units, const uint8_t *flags, Action action) {
  for (uint64_t unit = 0; unit < num_units; unit++) {
    uint64_t eight = 1;
    if (flags && unit + sizeof eight <= num_units)
      memcpy(&eight, flags + unit, sizeof eight);
    if (eight == 0)
      unit += sizeof eight - 1;
    else if (!flags || flags[unit])
      action(unit);
  }
}

/* How many are active; list->used becomes what they are. */
static uint64_t find_active(struct qn_unit_list *list, const uint8_t *flags) {
  uint64_t count = 0;
  for (uint8_t late = 0; late <= (list->late != NULL); late++)
    each_active(list->source->num_units, flags, [&](uint64_t unit) {
      if (!list->late || list->late[unit] == late)
        list->used[count++].unit = (uint32_t)unit;
    });
  return count;
}

/* Those in the cache go first: they need no transfer, and make room. Then those that were copied
 * ahead. Returns how many of these there are. */
static uint32_t order_uses(struct qn_unit_list *list, const uint8_t *flags, uint64_t count,
                           uint64_t hits) {
  struct qn_unit_ahead *ahead = &list->ahead;
  const uint32_t wanted = qn_unit_ahead_want(ahead, flags);
  uint64_t hit = 0, miss = hits + wanted;
  for (uint64_t i = 0; i < count; i++) {
    const struct qn_unit_use *use = &list->used[i];
    const uint32_t place = wanted ? ahead->places[use->unit] : 0;
    list->uses[use->is_hit ? hit++
               : place     ? hits + place - 1
                           : miss++] = {use->unit, use->slot, 0, use->is_hit, use->takes_over};
  }
  qn_unit_ahead_settle(ahead, list->uses + hits);
  return wanted;
}

/* A batch as yet without uses. */
static struct qn_unit_batch *begin_batch(struct qn_unit_list *list,
                                         const struct qn_unit_use *uses) {
  struct qn_unit_batch *batch = &list->batches[list->num_batches++];
  memset(batch, 0, sizeof *batch);
  batch->uses = uses;
  batch->resident = uses->is_hit;
  batch->was_ahead = uses->ahead > 0;
  list->num_resident += batch->resident;
  list->num_ahead += batch->was_ahead;
  return batch;
}

/* `bytes`: what of the unit moves. */
static void add_use(struct qn_unit_batch *batch, const struct qn_unit_use *use, uint64_t bytes) {
  batch->bytes += bytes + sizeof(struct qn_unit_entry);
  batch->count++;
  batch->keeps |= !use->is_hit && use->slot != QN_NO_SLOT;
  batch->takes_over |= use->takes_over;
}

/* Batches of what was copied ahead are the same as then, without what is not wanted. */
static void cut_ahead(struct qn_unit_list *list, const struct qn_unit_use *uses, uint32_t count) {
  const struct qn_unit_ahead *ahead = &list->ahead;
  uint32_t next = 0, end = 0;
  for (unsigned i = 0; i < ahead->num_batches; i++) {
    struct qn_unit_batch *batch = NULL;
    end += ahead->batches[i].count;
    list->figures.vain_bytes += ahead->batches[i].bytes;
    for (; next < count && uses[next].ahead <= end; next++) {
      if (!batch)
        batch = begin_batch(list, &uses[next]);
      add_use(batch, &uses[next], 0);
      list->figures.moved_bytes += list->unit_bytes[uses[next].unit];
      list->figures.vain_bytes -= list->unit_bytes[uses[next].unit];
    }
  }
}

static void cut_batches(struct qn_unit_list *list, const struct qn_unit_use *uses, uint64_t count) {
  struct qn_unit_batch *batch = NULL;
  uint64_t room = 0; /* left in the batch */
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t bytes = uses[i].is_hit ? 0 : list->unit_bytes[uses[i].unit];
    if (!batch || bytes + QN_UNIT_OVERHEAD > room) {
      batch = begin_batch(list, &uses[i]);
      room = list->batch_bytes;
    }
    room -= bytes + QN_UNIT_OVERHEAD;
    add_use(batch, &uses[i], bytes);
    list->figures.moved_bytes += bytes;
  }
}

/* A list of all units is the same again if nothing is kept anew, and as much was copied ahead. */
static bool is_same(const struct qn_unit_list *list, bool is_whole) {
  return is_whole && list->lasts && list->num_ahead == list->ahead.num_batches;
}

void qn_unit_list_make(struct qn_unit_list *list, const uint8_t *flags, bool goes_on) {
  struct qn_stream_figures *figures = &list->figures;
  const bool is_whole = !flags && !goes_on;
  if (is_same(list, is_whole))
    return;
  memset(figures, 0, sizeof *figures);
  const uint64_t count = find_active(list, flags);
  const uint64_t hits = qn_unit_cache_turn(&list->cache, goes_on, list->used, count);
  const uint32_t ahead = order_uses(list, flags, count, hits);
  figures->active_units = count;
  figures->cache_hits = hits;
  figures->moved_units = count - hits;
  figures->moved_bytes = count * sizeof(struct qn_unit_entry);
  list->num_batches = list->num_resident = list->num_ahead = 0;
  cut_batches(list, list->uses, hits);
  cut_ahead(list, list->uses + hits, ahead);
  cut_batches(list, list->uses + hits + ahead, count - hits - ahead);
  figures->batches = list->num_batches;
  list->lasts = is_whole;
  for (uint64_t i = 0; i < list->num_batches; i++)
    list->lasts &= !list->batches[i].keeps;
}
