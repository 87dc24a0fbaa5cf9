/* Sizes of parts that grow by one at a time, and of a set of parts those that have the least. */
#pragma once

#include <stdint.h>

#include <quern/error.h>
#include <quern/inline.h>

/* So many sizes, from the least on, have a level; so many of these are looked at at once. */
enum { QN_PART_LEVELS = 64, QN_PART_LEVELS_AT_ONCE = 8 };

struct qn_part_levels {
  uint64_t num_parts; /* at least 1 */
  unsigned num_words; /* that a set of parts takes */
  uint64_t *of;       /* [num_parts] */
  uint64_t least, most;
  /* [2 * QN_PART_LEVELS][num_words] The parts that have size s or less, for each s from the least
   * on, at s % QN_PART_LEVELS and QN_PART_LEVELS further, so that those of sizes that follow each
   * other do, too. */
  uint64_t *bits;
};

/* All have nothing. Owned until destroy, which takes zeroed ones, too. */
enum qn_status qn_part_levels_create(uint64_t num_parts, struct qn_part_levels *levels,
                                     struct qn_error *error);
void qn_part_levels_destroy(struct qn_part_levels *levels);
/* The least has grown by one: another size has a level. */
void qn_part_levels_rise(struct qn_part_levels *levels);

/* The parts with size `least + i` or less; the levels after it follow. */
static inline const uint64_t *qn_part_level(const struct qn_part_levels *levels, unsigned i) {
  return levels->bits + (levels->least + i) % QN_PART_LEVELS * levels->num_words;
}

static inline void qn_part_levels_add(struct qn_part_levels *levels, uint32_t part) {
  const uint64_t size = levels->of[part]++, bit = UINT64_C(1) << part % 64;
  levels->most += size == levels->most;
  if (size - levels->least >= QN_PART_LEVELS)
    return;
  uint64_t *word = levels->bits + size % QN_PART_LEVELS * levels->num_words + part / 64;
  const uint64_t left = *word & ~bit;
  *word = left;
  word[(uint64_t)QN_PART_LEVELS * levels->num_words] = left;
  if (size == levels->least && !left)
    qn_part_levels_rise(levels);
}

/* The first of the parts that have least. */
QN_ALWAYS_INLINE uint32_t qn_part_levels_first(const struct qn_part_levels *levels) {
  const uint64_t *level = qn_part_level(levels, 0);
  unsigned word = 0;
  while (!level[word])
    word++;
  return 64 * word + (uint32_t)__builtin_ctzll(level[word]);
}

/* In which level of one word is a part of this set first? All are looked at, as which it is cannot
 * be foretold. */
QN_ALWAYS_INLINE unsigned qn_part_levels_count(const uint64_t *levels, uint64_t set) {
  unsigned count = 0;
  for (unsigned i = 0; i < QN_PART_LEVELS_AT_ONCE; i++)
    count += (levels[i] & set) == 0;
  return count;
}
