#include "kernels/cuda/stream/ahead.cuh"

#include <string.h>

#include "kernels/cuda/stream/list.cuh"
#include "support/memory.h"

enum qn_status qn_unit_ahead_create(struct qn_unit_ahead *ahead, uint64_t num_units,
                                    struct qn_error *error) {
  static const char what[] = "units copied ahead";
  memset(ahead, 0, sizeof *ahead);
  ahead->num_units = num_units;
  enum qn_status status = qn_pages_alloc(&ahead->uses, num_units, sizeof *ahead->uses, what, error);
  if (!status)
    status = qn_pages_alloc(&ahead->entries, num_units, sizeof *ahead->entries, what, error);
  if (!status)
    status = qn_pages_alloc(&ahead->places, num_units, sizeof *ahead->places, what, error);
  return status;
}

void qn_unit_ahead_destroy(struct qn_unit_ahead *ahead) {
  qn_pages_free(ahead->uses, ahead->num_units, sizeof *ahead->uses);
  qn_pages_free(ahead->entries, ahead->num_units, sizeof *ahead->entries);
  qn_pages_free(ahead->places, ahead->num_units, sizeof *ahead->places);
  memset(ahead, 0, sizeof *ahead);
}

void qn_unit_ahead_forget(struct qn_unit_ahead *ahead) {
  ahead->num_batches = ahead->count = 0;
}

static void add_batch(struct qn_unit_ahead *ahead, const struct qn_unit_list *list,
                      const struct qn_unit_batch *from) {
  struct qn_unit_batch *batch = &ahead->batches[ahead->num_batches++];
  struct qn_unit_use *uses = &ahead->uses[ahead->count];
  memset(batch, 0, sizeof *batch);
  batch->uses = uses;
  batch->count = from->count;
  for (uint32_t i = 0; i < from->count; i++) {
    uses[i] = {from->uses[i].unit, QN_NO_SLOT, 0, false, false};
    batch->bytes += list->unit_bytes[uses[i].unit] + sizeof(struct qn_unit_entry);
  }
  ahead->count += from->count;
}

void qn_unit_ahead_guess(struct qn_unit_ahead *ahead, const struct qn_unit_list *list,
                         unsigned most) {
  qn_unit_ahead_forget(ahead);
  for (uint64_t i = list->num_resident; i < list->num_batches && ahead->num_batches < most; i++) {
    if (list->batches[i].keeps)
      break;
    add_batch(ahead, list, &list->batches[i]);
  }
}

uint32_t qn_unit_ahead_want(struct qn_unit_ahead *ahead, const uint8_t *flags) {
  uint32_t wanted = 0;
  for (uint32_t i = 0; i < ahead->count; i++) {
    const uint32_t unit = ahead->uses[i].unit;
    if (!flags || flags[unit])
      ahead->places[unit] = ++wanted;
  }
  return wanted;
}

void qn_unit_ahead_settle(struct qn_unit_ahead *ahead, struct qn_unit_use *wanted) {
  for (uint32_t i = 0; i < ahead->count; i++) {
    uint32_t *place = &ahead->places[ahead->uses[i].unit];
    if (*place > 0)
      wanted[*place - 1].ahead = i + 1;
    *place = 0;
  }
}
