#include "formats/text/dictionary.h"

#include <stddef.h>
#include <string.h>

static const char *skip_space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  return p;
}

/* Behind the string that opens at `p`; NULL if it is not closed. */
static const char *skip_string(const char *p, const char *end) {
  char quote = *p++;
  for (; p < end && *p != quote; p++)
    p += *p == '\\' && p + 1 < end;
  return p < end ? p + 1 : NULL;
}

/* Behind a key or a value: at the next ':', ',' or bracket that is outside of all in it. */
static const char *skip_item(const char *p, const char *end) {
  int depth = 0;
  while (p < end) {
    bool opens = *p == '{' || *p == '[' || *p == '(', closes = *p == '}' || *p == ']' || *p == ')';
    if (depth == 0 && (closes || *p == ',' || *p == ':'))
      return p;
    depth += opens - closes;
    p = *p == '\'' || *p == '"' ? skip_string(p, end) : p + 1;
    if (!p)
      return NULL;
  }
  return NULL;
}

static const char *trim(const char *begin, const char *end) {
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  return end;
}

bool qn_dictionary_weight(const char *begin, const char *end, const char **weight,
                          const char **weight_end) {
  static const char key[] = "weight";
  enum { LENGTH = sizeof key - 1 };
  *weight = *weight_end = NULL;
  if (begin == end || *begin != '{')
    return false;
  const char *p = skip_space(begin + 1, end);
  while (p < end && *p != '}') {
    const char *name = p, *colon = skip_item(p, end);
    if (!colon || *colon != ':')
      return false;
    const char *value = skip_space(colon + 1, end), *after = skip_item(value, end);
    if (!after || (*after != ',' && *after != '}'))
      return false;
    if (trim(name, colon) - name == LENGTH + 2 && memcmp(name + 1, key, LENGTH) == 0) {
      *weight = value;
      *weight_end = trim(value, after);
    }
    p = *after == ',' ? skip_space(after + 1, end) : after;
  }
  return p + 1 == end;
}
