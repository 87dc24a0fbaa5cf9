#include "converters/parse/comments.h"

#include <string.h>

#include "converters/parse/column_choice.h"
#include "formats/text/text_fields.h"

/* No line begins with these. */
#define NO_SIGNS "\n\n"

const char *qn_comment_signs(const struct qn_text_choice *choice) {
  return !choice->comments ? "#%" : *choice->comments ? choice->comments : NO_SIGNS;
}

bool qn_is_comment(const char *signs, const char *line, const char *end) {
  line = qn_skip_blanks(line, end);
  return line == end || *line == signs[0] || *line == signs[1];
}

/* Said where a line is refused. */
static const char doubt[] =
    "this line begins as a comment, and has columns as the edges have; --comments=none takes such "
    "lines as edges, --comments='#%' passes over them";

/* "#1,b,2" is a comment only if it cannot be an edge: it has not the table's columns, or names
 * them. With blanks between columns or behind the sign, and above the first edge, comments are
 * likelier. `inside`: the line is below the header, or the first edge. */
static bool is_doubtful(const struct qn_table *table, bool inside, const char *line,
                        const char *end) {
  const struct qn_dialect *dialect = &table->dialect;
  const char *text = qn_skip_blanks(line, end) + 1;
  bool close = text < end && !qn_is_blank(*text);
  if (qn_columns_count(line, end, dialect) != table->num_columns ||
      qn_column_header_is_sure(qn_skip_blanks(text, end), end, dialect))
    return false;
  if (dialect->delimiter == ' ') {
    struct qn_column destination = qn_column_at(line, end, dialect, table->destination);
    return table->names && close && qn_column_is_name(&destination);
  }
  if (inside)
    return close || table->names || dialect->delimiter != '\t';
  return close && (table->names || !qn_columns_are_words(text, end, dialect));
}

/* Nothing but comments: may the line be an edge all the same? */
static bool looks_like_edge(const char *line, const char *end) {
  const char *text = qn_skip_blanks(line, end) + 1;
  struct qn_dialect dialect = {.delimiter = qn_first_delimiter(line, end)};
  return text < end && !qn_is_blank(*text) && dialect.delimiter != ' ' &&
         !qn_column_header_is_sure(text, end, &dialect);
}

void qn_table_skip_comments(struct qn_text_part *part, const struct qn_table *table) {
  bool sure = table->signs_said || (table->dialect.delimiter == ' ' && !table->names);
  qn_text_skip_comments(part, sure ? table->signs : NO_SIGNS);
}

bool qn_table_take_comment(struct qn_text_part *part, const struct qn_table *table,
                           const char *line, const char *end) {
  if (!qn_is_comment(table->signs, line, end))
    return false;
  if (!table->signs_said && qn_skip_blanks(line, end) < end && is_doubtful(table, true, line, end))
    qn_text_reject(part, line, line, "%s", doubt);
  else
    part->comments++;
  return true;
}

enum qn_status qn_comments_check(struct qn_input *input, const struct qn_table *table, bool header,
                                 bool found, const char *p, const char *end, uint64_t number,
                                 struct qn_error *error) {
  for (; p < end && !table->signs_said; number++) {
    const char *newline = memchr(p, '\n', (size_t)(end - p)), *line = p;
    const char *line_end = newline ? newline : end;
    p = newline ? newline + 1 : end;
    line_end -= line_end > line && line_end[-1] == '\r';
    if (qn_skip_blanks(line, line_end) < line_end &&
        (header || found ? is_doubtful(table, header, line, line_end)
                         : looks_like_edge(line, line_end))) {
      qn_fail(error, QN_INVALID, "%s", doubt);
      return qn_error_at_line(error, qn_input_name(input), number, 1);
    }
  }
  return QN_OK;
}
