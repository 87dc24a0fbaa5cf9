/* In which parts each vertex is: a bit for each vertex and part. */
#pragma once

#include <stdint.h>

#include <quern/error.h>
#include <quern/inline.h>

struct qn_replicas {
  uint64_t num_vertices, num_parts;
  unsigned stride;     /* bytes of a vertex: 1, 2, 4 or a multiple of 8 */
  unsigned char *bits; /* little-endian words, of 8 bytes at most */
};

/* None is in any part. Owned until destroy, which takes zeroed ones, too. */
enum qn_status qn_replicas_create(uint64_t num_vertices, uint64_t num_parts,
                                  struct qn_replicas *replicas, struct qn_error *error);
void qn_replicas_destroy(struct qn_replicas *replicas);
/* Bytes that so many take. */
uint64_t qn_replicas_bytes(uint64_t num_vertices, uint64_t num_parts);

/* Words that a vertex takes. */
static inline unsigned qn_replicas_words(const struct qn_replicas *replicas) {
  return (replicas->stride + 7) / 8;
}

/* Parts 64 * word to 64 * word + 63 of a vertex. Written and read in the same width: a wider read
 * would have to wait for the write before it. */
static inline uint64_t qn_replicas_word(const struct qn_replicas *replicas, uint64_t v,
                                        unsigned word) {
  const unsigned char *bits = replicas->bits + v * replicas->stride;
  if (replicas->stride >= 8)
    return ((const uint64_t *)bits)[word];
  if (replicas->stride == 4)
    return *(const uint32_t *)bits;
  return replicas->stride == 2 ? *(const uint16_t *)bits : bits[0];
}

static inline int qn_replicas_has(const struct qn_replicas *replicas, uint64_t v, uint32_t part) {
  return qn_replicas_word(replicas, v, part / 64) >> part % 64 & 1;
}

static inline void qn_replicas_add(struct qn_replicas *replicas, uint64_t v, uint32_t part) {
  unsigned char *bits = replicas->bits + v * replicas->stride;
  const uint64_t bit = UINT64_C(1) << part % 64;
  if (replicas->stride >= 8)
    ((uint64_t *)bits)[part / 64] |= bit;
  else if (replicas->stride == 4)
    *(uint32_t *)bits |= (uint32_t)bit;
  else if (replicas->stride == 2)
    *(uint16_t *)bits |= (uint16_t)bit;
  else
    bits[0] |= (unsigned char)bit;
}

/* Those of a vertex are about to be asked for. */
QN_ALWAYS_INLINE void qn_replicas_prefetch(const struct qn_replicas *replicas, uint64_t v) {
  __builtin_prefetch((const char *)replicas->bits + v * replicas->stride);
}

static inline uint64_t qn_replicas_count(const struct qn_replicas *replicas, uint64_t v) {
  uint64_t count = 0;
  for (unsigned word = 0; word < qn_replicas_words(replicas); word++)
    count += (uint64_t)__builtin_popcountll(qn_replicas_word(replicas, v, word));
  return count;
}
