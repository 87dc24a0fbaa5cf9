/* What KONECT's lists say of themselves in their first line: "% sym unweighted". */
#ifndef QN_CONVERTERS_READERS_KONECT_H
#define QN_CONVERTERS_READERS_KONECT_H

#include <string.h>

#include "converters/parse/reader.h"

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

#endif
