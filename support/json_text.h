/* Names of files and vertices in JSON, JSON where memory runs out, and characters of UTF-8. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

/* `text` as a JSON string (a new reference; NULL if memory runs out). Names need not be UTF-8, JSON
 * must be: in one that is not, bytes that are not ASCII become '?'. */
json_t *qn_json_text(const char *text);
/* The same for what the user named a file: of a URL what may be shown (support/text/url.h). */
json_t *qn_json_path(const char *path);

/* The name of a vertex, `length` bytes, as a JSON string that no other name has: what is not UTF-8
 * begins with U+FFFD; its bytes that are not ASCII are \xNN, and backslashes are doubled. */
json_t *qn_json_name(const char *name, uint64_t length);

/* jansson calls sound text damaged where memory runs out, and leaves out of what it makes what it
 * got no memory for. So its memory is watched, and what lacks any is not used. */

/* From now on; may be called again, by any thread. */
void qn_json_watch_memory(void);

/* QN_SYSTEM if JSON got no memory somewhere in this thread's call of the library
 * (support/context.h). */
enum qn_status qn_json_check_memory(struct qn_error *error);

/* json_loadb, with `*out` NULL for what is no JSON, as `fault` (may be NULL) says; `text` may be
 * NULL if there are no bytes. QN_SYSTEM if memory ran out. */
enum qn_status qn_json_parse(const char *text, uint64_t bytes, size_t flags, json_t **out,
                             json_error_t *fault, struct qn_error *error);

/* ---- UTF-8 ------------------------------------------------------------------ */

/* Is it a character that UTF-8 has: no surrogate, at most U+10FFFF? */
static inline bool qn_utf8_has(uint32_t character) {
  return character <= 0x10ffff && (character < 0xd800 || character > 0xdfff);
}

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
  if (value < least[more] || !qn_utf8_has(value))
    return false;
  *p = at + more + 1;
  *character = value;
  return true;
}

/* Put such a character at `p`, up to four bytes; the end of what was put. */
static inline char *qn_utf8_put(char *p, uint32_t character) {
  static const uint32_t first[] = {0, 0xc0, 0xe0, 0xf0}; /* by how many bytes follow */
  unsigned more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  *p++ = (char)(first[more] | character >> 6 * more);
  while (more-- > 0)
    *p++ = (char)(0x80 | (character >> 6 * more & 0x3f));
  return p;
}
