/* Regular lines of numbers, as fast as they can be parsed. Internal to the edge-list reader. */
#pragma once

#include "converters/parse/text_lines.h"

/* What may be between numbers: one of the two, which may be the same. */
struct qn_separators {
  char one, other;
};

/* Parse lines from the part's cursor on that are exactly two or (`weighted`) three whole numbers
 * of up to 16 digits (weights: that fit into u32) with one separator between them and "\n"
 * after; stops at the first line that is anything else, or too near to the end of what is
 * readable. */
void qn_parse_regular_lines(struct qn_text_part *part, bool weighted,
                            struct qn_separators separators);

/* The same for lines of `num_columns` whole numbers, of any length where they are not asked for. */
#define QN_MOST_REGULAR_COLUMNS 16
struct qn_regular_columns {
  uint32_t num_columns;                 /* 2 to QN_MOST_REGULAR_COLUMNS */
  uint32_t source, destination, weight; /* from 0; weight may be none: UINT32_MAX */
  struct qn_separators separators;
};
void qn_parse_regular_columns(struct qn_text_part *part, const struct qn_regular_columns *columns);

/* The same where the weight, which there is, is a real: digits, a point, digits. */
void qn_parse_regular_reals(struct qn_text_part *part, const struct qn_regular_columns *columns);
