/* Sorting many strings by their bytes, with all threads. Internal to string_map.c. */
#ifndef QN_CONVERTERS_TEXT_STRING_SORT_H
#define QN_CONVERTERS_TEXT_STRING_SORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `name` is a u32 length and the bytes; `prefix` its first eight bytes, the first one highest,
 * which decide most comparisons without looking at it. */
struct qn_string {
  uint64_t prefix;
  const char *name;
  uint32_t id;
};

static inline uint32_t qn_string_length(const struct qn_string *string) {
  uint32_t length;
  memcpy(&length, string->name, sizeof length);
  return length;
}

static inline const char *qn_string_bytes(const struct qn_string *string) {
  return string->name + sizeof(uint32_t);
}

static inline struct qn_string qn_string_of(const char *name, uint32_t id) {
  struct qn_string string = {0, name, id};
  uint32_t length = qn_string_length(&string);
  for (uint32_t i = 0; i < 8; i++)
    string.prefix =
        string.prefix << 8 | (i < length ? (unsigned char)qn_string_bytes(&string)[i] : 0);
  return string;
}

/* Sort by unsigned bytes, a prefix before what it begins. The strings have no NUL bytes. Takes
 * as much memory again as the array. */
enum qn_status qn_strings_sort(struct qn_string *strings, uint64_t count, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
