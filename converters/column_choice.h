/* --columns: which columns of delimited text hold source, destination and weight. */
#ifndef QN_CONVERTERS_COLUMN_CHOICE_H
#define QN_CONVERTERS_COLUMN_CHOICE_H

#include "converters/reader.h"
#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parse "S,D" or "S,D,W", each a column's number from 1 or its name in the header, into `options`,
 * which keeps pointers into `text`: its commas become NULs. QN_USAGE if it is neither. */
enum qn_status qn_column_choice_parse(char *text, struct qn_read_options *options,
                                      struct qn_error *error);

/* True if a column was chosen by name, and the header has not been seen. */
bool qn_column_choice_pending(const struct qn_read_options *options);

/* Turn chosen names into numbers: the header is [line, end), columns are separated by
 * `separator`, or by blanks if that is ' '. QN_INVALID, naming the columns, if one is not there. */
enum qn_status qn_column_choice_resolve(struct qn_read_options *options, const char *line,
                                        const char *end, char separator, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
