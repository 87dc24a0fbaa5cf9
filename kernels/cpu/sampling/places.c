#include "kernels/cpu/sampling/places.h"

#include <string.h>

#include "support/memory.h"

#define FIRST_BITS 12

enum qn_status qn_places_create(struct qn_places *places, struct qn_error *error) {
  *places = (struct qn_places){.bits = FIRST_BITS};
  return qn_alloc_zeroed(&places->slots, (uint64_t)1 << places->bits, sizeof *places->slots,
                         "a table of sampled vertices", error);
}

void qn_places_release(struct qn_places *places) {
  qn_free(places->slots);
  *places = (struct qn_places){0};
}

void qn_places_clear(struct qn_places *places) {
  if (places->used)
    memset(places->slots, 0, sizeof *places->slots << places->bits);
  places->used = 0;
}

enum qn_status qn_places_grow(struct qn_places *places, const int64_t *trees,
                              struct qn_error *error) {
  struct qn_places larger = {.bits = places->bits + 1, .used = places->used};
  enum qn_status status =
      qn_alloc_zeroed(&larger.slots, (uint64_t)1 << larger.bits, sizeof *larger.slots,
                      "a table of sampled vertices", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < (uint64_t)1 << places->bits; i++) {
    const struct qn_place *place = &places->slots[i];
    if (place->place)
      *qn_places_find(&larger, place->vertex, trees ? trees[place->place - 1] : 0, trees) = *place;
  }
  qn_free(places->slots);
  *places = larger;
  return QN_OK;
}
