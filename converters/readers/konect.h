/* What KONECT's lists say of themselves in their first line: "% sym unweighted". */
#ifndef QN_CONVERTERS_READERS_KONECT_H
#define QN_CONVERTERS_READERS_KONECT_H

#include <stdbool.h>
#include <string.h>

#include "converters/parse/reader.h"

/* Is this one of the words of the first line, "% asym positive"? */
static inline bool qn_konect_has_word(const char *head, uint64_t bytes, const char *word) {
  static const char *const kinds[] = {"sym", "asym", "bip"};
  const char *newline = (const char *)memchr(head, '\n', bytes);
  const char *p = head + 1, *end = newline ? newline : head + bytes;
  bool is_konect = false, found = false;
  if (bytes < 6 || *head != '%')
    return false;
  for (int at = 0; p < end; at++) {
    while (p < end && strchr(" \t\r", *p))
      p++;
    const char *begin = p;
    while (p < end && !strchr(" \t\r", *p))
      p++;
    const uint64_t length = (uint64_t)(p - begin);
    for (int i = 0; i < 3 && at == 0; i++)
      is_konect |= length == strlen(kinds[i]) && memcmp(begin, kinds[i], length) == 0;
    found |= length == strlen(word) && memcmp(begin, word, length) == 0;
  }
  return is_konect && found;
}

/* Are edges undirected, each listed once? Where the line is no comment it says nothing. */
static inline bool qn_konect_is_symmetric(const char *head, uint64_t bytes,
                                          const struct qn_read_options *options) {
  const char *comments = options->text.comments;
  return bytes >= 6 && memcmp(head, "% sym", 5) == 0 && strchr(" \t\r\n", head[5]) &&
         (!comments || strchr(comments, '%'));
}

/* Do the ends number two kinds of vertices, each from 1? */
static inline bool qn_konect_is_bipartite(const char *head, uint64_t bytes) {
  return bytes >= 6 && memcmp(head, "% bip ", 6) == 0;
}

/* QN_UNSUPPORTED if rows are no edges: those of dynamic networks are events. */
static inline enum qn_status qn_konect_check(const char *head, uint64_t bytes,
                                             const struct qn_read_options *options,
                                             struct qn_error *error) {
  if (!qn_konect_has_word(head, bytes, "dynamic") || options->source_column)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "edges come and go in this network (KONECT: dynamic): a row with 1 adds its edge, "
                 "one with -1 takes it away; --columns=1,2,3 takes all rows as edges");
}

#endif
