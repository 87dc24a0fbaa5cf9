/* Weights in lines of text. */
#pragma once

#include "converters/build/build.h"
#include "converters/parse/text_lines.h"

/* Parse a weight that obeys `wanted`; false if it is none, and `fault` says why. One that is
 * rounded is noted in `list`. */
#define QN_FAULT_BYTES 384
bool qn_parse_wanted_weight(enum qn_weight_choice wanted, struct qn_edge_list *list,
                            const char *field, const char *field_end, enum qn_weight_type *type,
                            uint64_t *bits, char fault[QN_FAULT_BYTES]);

/* As a field of a line; rejects the line and returns false if it is none. */
bool qn_text_weight(struct qn_text_part *part, enum qn_weight_choice wanted, const char *line,
                    const char *field, const char *field_end, enum qn_weight_type *type,
                    uint64_t *bits);
