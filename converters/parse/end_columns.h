/* Whether two columns can be the ends of edges, or one of them holds what is said of a vertex:
 * numbers beside names, shares, dates, coordinates. */
#ifndef QN_CONVERTERS_PARSE_END_COLUMNS_H
#define QN_CONVERTERS_PARSE_END_COLUMNS_H

#include <stdbool.h>

#include "converters/parse/delimited.h"
#include "converters/parse/table_sample.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A word for a value that is missing. In quotes it is text. */
bool qn_column_is_missing(const struct qn_column *column);

/* A number, a percentage, an amount of money, a date, a time, or a pair of coordinates. */
bool qn_column_is_value(const struct qn_column *column);

/* A whole number with a zero before it, as postal codes have: 02134 is another id than 2134. */
bool qn_column_is_padded(const struct qn_column *column);

/* Is such a number, or one that only looks like it, anywhere in [begin, end)? */
bool qn_has_padded_numbers(const char *begin, const char *end);

/* QN_INVALID if one of the columns `source` and `destination`, from 0, has nothing but values in
 * all lines of the sample, or nothing but "key=value" with a key of its own, and the ends are not
 * whole numbers on both sides. [line, end) is the first line, for the message. */
enum qn_status qn_check_end_columns(struct qn_sample sample, const struct qn_dialect *dialect,
                                    uint32_t source, uint32_t destination, const char *line,
                                    const char *end, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
