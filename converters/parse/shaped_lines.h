/* Lines of one shape, many at once: the same marks in all of them (separators, a point, the line's
 * end), and nothing but digits between. The shape is learned from a line; a vector instruction then
 * brings the digits of source, destination and weight of a line to where one multiplication
 * converts them all. Internal to the readers.
 *
 * For processors with AVX-512 VBMI2; on others no line has a shape, and readers go on as they do
 * where lines differ. */
#pragma once

#include "converters/parse/regular_lines.h"
#include "converters/parse/text_lines.h"

/* Lines taken at once, at most. */
#define QN_SHAPED_LINES 256

struct qn_shaped_lines {
  uint32_t count;
  enum qn_weight_type weight_type;
  uint64_t pairs[QN_SHAPED_LINES];   /* source | destination << 32, each of up to 8 digits */
  uint64_t weights[QN_SHAPED_LINES]; /* an array of weight_type, unless that is none */
};

/* Gives how many of the lines it takes, from the first one on: they become edges. */
typedef uint32_t (*qn_shaped_taker)(struct qn_text_part *part, const void *context,
                                    const struct qn_shaped_lines *lines);

/* What lines that have one shape look like: `prefix`, and columns of digits, perhaps in quotes,
 * with one of `separators` between them; the weight may have a point. */
struct qn_line_form {
  const char *prefix, *separators;
  struct qn_regular_columns columns;
  bool quotes; /* numbers may be in quotes */
};

/* Let `take` have the lines from the part's cursor on that have the shape of the first one. Stops
 * at a line that has another, or is not taken, or is too near to the end of what is readable. */
void qn_take_shaped_lines(struct qn_text_part *part, const struct qn_line_form *form,
                          qn_shaped_taker take, const void *context);

/* What takers do where vertices are numbered from 1: push edges whose ends are no more than
 * `sources` and `destinations`; 1 becomes `first_source` and `first_destination`. */
struct qn_numbered_ends {
  uint64_t sources, destinations;
  uint64_t first_source, first_destination;
};
uint32_t qn_push_numbered_lines(struct qn_text_part *part, const struct qn_numbered_ends *ends,
                                const struct qn_shaped_lines *lines);
