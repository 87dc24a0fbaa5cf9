#include "converters/partition/levels.h"

#include "support/memory.h"

enum { NUM_ROWS = 2 * QN_PART_LEVELS };

static void set_level(struct qn_part_levels *levels, uint64_t size) {
  uint64_t *level = levels->bits + size % QN_PART_LEVELS * levels->num_words;
  uint64_t *same = level + (uint64_t)QN_PART_LEVELS * levels->num_words;
  for (uint64_t part = 0; part < levels->num_parts; part++)
    level[part / 64] |= (uint64_t)(levels->of[part] <= size) << part % 64;
  for (unsigned word = 0; word < levels->num_words; word++)
    same[word] = level[word];
}

enum qn_status qn_part_levels_create(uint64_t num_parts, struct qn_part_levels *levels,
                                     struct qn_error *error) {
  *levels = (struct qn_part_levels){.num_parts = num_parts,
                                    .num_words = (unsigned)((num_parts + 63) / 64)};
  enum qn_status status =
      qn_pages_alloc(&levels->of, num_parts, sizeof *levels->of, "sizes of parts", error);
  if (!status)
    status = qn_pages_alloc(&levels->bits, (uint64_t)NUM_ROWS * levels->num_words,
                            sizeof *levels->bits, "sizes of parts", error);
  for (uint64_t size = 0; size < QN_PART_LEVELS && !status; size++)
    set_level(levels, size);
  return status;
}

void qn_part_levels_destroy(struct qn_part_levels *levels) {
  qn_pages_free(levels->of, levels->num_parts, sizeof *levels->of);
  qn_pages_free(levels->bits, (uint64_t)NUM_ROWS * levels->num_words, sizeof *levels->bits);
  *levels = (struct qn_part_levels){0};
}

/* The level of the size that no part has any more is that of a greater one from now on. */
void qn_part_levels_rise(struct qn_part_levels *levels) {
  const uint64_t *level = qn_part_level(levels, 0);
  for (unsigned word = 0; word < levels->num_words; word++)
    if (level[word])
      return;
  levels->least++;
  set_level(levels, levels->least + QN_PART_LEVELS - 1);
}
