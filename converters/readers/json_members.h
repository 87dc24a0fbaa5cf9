/* The members of an object of JSON as they are written: jansson has whole numbers of 63 bits only,
 * and reals no longer as they were. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

/* A member; the fields are valid until the next one is taken. */
struct qn_json_member {
  const char *next, *end; /* what of the object is left */
  const char *name;       /* with a NUL behind it; one with a NUL in it is "" */
  const char *text;       /* a string's characters, else the value as it is written; NULL: null */
  uint64_t length;
  bool quoted; /* it is a string, an object or an array */
  json_t *decoded[2];
  char *copy;
};

/* Begin with the object in [begin, end), which jansson has taken. */
void qn_json_members_begin(struct qn_json_member *member, const char *begin, const char *end);
/* False at the end, and without memory, which `*status` says. */
bool qn_json_members_next(struct qn_json_member *member, enum qn_status *status,
                          struct qn_error *error);
void qn_json_members_end(struct qn_json_member *member);

/* json_loadb of any value, but for whole numbers that are too large for it: these become strings if
 * they are `wanted`, as the ids that Quern writes, and else objects, which are no ids and no
 * weights. */
json_t *qn_json_load(const char *text, uint64_t length, bool wanted, json_error_t *fault);
