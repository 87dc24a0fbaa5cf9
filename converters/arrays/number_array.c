#include "converters/arrays/number_array.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <quern/inline.h>

#define BLOCK ((uint64_t)1024)

/* Widths and byte orders are constants where this is called, so that each gets a loop of its own.
 */
QN_ALWAYS_INLINE uint64_t load(const char *at, unsigned width, bool big_endian) {
  unsigned char bytes[8];
  uint64_t value = 0;
  memcpy(bytes, at, width);
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t)bytes[big_endian ? width - 1 - i : i] << 8 * i;
  return value;
}

/* Decode to 64 bits; signed numbers keep their sign. */
QN_ALWAYS_INLINE void decode(const char *at, uint64_t count, unsigned width, bool big_endian,
                             bool is_signed, uint64_t *out) {
  unsigned unused = 64 - 8 * width;
  for (uint64_t i = 0; i < count; i++, at += width) {
    uint64_t value = load(at, width, big_endian);
    out[i] = is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
  }
}

QN_ALWAYS_INLINE void decode_width(const char *at, uint64_t count, unsigned width, bool big_endian,
                                   bool is_signed, uint64_t *out) {
  switch (width) {
  case 1:
    decode(at, count, 1, big_endian, is_signed, out);
    break;
  case 2:
    decode(at, count, 2, big_endian, is_signed, out);
    break;
  case 4:
    decode(at, count, 4, big_endian, is_signed, out);
    break;
  default:
    decode(at, count, 8, big_endian, is_signed, out);
  }
}

static void decode_array(const struct qn_number_array *array, uint64_t first, uint64_t count,
                         uint64_t *out) {
  const char *at = array->data + first * array->width;
  bool is_signed = array->kind == QN_NUMBERS_SIGNED;
  if (array->big_endian)
    is_signed ? decode_width(at, count, array->width, true, true, out)
              : decode_width(at, count, array->width, true, false, out);
  else
    is_signed ? decode_width(at, count, array->width, false, true, out)
              : decode_width(at, count, array->width, false, false, out);
}

uint64_t qn_numbers_ids(const struct qn_number_array *array, uint64_t first, uint64_t count,
                        uint64_t *ids) {
  decode_array(array, first, count, ids);
  if (array->kind != QN_NUMBERS_SIGNED)
    return count;
  uint64_t all = 0, good = 0;
  for (uint64_t i = 0; i < count; i++)
    all |= ids[i];
  if (!(all >> 63))
    return count;
  while (!(ids[good] >> 63))
    good++;
  return good;
}

bool qn_numbers_id(const struct qn_number_array *array, uint64_t index, uint64_t *id) {
  return qn_numbers_ids(array, index, 1, id) == 1;
}

/* A number as its bits and its value. */
static double value_of(const struct qn_number_array *array, uint64_t bits) {
  double real;
  float narrow;
  uint32_t low = (uint32_t)bits;
  if (array->kind == QN_NUMBERS_UNSIGNED)
    return (double)bits;
  if (array->kind == QN_NUMBERS_SIGNED)
    return (double)(int64_t)bits;
  if (array->width == 4) {
    memcpy(&narrow, &low, sizeof narrow);
    return narrow;
  }
  memcpy(&real, &bits, sizeof real);
  return real;
}

/* Is it a u32 and nothing else: -0.0 is not. */
static bool is_u32(double value) {
  return value >= 0 && value <= UINT32_MAX && value == (double)(uint32_t)value && !signbit(value);
}

/* Whole numbers of 8 bytes are more than a double holds, too. */
static double rounding_error(const struct qn_number_array *array, uint64_t bits, double value) {
  if (!(fabs(value) >= 0x1p24) || !(fabs(value) <= FLT_MAX))
    return 0;
  if (array->kind == QN_NUMBERS_REAL)
    return fabs(value - (double)(float)value);
  bool negative = array->kind == QN_NUMBERS_SIGNED && bits >> 63;
  uint64_t magnitude = negative ? -bits : bits;
  __int128 error = (__int128)(float)magnitude - (__int128)magnitude;
  return fabs((double)error);
}

/* Of two numbers that f32 changes as much, the larger: the same one in whatever order. */
static void note_worse(struct qn_rounding *worst, const struct qn_rounding *other) {
  if (other->error > worst->error ||
      (other->error == worst->error && fabs(other->exact) > fabs(worst->exact)))
    *worst = *other;
}

uint64_t qn_numbers_weight_type(const struct qn_number_array *array, enum qn_weight_type *type,
                                struct qn_rounding *worst) {
  uint64_t num_blocks = (array->count + BLOCK - 1) / BLOCK, bad = array->count, others = 0;
  *worst = (struct qn_rounding){0, 0};
#pragma omp parallel for schedule(static) reduction(min : bad) reduction(+ : others)
  for (uint64_t b = 0; b < num_blocks; b++) {
    struct qn_rounding worst_here = {0, 0};
    uint64_t bits[BLOCK], first = b * BLOCK;
    uint64_t count = array->count - first < BLOCK ? array->count - first : BLOCK;
    decode_array(array, first, count, bits);
    for (uint64_t i = 0; i < count; i++) {
      double value = value_of(array, bits[i]);
      const struct qn_rounding here = {value, rounding_error(array, bits[i], value)};
      if (here.error > 0)
        note_worse(&worst_here, &here);
      others += !is_u32(value);
      if (!(fabs(value) <= FLT_MAX) && first + i < bad)
        bad = first + i;
    }
    if (worst_here.error > 0) {
#pragma omp critical(qn_numbers_weight_type)
      note_worse(worst, &worst_here);
    }
  }
  *type = others ? QN_WEIGHT_F32 : QN_WEIGHT_U32;
  return bad;
}

void qn_numbers_weights(const struct qn_number_array *array, enum qn_weight_type type,
                        uint64_t first, uint64_t count, uint32_t *bits) {
  uint64_t block[BLOCK];
  while (count) {
    uint64_t some = count < BLOCK ? count : BLOCK;
    decode_array(array, first, some, block);
    for (uint64_t i = 0; i < some; i++) {
      double value = value_of(array, block[i]);
      float real = (float)value;
      if (type == QN_WEIGHT_U32)
        bits[i] = (uint32_t)value;
      else
        memcpy(&bits[i], &real, sizeof real);
    }
    first += some;
    count -= some;
    bits += some;
  }
}
