/* Which weights a graph has, and how packed rows store them in the fewest bytes (specs/packed.md,
 * "Weights"). */
#pragma once

#include <quern/packed.h>

/* Zeroed: plain. */
struct qn_weight_coding {
  enum qn_packed_weights kind;
  unsigned bits; /* of a code */
  unsigned weight_bytes;
  uint32_t num_values;
  uint64_t *values; /* sums: the least and the greatest; dictionary: all, ascending */
  uint64_t *slots;  /* [num_slots] of a dictionary: the place of a value, and 1; 0: none */
  uint64_t num_slots;
};

/* The coding that takes the fewest bytes. Owned until qn_weight_coding_destroy. */
enum qn_status qn_weight_coding_choose(const struct qn_weights *weights, uint64_t count,
                                       struct qn_weight_coding *coding, struct qn_error *error);
void qn_weight_coding_destroy(struct qn_weight_coding *coding);

/* The values as a section has them. */
void qn_weight_coding_values(const struct qn_weight_coding *coding, void *out);

/* Write the codes of `count` weights, the first of which is that of edge `first`, to the words of
 * all codes, which are zero there. Others may write those before and behind at the same time. */
void qn_weight_coding_write(const struct qn_weight_coding *coding, const void *weights,
                            uint64_t first, uint64_t count, uint32_t *words);
