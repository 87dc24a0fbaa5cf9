/* The codes of bit_reader.h, put into a buffer, and how many bits they take. Several writers may
 * fill neighbouring parts of one buffer, which is all zeros to begin with: they or their bits into
 * the bytes that they share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct qn_bit_writer {
  uint8_t *bytes; /* where the word under way goes */
  uint64_t word;  /* its bits so far, at the upper end */
  unsigned used;  /* how many, below 64 */
  bool shared;    /* its first byte has others' bits, too */
};

/* Begin at bit `at` of a buffer. It is filled up to the last bit that is put, not beyond. */
static inline struct qn_bit_writer qn_bit_writer_at(uint8_t *buffer, uint64_t at) {
  return (struct qn_bit_writer){buffer + at / 8, 0, (unsigned)(at % 8), at % 8 != 0};
}

static inline void qn_bit_writer_or(uint8_t *byte, uint64_t bits) {
  __atomic_fetch_or(byte, (uint8_t)bits, __ATOMIC_RELAXED);
}

/* A word is full. */
static inline void qn_bit_writer_store(struct qn_bit_writer *writer) {
  uint64_t word = writer->word;
#if __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  if (writer->shared) {
    qn_bit_writer_or(writer->bytes, writer->word >> 56);
    memcpy(writer->bytes + 1, (const uint8_t *)&word + 1, 7);
    writer->shared = false;
  } else {
    memcpy(writer->bytes, &word, 8);
  }
  writer->bytes += 8;
}

/* After the last bit. */
static inline void qn_bit_writer_end(struct qn_bit_writer *writer) {
  for (unsigned i = 0; i < writer->used; i += 8)
    qn_bit_writer_or(writer->bytes + i / 8, writer->word >> (56 - i));
}

/* The `count` bits of `value`, 1 to 64; those above are zeros. */
static inline void qn_bit_writer_put(struct qn_bit_writer *writer, uint64_t value, unsigned count) {
  unsigned room = 64 - writer->used;
  if (count < room) {
    writer->word |= value << (room - count);
    writer->used += count;
    return;
  }
  writer->word |= value >> (count - room);
  qn_bit_writer_store(writer);
  writer->used = count - room;
  writer->word = writer->used ? value << (64 - writer->used) : 0;
}

/* ---- Codes ---------------------------------------------------------------- */

static inline unsigned qn_bits_log(uint64_t number) {
  return 63 - (unsigned)__builtin_clzll(number);
}

/* All but unary codes are of numbers below 2^63. */
static inline uint64_t qn_unary_bits(uint64_t number) {
  return number + 1;
}

static inline void qn_put_unary(struct qn_bit_writer *writer, uint64_t number) {
  for (; number >= 64; number -= 64)
    qn_bit_writer_put(writer, 0, 64);
  qn_bit_writer_put(writer, 1, (unsigned)number + 1);
}

static inline uint64_t qn_gamma_bits(uint64_t number) {
  return 2 * qn_bits_log(number + 1) + 1;
}

static inline void qn_put_gamma(struct qn_bit_writer *writer, uint64_t number) {
  unsigned log = qn_bits_log(number + 1);
  if (log >= 32) {
    qn_bit_writer_put(writer, 0, log);
    qn_bit_writer_put(writer, number + 1, log + 1);
  } else {
    qn_bit_writer_put(writer, number + 1, 2 * log + 1);
  }
}

/* `shrink` is the k of zeta_k: of the numbers whose logarithms, less 1 in their number, are in
 * [interval * k, interval * k + k) the lower ones take a bit less. */
static inline uint64_t qn_zeta_bits(uint64_t number, unsigned shrink) {
  unsigned log = qn_bits_log(number + 1), interval = log / shrink;
  return interval + 1 + (interval + 1) * shrink - (log == interval * shrink);
}

static inline void qn_put_zeta(struct qn_bit_writer *writer, uint64_t number, unsigned shrink) {
  unsigned log = qn_bits_log(number + 1), interval = log / shrink;
  bool low = log == interval * shrink;
  qn_put_unary(writer, interval);
  unsigned bits = (interval + 1) * shrink - low;
  uint64_t value = number + 1 - ((uint64_t)low << interval * shrink);
  if (bits)
    qn_bit_writer_put(writer, value, bits);
}
