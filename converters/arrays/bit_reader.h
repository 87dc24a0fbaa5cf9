/* Instantaneous codes of natural numbers in a stream of bits, the most significant first: unary,
 * gamma, delta [Elias, 1975], zeta [Boldi and Vigna, "Codes for the World-Wide Web", 2005] and
 * nibbles. Reading beyond the end, or a code of a number beyond 64 bits, sets `fault`; numbers read
 * after it mean nothing, and counts that come from them must be bounded by other means. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct qn_bits {
  const char *data;
  uint64_t bytes;
  uint64_t at; /* bit */
  bool fault;
};

enum qn_bit_code { QN_CODE_UNARY, QN_CODE_GAMMA, QN_CODE_DELTA, QN_CODE_ZETA, QN_CODE_NIBBLE };

/* The next bits, of which the upper 57 at least are those of the stream, or 0 beyond its end. */
#define QN_BITS_PEEKED 57
static inline uint64_t qn_bits_peek(const struct qn_bits *bits) {
  uint64_t byte = bits->at >> 3, word = 0;
  if (bits->bytes >= 8 && byte <= bits->bytes - 8)
    memcpy(&word, bits->data + byte, 8);
  else if (byte < bits->bytes)
    memcpy(&word, bits->data + byte, bits->bytes - byte);
#if __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word << (bits->at & 7);
}

static inline void qn_bits_skip(struct qn_bits *bits, uint64_t count) {
  bits->at += count;
  bits->fault |= bits->at > 8 * bits->bytes;
}

/* `count` bits, at most 64. */
static inline uint64_t qn_bits_read(struct qn_bits *bits, unsigned count) {
  uint64_t high = 0;
  if (count > 32) {
    high = qn_bits_peek(bits) >> 32;
    qn_bits_skip(bits, 32);
    count -= 32;
    high <<= count;
  }
  if (count == 0)
    return high;
  uint64_t low = qn_bits_peek(bits) >> (64 - count);
  qn_bits_skip(bits, count);
  return high | low;
}

/* The number of zeros before a one. */
static inline uint64_t qn_bits_unary(struct qn_bits *bits) {
  for (uint64_t zeros = 0;; zeros += QN_BITS_PEEKED) {
    uint64_t word = qn_bits_peek(bits);
    if (word >> (64 - QN_BITS_PEEKED)) {
      unsigned more = (unsigned)__builtin_clzll(word);
      qn_bits_skip(bits, more + 1);
      return zeros + more;
    }
    qn_bits_skip(bits, QN_BITS_PEEKED);
    if (bits->fault)
      return 0;
  }
}

/* The binary number whose most significant bit, of value 2^`log`, is implied, less 1. */
static inline uint64_t qn_bits_below(struct qn_bits *bits, uint64_t log) {
  bits->fault |= log > 63;
  return log > 63 ? 0 : ((uint64_t)1 << log | qn_bits_read(bits, (unsigned)log)) - 1;
}

static inline uint64_t qn_bits_gamma(struct qn_bits *bits) {
  uint64_t word = qn_bits_peek(bits);
  if (word >> 35) { /* all 57 bits at most are at hand */
    unsigned zeros = (unsigned)__builtin_clzll(word);
    qn_bits_skip(bits, 2 * zeros + 1);
    return (word << zeros >> (63 - zeros)) - 1;
  }
  return qn_bits_below(bits, qn_bits_unary(bits));
}

static inline uint64_t qn_bits_delta(struct qn_bits *bits) {
  return qn_bits_below(bits, qn_bits_gamma(bits));
}

/* `shrink` is the k of zeta_k, 1 to 63. */
static inline uint64_t qn_bits_zeta(struct qn_bits *bits, unsigned shrink) {
  uint64_t interval = qn_bits_unary(bits);
  if (interval > 63 || interval * shrink + shrink - 1 > 63) {
    bits->fault = true;
    return 0;
  }
  uint64_t left = (uint64_t)1 << interval * shrink;
  uint64_t value = qn_bits_read(bits, (unsigned)(interval * shrink + shrink - 1));
  return value < left ? value + left - 1 : (value << 1 | qn_bits_read(bits, 1)) - 1;
}

/* Digits of three bits, the last of which follows a one. */
static inline uint64_t qn_bits_nibble(struct qn_bits *bits) {
  uint64_t value = 0, digit;
  do {
    digit = qn_bits_read(bits, 4);
    bits->fault |= value >> 61 != 0;
    value = value << 3 | (digit & 7);
  } while (digit < 8 && !bits->fault);
  return value;
}

static inline uint64_t qn_bits_code(struct qn_bits *bits, enum qn_bit_code code, unsigned shrink) {
  switch (code) {
  case QN_CODE_UNARY:
    return qn_bits_unary(bits);
  case QN_CODE_GAMMA:
    return qn_bits_gamma(bits);
  case QN_CODE_DELTA:
    return qn_bits_delta(bits);
  case QN_CODE_ZETA:
    return qn_bits_zeta(bits, shrink);
  default:
    return qn_bits_nibble(bits);
  }
}
