/* Numbers as text, fast. Each function writes at `p`, where QN_MAX_NUMBER_TEXT
 * bytes must be free, and returns the end; nothing is NUL-terminated. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "formats/text/shortest_float.h"
#include <quern/graph.h>

#define QN_MAX_NUMBER_TEXT 40

/* The eight decimal digits of `value` < 10^8, one a byte, the first in the lowest: divisions by
 * 10000, 100 and 10 as multiplications, in 2, then 4, then 8 lanes of one register. */
static inline uint64_t qn_digits_of_eight(uint32_t value) {
  uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
  uint64_t top = ((halves * 10486) >> 20) & UINT64_C(0x0000007F0000007F);
  uint64_t pairs = top + ((halves - 100 * top) << 16);
  uint64_t tens = ((pairs * 103) >> 10) & UINT64_C(0x000F000F000F000F);
  return tens + ((pairs - 10 * tens) << 8);
}

static inline void qn_store_bytes(char *p, uint64_t bytes) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  bytes = __builtin_bswap64(bytes);
#endif
  memcpy(p, &bytes, sizeof bytes);
}

/* Of a value below 10^8. */
static inline char *qn_put_short_u64(char *p, uint32_t value) {
  uint64_t digits = qn_digits_of_eight(value);
  unsigned zeros = value ? (unsigned)__builtin_ctzll(digits) / 8 : 7;
  qn_store_bytes(p, (digits + UINT64_C(0x3030303030303030)) >> (8 * zeros));
  return p + (8 - zeros);
}

char *qn_put_long_u64(char *p, uint64_t value);

static inline char *qn_put_u64(char *p, uint64_t value) {
  return __builtin_expect(value < 100000000, 1) ? qn_put_short_u64(p, (uint32_t)value)
                                                : qn_put_long_u64(p, value);
}

/* The shortest decimal text that reads back as the same f32 (whole numbers below 2^24 in full),
 * always with a '.' or an exponent, so that it reads back as a real number. `value` is finite. */
char *qn_put_f32(char *p, float value);

/* The same for f64, whole numbers below 2^53 in full. */
char *qn_put_f64(char *p, double value);

char *qn_put_i64(char *p, int64_t value);

/* The texts of reals that follow each other, prepared many at a time: half the work. */
struct qn_real_texts {
  const float *reals;
  uint64_t end;   /* of the reals */
  uint64_t begin; /* of the block that is prepared */
  float values[QN_DECIMALS];
  uint32_t first[QN_DECIMALS], low[QN_DECIMALS], high[QN_DECIMALS]; /* nine digits of each */
  int32_t whole[QN_DECIMALS];
};

/* Prepare the block that begins with real `edge`. */
void qn_real_texts_move(struct qn_real_texts *texts, uint64_t edge);
/* As qn_put_f32 of real `i` of the block. */
char *qn_real_texts_put(const struct qn_real_texts *texts, char *p, uint64_t i);

/* The weights of edges [0, end), to be written in ascending order. */
struct qn_weight_texts {
  struct qn_weights weights;
  struct qn_real_texts real; /* of f32 */
};

static inline void qn_weight_texts_begin(struct qn_weight_texts *texts,
                                         const struct qn_weights *weights, uint64_t end) {
  texts->weights = *weights;
  texts->real.reals = weights->f32;
  texts->real.end = end;
  texts->real.begin = UINT64_MAX - QN_DECIMALS;
}

/* The weight of edge `edge`; nothing if there are no weights. */
static inline char *qn_put_weight(char *p, struct qn_weight_texts *texts, uint64_t edge) {
  switch (texts->weights.type) {
  case QN_WEIGHT_U32:
    return qn_put_u64(p, texts->weights.u32[edge]);
  case QN_WEIGHT_I64:
    return qn_put_i64(p, texts->weights.i64[edge]);
  case QN_WEIGHT_F64:
    return qn_put_f64(p, texts->weights.f64[edge]);
  case QN_WEIGHT_F32:
    if (edge - texts->real.begin >= QN_DECIMALS)
      qn_real_texts_move(&texts->real, edge);
    return qn_real_texts_put(&texts->real, p, edge - texts->real.begin);
  default:
    return p;
  }
}
