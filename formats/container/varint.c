/* Decoding varints without waiting for each to learn where the next begins: the ends of all in 64
 * bytes are one mask, and a varint of up to eight bytes is one load. */
#include "formats/container/varint.h"
#include <quern/inline.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { BLOCK = 64, WORD = 8 };

static const uint64_t HIGH_BITS = UINT64_C(0x8080808080808080);

QN_ALWAYS_INLINE uint64_t load_word(const uint8_t *in) {
  uint64_t word;
  memcpy(&word, in, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/* Bit i: byte i is the last of a varint. The product gathers eight high bits in its top byte. */
QN_ALWAYS_INLINE uint64_t ends_of_block(const uint8_t *in) {
  uint64_t ends = 0;
  for (unsigned i = 0; i < BLOCK / WORD; i++) {
    uint64_t last = (~load_word(in + WORD * i) & HIGH_BITS) >> 7;
    ends |= (last * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
  }
  return ends;
}

/* The lower seven bits of each of the first `length` bytes, closed up. */
typedef uint64_t (*closer)(uint64_t word, unsigned length);

QN_ALWAYS_INLINE uint64_t close_pairwise(uint64_t word, unsigned length) {
  word &= UINT64_MAX >> (64 - 8 * length) & ~HIGH_BITS;
  word = (word & UINT64_C(0x007F007F007F007F)) | (word & UINT64_C(0x7F007F007F007F00)) >> 1;
  word = (word & UINT64_C(0x00003FFF00003FFF)) | (word & UINT64_C(0x3FFF00003FFF0000)) >> 2;
  return (word & UINT64_C(0x000000000FFFFFFF)) | (word & UINT64_C(0x0FFFFFFF00000000)) >> 4;
}

/* Any varint, byte by byte. NULL past the end, and for more than 64 bits. */
static const uint8_t *get_varint(const uint8_t *in, const uint8_t *end, uint64_t *value) {
  uint64_t result = 0;
  for (unsigned shift = 0; in < end && shift < 64; shift += 7) {
    uint8_t byte = *in++;
    if (shift == 63 && byte > 1)
      return NULL;
    result |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return in;
    }
  }
  return NULL;
}

/* Values are u64 or u32; of the latter, what does not fit is gathered in `excess`. */
QN_ALWAYS_INLINE void put(void *values, bool wide, uint64_t i, uint64_t value, uint64_t *excess) {
  if (wide) {
    ((uint64_t *)values)[i] = value;
  } else {
    ((uint32_t *)values)[i] = (uint32_t)value;
    *excess |= value >> 32;
  }
}

/* The first `count` varints that end in the block at `in`, where one begins; they become values
 * from number `first` on. Reads up to 8 bytes behind the block. */
QN_ALWAYS_INLINE const uint8_t *get_of_block(const uint8_t *in, uint64_t ends, void *values,
                                             bool wide, uint64_t first, uint64_t count,
                                             closer close, uint64_t *excess) {
  unsigned begin = 0;
  for (uint64_t i = first; i < first + count; i++) {
    unsigned next = (unsigned)__builtin_ctzll(ends) + 1, length = next - begin;
    uint64_t value;
    ends &= ends - 1;
    if (__builtin_expect(length <= WORD, 1))
      value = close(load_word(in + begin), length);
    else if (!get_varint(in + begin, in + next, &value))
      return NULL;
    put(values, wide, i, value, excess);
    begin = next;
  }
  return in + begin;
}

/* NULL as below. */
QN_ALWAYS_INLINE const uint8_t *get_varints(const uint8_t *in, const uint8_t *end, void *values,
                                            bool wide, uint64_t count, closer close) {
  uint64_t done = 0, excess = 0;
  while (in && done < count && end - in >= BLOCK + WORD) {
    uint64_t ends = ends_of_block(in), here = (uint64_t)__builtin_popcountll(ends);
    if (here == BLOCK && count - done >= BLOCK) { /* of one byte each */
      for (unsigned i = 0; i < BLOCK; i++)
        put(values, wide, done + i, in[i], &excess);
      in += BLOCK;
    } else {
      here = here < count - done ? here : count - done;
      in = here ? get_of_block(in, ends, values, wide, done, here, close, &excess) : NULL;
    }
    done += here;
  }
  for (; in && done < count; done++) {
    uint64_t value;
    in = get_varint(in, end, &value);
    if (in)
      put(values, wide, done, value, &excess);
  }
  return excess ? NULL : in;
}

#if defined(__x86_64__)
#define WITH_BIT_MANIPULATION __attribute__((target("bmi,bmi2,popcnt")))

WITH_BIT_MANIPULATION static inline uint64_t close_at_once(uint64_t word, unsigned length) {
  return __builtin_ia32_pext_di(__builtin_ia32_bzhi_di(word, 8 * length), ~HIGH_BITS);
}

WITH_BIT_MANIPULATION static const uint8_t *
get_varints_bmi(const uint8_t *in, const uint8_t *end, void *values, bool wide, uint64_t count) {
  return wide ? get_varints(in, end, values, true, count, close_at_once)
              : get_varints(in, end, values, false, count, close_at_once);
}
#endif

static const uint8_t *get_varints_portable(const uint8_t *in, const uint8_t *end, void *values,
                                           bool wide, uint64_t count) {
  return wide ? get_varints(in, end, values, true, count, close_pairwise)
              : get_varints(in, end, values, false, count, close_pairwise);
}

static const uint8_t *dispatch(const uint8_t *in, const uint8_t *end, void *values, bool wide,
                               uint64_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
    return get_varints_bmi(in, end, values, wide, count);
#endif
  return get_varints_portable(in, end, values, wide, count);
}

const uint8_t *qn_get_varints_u64(const uint8_t *in, const uint8_t *end, uint64_t *values,
                                  uint64_t count) {
  return dispatch(in, end, values, true, count);
}

const uint8_t *qn_get_varints_u32(const uint8_t *in, const uint8_t *end, uint32_t *values,
                                  uint64_t count) {
  return dispatch(in, end, values, false, count);
}
