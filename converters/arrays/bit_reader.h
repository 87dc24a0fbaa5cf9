/* Instantaneous codes of natural numbers in a stream of bits, the most significant first: unary,
 * gamma, delta [Elias, 1975], Golomb [1966], zeta [Boldi and Vigna, "Codes for the World-Wide Web",
 * 2005] and nibbles. Reading beyond the end, or a code of a number beyond 64 bits, is a failure, of
 * which qn_bits_failed tells; numbers read after it mean nothing, and counts that come from them
 * must be bounded by other means. Beyond the end all bits are 0, which no code has many of: loops
 * of codes see `fault` soon. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <quern/inline.h>

struct qn_bits {
  const char *data;
  uint64_t bytes;
  uint64_t at; /* bit */
  bool fault;
};

enum qn_bit_code {
  QN_CODE_UNARY,
  QN_CODE_GAMMA,
  QN_CODE_DELTA,
  QN_CODE_ZETA,
  QN_CODE_NIBBLE,
  QN_CODE_GOLOMB
};

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
}

static inline bool qn_bits_failed(const struct qn_bits *bits) {
  return bits->fault || bits->at > 8 * bits->bytes;
}

/* Is nothing left but zeros, which fill the last byte or the last word? */
static inline bool qn_bits_are_over(const struct qn_bits *bits) {
  if (8 * bits->bytes - bits->at >= 128)
    return false;
  struct qn_bits rest = *bits;
  for (; rest.at < 8 * rest.bytes; rest.at += 8)
    if (qn_bits_peek(&rest) >> 56)
      return false;
  return true;
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

/* The number of zeros before a one, where they are many. */
static inline uint64_t qn_bits_unary_long(struct qn_bits *bits) {
  for (uint64_t zeros = 0;; zeros += QN_BITS_PEEKED) {
    uint64_t word = qn_bits_peek(bits);
    if (word >> (64 - QN_BITS_PEEKED)) {
      unsigned more = (unsigned)__builtin_clzll(word);
      qn_bits_skip(bits, more + 1);
      return zeros + more;
    }
    qn_bits_skip(bits, QN_BITS_PEEKED);
    bits->fault |= bits->at > 8 * bits->bytes;
    if (bits->fault)
      return 0;
  }
}

/* The binary number whose most significant bit, of value 2^`log`, is implied, less 1. */
static inline uint64_t qn_bits_below(struct qn_bits *bits, uint64_t log) {
  bits->fault |= log > 63;
  return log > 63 ? 0 : ((uint64_t)1 << log | qn_bits_read(bits, (unsigned)log)) - 1;
}

/* ---- Rare codes ------------------------------------------------------------ */

/* Long ones are read by functions that get a copy, so that the place of common ones may stay in a
 * register. */
static __attribute__((noinline, cold, unused)) struct qn_bits
qn_bits_rare_unary(struct qn_bits bits, uint64_t *number) {
  *number = qn_bits_unary_long(&bits);
  return bits;
}

static __attribute__((noinline, cold, unused)) struct qn_bits
qn_bits_rare_gamma(struct qn_bits bits, uint64_t *number) {
  *number = qn_bits_below(&bits, qn_bits_unary_long(&bits));
  return bits;
}

/* The number is in the interval that is so many powers of 2^`shrink` from 1. */
static __attribute__((noinline, cold, unused)) struct qn_bits
qn_bits_rare_zeta(struct qn_bits bits, unsigned shrink, uint64_t *number) {
  uint64_t interval = qn_bits_unary_long(&bits);
  *number = 0;
  if (interval > 63 || interval * shrink + shrink - 1 > 63) {
    bits.fault = true;
    return bits;
  }
  uint64_t left = (uint64_t)1 << interval * shrink;
  uint64_t value = qn_bits_read(&bits, (unsigned)(interval * shrink + shrink - 1));
  *number = value < left ? value + left - 1 : (value << 1 | qn_bits_read(&bits, 1)) - 1;
  return bits;
}

/* ---- Codes ----------------------------------------------------------------- */

/* The number of zeros before a one. */
QN_ALWAYS_INLINE uint64_t qn_bits_unary(struct qn_bits *bits) {
  uint64_t word = qn_bits_peek(bits), number;
  if (__builtin_expect(word >> (64 - QN_BITS_PEEKED) == 0, 0)) {
    *bits = qn_bits_rare_unary(*bits, &number);
    return number;
  }
  number = (uint64_t)__builtin_clzll(word);
  qn_bits_skip(bits, number + 1);
  return number;
}

QN_ALWAYS_INLINE uint64_t qn_bits_gamma(struct qn_bits *bits) {
  uint64_t word = qn_bits_peek(bits), number;
  if (__builtin_expect(word >> 35 == 0, 0)) { /* not all of it is at hand */
    *bits = qn_bits_rare_gamma(*bits, &number);
    return number;
  }
  unsigned zeros = (unsigned)__builtin_clzll(word);
  qn_bits_skip(bits, 2 * zeros + 1);
  return (word << zeros >> (63 - zeros)) - 1;
}

QN_ALWAYS_INLINE uint64_t qn_bits_delta(struct qn_bits *bits) {
  return qn_bits_below(bits, qn_bits_gamma(bits));
}

/* `shrink` is the k of zeta_k, 1 to 63. Which of the two lengths of an interval a number has cannot
 * be predicted, so there is no branch for it. */
QN_ALWAYS_INLINE uint64_t qn_bits_zeta(struct qn_bits *bits, unsigned shrink) {
  uint64_t word = qn_bits_peek(bits);
  unsigned interval = word ? (unsigned)__builtin_clzll(word) : 64;
  unsigned more = interval * shrink + shrink; /* bits behind the one, of the longer ones */
  if (__builtin_expect(interval + 1 + more > QN_BITS_PEEKED, 0)) {
    uint64_t number;
    *bits = qn_bits_rare_zeta(*bits, shrink, &number);
    return number;
  }
  uint64_t left = (uint64_t)1 << (more - shrink);
  uint64_t longer = word << (interval + 1) >> (64 - more), shorter = longer >> 1;
  bool is_short = shorter < left;
  qn_bits_skip(bits, interval + 1 + more - is_short);
  return (is_short ? shorter + left : longer) - 1;
}

/* Quotient, in unary code, and remainder by `modulus`, which is not 0, in minimal binary code: the
 * lower ones take a bit less. */
static inline uint64_t qn_bits_golomb(struct qn_bits *bits, unsigned modulus) {
  uint64_t quotient = qn_bits_unary(bits);
  unsigned log = 31 - (unsigned)__builtin_clz(modulus);
  uint64_t num_short = ((uint64_t)2 << log) - modulus, rest = qn_bits_read(bits, log);
  if (rest >= num_short)
    rest = (rest << 1 | qn_bits_read(bits, 1)) - num_short;
  bits->fault |= quotient >> 32 != 0;
  return quotient * modulus + rest;
}

/* Digits of three bits, the last of which follows a one. */
static inline uint64_t qn_bits_nibble(struct qn_bits *bits) {
  uint64_t value = 0, digit;
  do {
    digit = qn_bits_read(bits, 4);
    bits->fault |= value >> 61 != 0 || bits->at > 8 * bits->bytes;
    value = value << 3 | (digit & 7);
  } while (digit < 8 && !bits->fault);
  return value;
}

QN_ALWAYS_INLINE uint64_t qn_bits_code(struct qn_bits *bits, enum qn_bit_code code,
                                       unsigned shrink) {
  switch (code) {
  case QN_CODE_UNARY:
    return qn_bits_unary(bits);
  case QN_CODE_GAMMA:
    return qn_bits_gamma(bits);
  case QN_CODE_DELTA:
    return qn_bits_delta(bits);
  case QN_CODE_ZETA:
    return qn_bits_zeta(bits, shrink);
  case QN_CODE_GOLOMB:
    return qn_bits_golomb(bits, shrink);
  default:
    return qn_bits_nibble(bits);
  }
}
