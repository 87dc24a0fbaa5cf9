/* Which lines of a table are comments: those that begin as one, but for what may be an edge. */
#pragma once

#include "converters/parse/table.h"

/* Two signs that comments begin with, of which no line may begin with one. */
const char *qn_comment_signs(const struct qn_text_choice *choice);

/* Blank lines, too. */
bool qn_is_comment(const char *signs, const char *line, const char *end);

/* Pass over blank lines and comments at the cursor, but for lines that may be edges. */
void qn_table_skip_comments(struct qn_text_part *part, const struct qn_table *table);

/* Is the line blank or a comment? Then it is counted, or rejected if it may be an edge. */
bool qn_table_take_comment(struct qn_text_part *part, const struct qn_table *table,
                           const char *line, const char *end);

/* Refuse a comment in [p, end) that may be an edge, `number` lines from the input's begin.
 * `header`: one is above; `found`: the first edge is below. */
enum qn_status qn_comments_check(struct qn_input *input, const struct qn_table *table, bool header,
                                 bool found, const char *p, const char *end, uint64_t number,
                                 struct qn_error *error);
