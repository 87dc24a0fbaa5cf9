/* What KONECT's lists say of themselves in the first line, which others may have put comments
 * in front of: "% sym unweighted". The first word is sym (undirected, each edge listed once), asym
 * or bip (the ends number two kinds of vertices, each from 1). */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "converters/parse/reader.h"
#include "formats/text/text_fields.h"

static inline bool qn_konect_is_word(const char *begin, const char *end, const char *word) {
  return (size_t)(end - begin) == strlen(word) && memcmp(begin, word, strlen(word)) == 0;
}

/* The words of a line of KONECT's, behind "% "; NULL: it is none. */
static inline const char *qn_konect_words(const char *line, const char *end) {
  const char *p = line + 2, *word;
  if (end - line < 2 || line[0] != '%' || line[1] != ' ')
    return NULL;
  while (p < end && *p == ' ')
    p++;
  for (word = p; p < end && !strchr(" \t\r", *p);)
    p++;
  const bool is_first_word = qn_konect_is_word(word, p, "sym") ||
                             qn_konect_is_word(word, p, "asym") ||
                             qn_konect_is_word(word, p, "bip");
  return is_first_word ? word : NULL;
}

/* Is this one of the words? Where the line is no comment it says nothing. */
static inline bool qn_konect_says(const char *head, uint64_t bytes,
                                  const struct qn_read_options *options, const char *word) {
  struct qn_input_block text = {head, bytes, 0};
  const char *comments = options->text.comments, *line, *end, *p = NULL;
  if (comments && !strchr(comments, '%'))
    return false;
  qn_text_skip_mark(&text);
  while (!p && text.bytes && (*text.data == '#' || *text.data == '%') &&
         qn_text_take_line(&text, &line, &end))
    p = qn_konect_words(line, end);
  while (p && p < end) {
    const char *begin = p;
    while (p < end && !strchr(" \t\r", *p))
      p++;
    if (qn_konect_is_word(begin, p, word))
      return true;
    while (p < end && strchr(" \t\r", *p))
      p++;
  }
  return false;
}

/* QN_UNSUPPORTED if rows are no edges: those of dynamic networks are events. */
static inline enum qn_status qn_konect_check(const char *head, uint64_t bytes,
                                             const struct qn_read_options *options,
                                             struct qn_error *error) {
  if (!qn_konect_says(head, bytes, options, "dynamic") || options->source_column)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "edges come and go in this network (KONECT: dynamic): a row with 1 adds its edge, "
                 "one with -1 takes it away; --columns=1,2,3 takes all rows as edges");
}
