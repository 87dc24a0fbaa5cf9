/* In which parts each vertex is: a bit for each vertex and part. */
#pragma once

#include <stdint.h>
#include <string.h>

#include <quern/error.h>

struct qn_replicas {
  uint64_t num_vertices, num_parts;
  unsigned stride; /* bytes of a vertex: 1, 2, 4 or a multiple of 8 */
  unsigned char *bits;
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

/* Parts 64 * word to 64 * word + 63 of a vertex. */
static inline uint64_t qn_replicas_word(const struct qn_replicas *replicas, uint64_t v,
                                        unsigned word) {
  const unsigned char *bits = replicas->bits + v * replicas->stride;
  uint64_t value = 0;
  if (replicas->stride >= 8)
    memcpy(&value, bits + (size_t)8 * word, 8);
  else if (replicas->stride == 4)
    memcpy(&value, bits, 4);
  else if (replicas->stride == 2)
    memcpy(&value, bits, 2);
  else
    value = bits[0];
  return value;
}

static inline int qn_replicas_has(const struct qn_replicas *replicas, uint64_t v, uint32_t part) {
  return replicas->bits[v * replicas->stride + part / 8] >> (part % 8) & 1;
}

static inline void qn_replicas_add(struct qn_replicas *replicas, uint64_t v, uint32_t part) {
  replicas->bits[v * replicas->stride + part / 8] |= (unsigned char)(1U << (part % 8));
}

static inline uint64_t qn_replicas_count(const struct qn_replicas *replicas, uint64_t v) {
  uint64_t count = 0;
  for (unsigned word = 0; word < qn_replicas_words(replicas); word++)
    count += (uint64_t)__builtin_popcountll(qn_replicas_word(replicas, v, word));
  return count;
}
