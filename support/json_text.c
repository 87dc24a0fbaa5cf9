#include "support/json_text.h"

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
