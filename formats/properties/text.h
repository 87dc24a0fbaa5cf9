/* UTF-8, character by character. */
#ifndef QN_FORMATS_PROPERTIES_TEXT_H
#define QN_FORMATS_PROPERTIES_TEXT_H

#include <quern/properties.h>

/* The character at `*p`, before `end`, which moves behind it; false if there is none: a long form,
 * a surrogate, beyond U+10FFFF, or cut. */
static inline bool qn_utf8_next(const unsigned char **p, const unsigned char *end,
                                uint32_t *character) {
  const unsigned char *at = *p;
  uint32_t first = *at, value;
  unsigned more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || (uint64_t)(end - at) <= more)
    return false;
  value = more ? first & (0x3fu >> more) : first;
  for (unsigned i = 1; i <= more; i++) {
    if ((at[i] & 0xc0) != 0x80)
      return false;
    value = value << 6 | (at[i] & 0x3f);
  }
  if (value < least[more] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
    return false;
  *p = at + more + 1;
  *character = value;
  return true;
}

#endif
