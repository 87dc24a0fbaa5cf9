/* Weights of packed rows that are stored as codes (specs/packed.md, "Weights"), for what reads them
 * and what writes them. */
#pragma once

#include <string.h>

#include "formats/layouts/packed_sections.h"
#include <quern/packed.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_PACKED_VALUES "weight_values"

/* The bits that the numbers up to `most` take. */
static inline unsigned qn_packed_bits(uint32_t most) {
  return most ? 32 - (unsigned)__builtin_clz(most) : 0;
}

/* Words of so many codes, and two of zero, so that any can be read as two words. */
static inline uint64_t qn_packed_code_words(uint64_t count, unsigned bits) {
  return count / 32 * bits + (count % 32 * bits + 31) / 32 + 2;
}

/* Code `i`, at most `codes->most`. */
static inline uint32_t qn_packed_weight_code(const struct qn_packed_codes *codes, uint64_t i) {
  const uint64_t bit = i * codes->bits;
  uint64_t bytes; /* from the one on in which it begins */
  memcpy(&bytes, (const char *)codes->words + bit / 8, sizeof bytes);
  const uint32_t code = (uint32_t)(bytes >> bit % 8 & (((uint64_t)1 << codes->bits) - 1));
  return code < codes->most ? code : codes->most;
}

/* The weights of a direction, plain or not, as parameter 1 says (PK-13, PK-14, G-6). */
enum qn_status qn_packed_weights_view(const struct qn_container *container,
                                      const struct qn_packed_sections *names,
                                      struct qn_packed_rows *rows, struct qn_error *error);

/* PK-9 and PK-15. */
enum qn_status qn_packed_weights_check(const struct qn_container *container,
                                       const struct qn_packed_sections *names,
                                       const struct qn_packed_rows *rows, struct qn_error *error);

/* The bytes that the weights of a direction take, without the values. */
uint64_t qn_packed_weight_bytes(const struct qn_packed_rows *rows);

#ifdef __cplusplus
}
#endif
