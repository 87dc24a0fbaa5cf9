/* Regular lines of numbers, as fast as they can be parsed. Internal to the edge-list reader. */
#ifndef QN_CONVERTERS_READERS_REGULAR_LINES_H
#define QN_CONVERTERS_READERS_REGULAR_LINES_H

#include "converters/text_lines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parse lines from the part's cursor on that are exactly two or (`weighted`) three whole numbers
 * of up to 16 digits (weights: that fit into u32) with one separator between them and "\n"
 * after; stops at the first line that is anything else, or too near to the end of what is
 * readable. */
void qn_parse_regular_lines(struct qn_text_part *part, bool weighted);

#ifdef __cplusplus
}
#endif
#endif
