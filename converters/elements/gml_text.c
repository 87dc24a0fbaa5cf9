#include "converters/elements/gml_text.h"

#include <stdbool.h>
#include <string.h>

#include "support/json_text.h"

/* The code in [p, end), which is "#252" or "#xfc"; false if it is none. */
static bool parse_code(const char *p, const char *end, uint32_t *code) {
  bool hexadecimal = end - p > 2 && (p[1] == 'x' || p[1] == 'X');
  uint32_t base = hexadecimal ? 16 : 10;
  p += hexadecimal ? 2 : 1;
  *code = 0;
  if (p == end)
    return false;
  for (; p < end; p++) {
    uint32_t digit = *p >= '0' && *p <= '9'                  ? (uint32_t)(*p - '0')
                     : hexadecimal && *p >= 'a' && *p <= 'f' ? (uint32_t)(*p - 'a' + 10)
                     : hexadecimal && *p >= 'A' && *p <= 'F' ? (uint32_t)(*p - 'A' + 10)
                                                             : base;
    if (digit == base || *code > 0x10ffff)
      return false;
    *code = *code * base + digit;
  }
  return *code > 0 && qn_utf8_has(*code);
}

static bool find_entity(const char *p, const char *end, uint32_t *code) {
  static const struct {
    const char *name;
    uint32_t code;
  } entities[] = {{"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}};
  if (p < end && *p == '#')
    return parse_code(p, end, code);
  for (unsigned i = 0; i < sizeof entities / sizeof *entities; i++)
    if ((size_t)(end - p) == strlen(entities[i].name) &&
        memcmp(p, entities[i].name, (size_t)(end - p)) == 0)
      return *code = entities[i].code, true;
  return false;
}

uint64_t qn_gml_text_decode(char *text, uint64_t length) {
  enum { LONGEST = 10 };
  const char *end = text + length;
  char *to = text;
  for (const char *p = text; p < end;) {
    uint64_t left = (uint64_t)(end - p);
    uint32_t code;
    const char *semicolon = *p == '&' ? memchr(p, ';', left < LONGEST ? left : LONGEST) : NULL;
    if (semicolon && find_entity(p + 1, semicolon, &code)) {
      to = qn_utf8_put(to, code);
      p = semicolon + 1;
    } else {
      *to++ = *p++;
    }
  }
  return (uint64_t)(to - text);
}
