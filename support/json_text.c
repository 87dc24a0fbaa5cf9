#include "support/json_text.h"

#include <stdio.h>
#include <string.h>

#include "support/memory.h"

json_t *qn_json_text(const char *text) {
  json_t *string = json_string(text);
  size_t bytes = strlen(text) + 1;
  char *ascii;
  if (string || qn_alloc(&ascii, bytes, 1, "a name", NULL))
    return string;
  for (size_t i = 0; i < bytes; i++)
    ascii[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
  string = json_string(ascii);
  qn_free(ascii);
  return string;
}

json_t *qn_json_name(const char *name, uint64_t length) {
  static const char mark[] = "\xef\xbf\xbd";
  enum { LONGEST = 4 }; /* of a byte's texts */
  json_t *string = json_stringn(name, length);
  char *escaped;
  if (string || qn_alloc(&escaped, sizeof mark + LONGEST * length, 1, "a name", NULL))
    return string;
  char *out = escaped + sprintf(escaped, "%s", mark);
  for (uint64_t i = 0; i < length; i++)
    if (name[i] == '\\')
      out += sprintf(out, "\\\\");
    else if ((unsigned char)name[i] < 0x80)
      *out++ = name[i];
    else
      out += sprintf(out, "\\x%02x", (unsigned char)name[i]);
  string = json_stringn(escaped, (size_t)(out - escaped));
  qn_free(escaped);
  return string;
}
