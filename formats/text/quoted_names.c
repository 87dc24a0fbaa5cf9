#include "formats/text/quoted_names.h"

#include <string.h>
#include <strings.h>

/* What would be taken for a comment, a byte order mark, JSON, XML or, as networkx writes them, the
 * data of an edge. */
static bool begins_otherwise(const char *name, uint64_t length) {
  return (*name && strchr("#%{[<", *name)) || (length >= 3 && memcmp(name, "\xef\xbb\xbf", 3) == 0);
}

static bool is_one_of(const char *const *words, const char *name, uint64_t length) {
  for (; *words; words++)
    if (strlen(*words) == length && strncasecmp(*words, name, length) == 0)
      return true;
  return false;
}

bool qn_name_is_missing(const char *name, uint64_t length) {
  static const char *const words[] = {"NULL", "<NULL>", "\\N", "NaN", "<NA>", "None", NULL};
  return length > 0 && strchr("Nn<\\", *name) && is_one_of(words, name, length);
}

/* A word that some tool takes for no name. */
static bool means_otherwise(const char *name, uint64_t length) {
  static const char *const words[] = {"NA", "N/A", "true", "false", NULL};
  return length <= 6 && (qn_name_is_missing(name, length) || is_one_of(words, name, length));
}

bool qn_name_is_plain(const char *name, uint64_t length, char separator) {
  if (length == 0 || *name == ' ' || name[length - 1] == ' ' || begins_otherwise(name, length) ||
      means_otherwise(name, length))
    return false;
  for (uint64_t i = 0; i < length; i++)
    if (name[i] == separator || name[i] == '"' || name[i] == '\n' || name[i] == '\r' ||
        name[i] == '\t')
      return false;
  return true;
}

bool qn_names_are_plain(const struct qn_ids *ids, char separator) {
  uint64_t others = 0;
  if (ids->kind != QN_IDS_STRINGS)
    return true;
#pragma omp parallel for schedule(static) reduction(+ : others)
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    others += !qn_name_is_plain(ids->string_bytes + ids->string_offsets[v],
                                ids->string_offsets[v + 1] - ids->string_offsets[v], separator);
  return others == 0;
}

char *qn_put_quoted_name(char *p, const char *name, uint64_t length, char separator) {
  if (qn_name_is_plain(name, length, separator)) {
    memcpy(p, name, length);
    return p + length;
  }
  *p++ = '"';
  for (uint64_t i = 0; i < length; i++) {
    if (name[i] == '"')
      *p++ = '"';
    *p++ = name[i];
  }
  *p++ = '"';
  return p;
}
