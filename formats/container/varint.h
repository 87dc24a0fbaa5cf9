/* LEB128 varints: seven bits a byte, lowest first, the high bit set on all bytes but the last; at
 * most ten bytes. */
#pragma once

#include <stdint.h>

static inline uint8_t *qn_put_varint(uint8_t *out, uint64_t value) {
  while (value >= 0x80) {
    *out++ = (uint8_t)value | 0x80;
    value >>= 7;
  }
  *out++ = (uint8_t)value;
  return out;
}

/* Decode `count` varints of [in, end) into `values`. Returns where they end; NULL if they reach
 * past `end` or one has more bits than a value. */
const uint8_t *qn_get_varints_u64(const uint8_t *in, const uint8_t *end, uint64_t *values,
                                  uint64_t count);
const uint8_t *qn_get_varints_u32(const uint8_t *in, const uint8_t *end, uint32_t *values,
                                  uint64_t count);
