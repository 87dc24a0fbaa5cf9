/* Sorting many strings by their bytes, with all threads. Internal to string_map.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <quern/error.h>

/* `prefix` is the first eight bytes, the first one highest, with zeros behind what is shorter; it
 * decides most comparisons. `name` is NULL if that is all, else a u32 length and the bytes. */
struct qn_string {
  uint64_t prefix;
  const char *name;
  uint32_t id;
};

static inline uint32_t qn_string_length(const struct qn_string *string) {
  uint32_t length = 8;
  if (string->name)
    memcpy(&length, string->name, sizeof length);
  else if (string->prefix)
    length -= (uint32_t)__builtin_ctzll(string->prefix) / 8;
  return length;
}

/* Its bytes; `room` is for those that lie nowhere else. */
static inline const char *qn_string_bytes(const struct qn_string *string, uint64_t *room) {
  *room = __builtin_bswap64(string->prefix);
  return string->name ? string->name + sizeof(uint32_t) : (const char *)room;
}

/* Of a name of more than eight bytes. */
static inline struct qn_string qn_string_of(const char *name, uint32_t id) {
  uint64_t first;
  memcpy(&first, name + sizeof(uint32_t), sizeof first);
  return (struct qn_string){__builtin_bswap64(first), name, id};
}

/* Of one of at most eight bytes, the first one lowest. */
static inline struct qn_string qn_string_of_short(uint64_t bytes, uint32_t id) {
  return (struct qn_string){__builtin_bswap64(bytes), NULL, id};
}

/* Sort by unsigned bytes, a prefix before what it begins. The strings have no NUL bytes. Takes
 * as much memory again as the array. */
enum qn_status qn_strings_sort(struct qn_string *strings, uint64_t count, struct qn_error *error);
