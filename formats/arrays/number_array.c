#include "formats/arrays/number_array.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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

/* A real number from its bits. */
static double real_of(const struct qn_number_array *array, uint64_t bits) {
  double real;
  float narrow;
  uint32_t low = (uint32_t)bits;
  memcpy(&narrow, &low, sizeof narrow);
  memcpy(&real, &bits, sizeof real);
  return array->width == 4 ? (double)narrow : real;
}

/* What a block of numbers is not. */
struct unfit {
  bool u32, i64, f32;
};

/* -0.0 is no u32. */
static struct unfit unfit_real(double value) {
  bool u32 = value >= 0 && value <= UINT32_MAX && value == (double)(uint32_t)value;
  return (struct unfit){!u32 || signbit(value), true, (double)(float)value != value};
}

static struct unfit unfit_whole(const struct qn_number_array *array, uint64_t bits) {
  return (struct unfit){bits > UINT32_MAX, array->kind == QN_NUMBERS_UNSIGNED && bits >> 63, true};
}

/* The unsigned number that a double changes most, and if that changes two as much, the larger. */
static void note_worse(struct qn_rounding *worst, uint64_t whole) {
  double real = (double)whole;
  long double error = fabsl((long double)real - whole);
  if (error > worst->error || (error == worst->error && error > 0 && whole > worst->exact))
    *worst = (struct qn_rounding){whole, error};
}

uint64_t qn_numbers_weight_type(const struct qn_number_array *array, enum qn_weight_type *type,
                                struct qn_rounding *worst) {
  uint64_t num_blocks = (array->count + BLOCK - 1) / BLOCK, bad = array->count;
  bool real = array->kind == QN_NUMBERS_REAL, no_u32 = false, no_i64 = false, no_f32 = false;
  *worst = (struct qn_rounding){0, 0};
#pragma omp parallel for schedule(static) reduction(min : bad) reduction(| : no_u32, no_i64, no_f32)
  for (uint64_t b = 0; b < num_blocks; b++) {
    struct qn_rounding worst_here = {0, 0};
    uint64_t bits[BLOCK], first = b * BLOCK;
    uint64_t count = array->count - first < BLOCK ? array->count - first : BLOCK;
    decode_array(array, first, count, bits);
    for (uint64_t i = 0; i < count; i++) {
      double value = real ? real_of(array, bits[i]) : 0;
      struct unfit unfit = real ? unfit_real(value) : unfit_whole(array, bits[i]);
      no_u32 |= unfit.u32;
      no_i64 |= unfit.i64;
      no_f32 |= unfit.f32;
      if (!real && unfit.i64)
        note_worse(&worst_here, bits[i]);
      if (!isfinite(value) && first + i < bad)
        bad = first + i;
    }
    if (worst_here.error > 0) {
#pragma omp critical(qn_numbers_weight_type)
      note_worse(worst, (uint64_t)worst_here.exact);
    }
  }
  *type = !no_u32   ? QN_WEIGHT_U32
          : !no_i64 ? QN_WEIGHT_I64
          : !no_f32 ? QN_WEIGHT_F32
                    : QN_WEIGHT_F64;
  return bad;
}

/* Numbers of at most BLOCK, decoded, as weights of this type. */
static void convert(const struct qn_number_array *array, enum qn_weight_type type,
                    const uint64_t *bits, uint64_t count, void *weights) {
  bool real = array->kind == QN_NUMBERS_REAL;
  for (uint64_t i = 0; i < count; i++) {
    double value = real ? real_of(array, bits[i]) : (double)bits[i];
    if (type == QN_WEIGHT_U32)
      ((uint32_t *)weights)[i] = (uint32_t)(real ? (uint64_t)value : bits[i]);
    else if (type == QN_WEIGHT_F32)
      ((float *)weights)[i] = (float)value;
    else if (type == QN_WEIGHT_F64)
      ((double *)weights)[i] = value;
    else
      ((uint64_t *)weights)[i] = bits[i];
  }
}

void qn_numbers_weights(const struct qn_number_array *array, enum qn_weight_type type,
                        uint64_t first, uint64_t count, void *weights) {
  uint64_t block[BLOCK];
  char *next = weights;
  while (count) {
    uint64_t some = count < BLOCK ? count : BLOCK;
    decode_array(array, first, some, block);
    convert(array, type, block, some, next);
    first += some;
    count -= some;
    next += some * qn_weight_bytes(type);
  }
}

enum qn_status qn_binary_fail(const char *file, uint64_t offset, struct qn_error *error,
                              const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_error_at_offset(error, file, offset);
}
