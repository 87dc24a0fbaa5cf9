/* What KONECT's lists say of themselves in their first line: "% sym unweighted". The first word is
 * sym (undirected, each edge listed once), asym or bip (the ends number two kinds of vertices, each
 * from 1). */
#ifndef QN_CONVERTERS_READERS_KONECT_H
#define QN_CONVERTERS_READERS_KONECT_H

#include <stdbool.h>
#include <string.h>

#include "converters/parse/reader.h"

static inline bool qn_konect_is_word(const char *begin, const char *end, const char *word) {
  return (size_t)(end - begin) == strlen(word) && memcmp(begin, word, strlen(word)) == 0;
}

/* Is this one of the words? Where the line is no comment it says nothing. */
static inline bool qn_konect_says(const char *head, uint64_t bytes,
                                  const struct qn_read_options *options, const char *word) {
  const char *newline = (const char *)memchr(head, '\n', bytes), *comments = options->text.comments;
  const char *p = head + 1, *end = newline ? newline : head + bytes;
  bool is_first = true, found = false;
  if (bytes < 2 || *head != '%' || *p != ' ' || (comments && !strchr(comments, '%')))
    return false;
  while (p < end) {
    while (p < end && strchr(" \t\r", *p))
      p++;
    const char *begin = p;
    while (p < end && !strchr(" \t\r", *p))
      p++;
    if (is_first && !qn_konect_is_word(begin, p, "sym") && !qn_konect_is_word(begin, p, "asym") &&
        !qn_konect_is_word(begin, p, "bip"))
      return false;
    is_first = false;
    found |= qn_konect_is_word(begin, p, word);
  }
  return found;
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

#endif
