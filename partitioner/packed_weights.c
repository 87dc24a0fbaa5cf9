#include "partitioner/packed_weights.h"

#include <stdlib.h>
#include <string.h>

#include "formats/layouts/packed_weights.h"
#include "support/memory.h"

#define SET_SLOTS ((uint64_t)2 * QN_PACKED_MOST_VALUES)
#define CHUNK                                                                                      \
  ((uint64_t)1 << 16) /* weights that a thread looks at before it looks at the others              \
                       */

/* ---- Which weights there are ---------------------------------------------------------- */

/* Different weights, at most QN_PACKED_MOST_VALUES: slots of 0 are free, and 0 is told apart. */
struct value_set {
  uint64_t *slots; /* [SET_SLOTS] */
  uint32_t count;
  bool has_zero;
};

static uint64_t slot_of(uint64_t value, uint64_t num_slots) {
  value *= 0x9E3779B97F4A7C15u;
  return (value ^ value >> 32) & (num_slots - 1);
}

/* False: there are too many. */
static bool set_add(struct value_set *set, uint64_t value) {
  if (value == 0) {
    set->count += !set->has_zero;
    set->has_zero = true;
    return set->count <= QN_PACKED_MOST_VALUES;
  }
  uint64_t slot = slot_of(value, SET_SLOTS);
  while (set->slots[slot] && set->slots[slot] != value)
    slot = (slot + 1) % SET_SLOTS;
  if (set->slots[slot] == value)
    return true;
  if (set->count >= QN_PACKED_MOST_VALUES)
    return false;
  set->slots[slot] = value;
  set->count++;
  return true;
}

static bool set_add_set(struct value_set *set, const struct value_set *other) {
  bool fits = !other->has_zero || set_add(set, 0);
  for (uint64_t slot = 0; fits && slot < SET_SLOTS; slot++)
    fits = !other->slots[slot] || set_add(set, other->slots[slot]);
  return fits;
}

static bool add_chunk(struct value_set *set, const struct qn_weights *weights, uint64_t first,
                      uint64_t count) {
  const unsigned bytes = qn_weight_bytes(weights->type);
  const uint64_t end = count - first < CHUNK ? count : first + CHUNK;
  uint64_t before = 0;
  for (uint64_t i = first; i < end; i++) {
    const uint64_t value = qn_weight_load(weights->data, bytes, i);
    if ((i == first || value != before) && !set_add(set, value))
      return false;
    before = value;
  }
  return true;
}

static int compare_values(const void *a, const void *b) {
  const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
  return (one > other) - (one < other);
}

/* The values, ascending, and where each is found again. */
static enum qn_status make_dictionary(const struct value_set *set, struct qn_weight_coding *coding,
                                      struct qn_error *error) {
  coding->num_slots = 4;
  while (coding->num_slots < 2 * (uint64_t)set->count)
    coding->num_slots *= 2;
  enum qn_status status =
      qn_alloc(&coding->values, set->count, sizeof *coding->values, "values", error);
  if (!status)
    status = qn_alloc_zeroed(&coding->slots, coding->num_slots, sizeof *coding->slots,
                             "places of values", error);
  if (status)
    return status;
  if (set->has_zero)
    coding->values[coding->num_values++] = 0;
  for (uint64_t slot = 0; slot < SET_SLOTS; slot++)
    if (set->slots[slot])
      coding->values[coding->num_values++] = set->slots[slot];
  qsort(coding->values, coding->num_values, sizeof *coding->values, compare_values);
  for (uint32_t i = 0; i < coding->num_values; i++) {
    uint64_t slot = slot_of(coding->values[i], coding->num_slots);
    while (coding->slots[slot])
      slot = (slot + 1) & (coding->num_slots - 1);
    coding->slots[slot] = i + 1;
  }
  coding->bits = qn_packed_bits(coding->num_values - 1);
  coding->kind = QN_PACKED_DICTIONARY;
  return QN_OK;
}

/* Leaves the coding plain if there are too many values. */
static enum qn_status find_values(const struct qn_weights *weights, uint64_t count,
                                  struct qn_weight_coding *coding, struct qn_error *error) {
  struct value_set all = {0};
  bool fits = true;
  enum qn_status status =
      qn_alloc_zeroed(&all.slots, SET_SLOTS, sizeof *all.slots, "values", error);
  const bool begun = !status;
#pragma omp parallel if (begun)
  {
    struct value_set own = {0};
    struct qn_error own_error;
    enum qn_status own_status =
        begun ? qn_alloc_zeroed(&own.slots, SET_SLOTS, sizeof *own.slots, "values", &own_error)
              : QN_SYSTEM;
#pragma omp for schedule(static)
    for (uint64_t first = 0; first < count; first += CHUNK) {
      bool goes_on;
#pragma omp atomic read
      goes_on = fits;
      if (own_status || !goes_on || add_chunk(&own, weights, first, count))
        continue;
#pragma omp atomic write
      fits = false;
    }
#pragma omp critical(packed_values)
    {
      if (own_status && !status) {
        status = own_status;
        *error = own_error;
      }
      if (!own_status && fits)
        fits = set_add_set(&all, &own);
    }
    qn_free(own.slots);
  }
  if (!status && fits)
    status = make_dictionary(&all, coding, error);
  qn_free(all.slots);
  return status;
}

/* Whole numbers, as what is added to their least. Leaves the coding plain if some are too far. */
static enum qn_status find_range(const struct qn_weights *weights, uint64_t count,
                                 struct qn_weight_coding *coding, struct qn_error *error) {
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  if (weights->type == QN_WEIGHT_U32) {
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : greatest)
    for (uint64_t i = 0; i < count; i++) {
      least = weights->u32[i] < least ? weights->u32[i] : least;
      greatest = weights->u32[i] > greatest ? weights->u32[i] : greatest;
    }
  } else {
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : greatest)
    for (uint64_t i = 0; i < count; i++) {
      least = weights->i64[i] < least ? weights->i64[i] : least;
      greatest = weights->i64[i] > greatest ? weights->i64[i] : greatest;
    }
  }
  if ((uint64_t)greatest - (uint64_t)least > UINT32_MAX)
    return QN_OK;
  enum qn_status status = qn_alloc(&coding->values, 2, sizeof *coding->values, "values", error);
  if (status)
    return status;
  coding->values[0] = (uint64_t)least;
  coding->values[1] = (uint64_t)greatest;
  coding->num_values = 2;
  coding->bits = qn_packed_bits((uint32_t)((uint64_t)greatest - (uint64_t)least));
  coding->kind = QN_PACKED_SUMS;
  return QN_OK;
}

static uint64_t coded_bytes(const struct qn_weight_coding *coding, uint64_t count) {
  if (coding->kind == QN_PACKED_PLAIN)
    return coding->weight_bytes * count;
  return 4 * qn_packed_code_words(count, coding->bits) +
         (uint64_t)coding->weight_bytes * coding->num_values;
}

/* `coding` becomes the one of both that takes fewer bytes, the first of equal ones. */
static void take_lesser(struct qn_weight_coding *coding, struct qn_weight_coding *other,
                        uint64_t count) {
  if (coded_bytes(other, count) < coded_bytes(coding, count)) {
    const struct qn_weight_coding taken = *other;
    *other = *coding;
    *coding = taken;
  }
  qn_weight_coding_destroy(other);
}

enum qn_status qn_weight_coding_choose(const struct qn_weights *weights, uint64_t count,
                                       struct qn_weight_coding *coding, struct qn_error *error) {
  const bool is_whole = weights->type == QN_WEIGHT_U32 || weights->type == QN_WEIGHT_I64;
  const struct qn_weight_coding plain = {.weight_bytes = qn_weight_bytes(weights->type)};
  struct qn_weight_coding other = plain;
  *coding = plain;
  enum qn_status status = QN_OK;
  if (weights->type == QN_WEIGHT_NONE || count == 0)
    return QN_OK;
  if (is_whole)
    status = find_range(weights, count, &other, error);
  take_lesser(coding, &other, count);
  /* What is within so few bits a dictionary hardly betters. */
  if (status || (coding->kind == QN_PACKED_SUMS && coding->bits <= 8))
    return status;
  other = plain;
  status = find_values(weights, count, &other, error);
  if (!status)
    take_lesser(coding, &other, count);
  qn_weight_coding_destroy(&other);
  return status;
}

void qn_weight_coding_destroy(struct qn_weight_coding *coding) {
  qn_free(coding->values);
  qn_free(coding->slots);
  coding->values = coding->slots = NULL;
}

/* ---- Writing ------------------------------------------------------------------------- */

void qn_weight_coding_values(const struct qn_weight_coding *coding, void *out) {
  if (coding->weight_bytes == 8)
    memcpy(out, coding->values, coding->num_values * sizeof *coding->values);
  else
    for (uint32_t i = 0; i < coding->num_values; i++)
      ((uint32_t *)out)[i] = (uint32_t)coding->values[i];
}

/* A weight that was not there when they were looked at gets any code: the file is being overwritten
 * (used_files.h). */
static uint32_t code_of(const struct qn_weight_coding *coding, uint64_t weight) {
  if (coding->kind == QN_PACKED_SUMS) {
    const uint64_t code = weight - coding->values[0];
    return (uint32_t)(code & (((uint64_t)1 << coding->bits) - 1));
  }
  for (uint64_t slot = slot_of(weight, coding->num_slots); coding->slots[slot];
       slot = (slot + 1) & (coding->num_slots - 1))
    if (coding->values[coding->slots[slot] - 1] == weight)
      return (uint32_t)(coding->slots[slot] - 1);
  return 0;
}

void qn_weight_coding_write(const struct qn_weight_coding *coding, const void *weights,
                            uint64_t first, uint64_t count, uint32_t *words) {
  uint32_t *word = words + first / 32 * coding->bits + first % 32 * coding->bits / 32;
  unsigned bit = (unsigned)(first % 32 * coding->bits % 32);
  uint64_t waiting = 0;
  bool is_first = true; /* which others may have a part of, as of the last */
  for (uint64_t i = 0; i < count; i++) {
    waiting |= (uint64_t)code_of(coding, qn_weight_load(weights, coding->weight_bytes, i)) << bit;
    bit += coding->bits;
    if (bit < 32)
      continue;
    if (is_first)
      __atomic_fetch_or(word, (uint32_t)waiting, __ATOMIC_RELAXED);
    else
      *word = (uint32_t)waiting;
    is_first = false;
    word++;
    waiting >>= 32;
    bit -= 32;
  }
  if (waiting)
    __atomic_fetch_or(word, (uint32_t)waiting, __ATOMIC_RELAXED);
}
