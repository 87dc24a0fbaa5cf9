/* Names of vertices in tables of text. A name that could be read as something else stands in double
 * quotes, its own quotes doubled (RFC 4180): one with a separator, a quote or a line break in it,
 * one that begins as a comment does or with or ends in a blank, one that elsewhere means that there
 * is no value, or a truth value, and none at all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/ids.h>

/* Bytes that a name of `length` bytes may take: every one may be a quote. */
#define QN_QUOTED_NAME_ROOM(length) (2 * (length) + 2)

/* A word for a value that is missing, in tables of other tools, where it is not in quotes: NULL,
 * \N, NaN, None, in any case. */
bool qn_name_is_missing(const char *name, uint64_t length);

/* Does the name need no quotes? */
bool qn_name_is_plain(const char *name, uint64_t length, char separator);

/* Do all of them need none? Then they may be copied without a look at them. */
bool qn_names_are_plain(const struct qn_ids *ids, char separator);

/* Put the name at `p`, in quotes if it needs them; the end of what was put. */
char *qn_put_quoted_name(char *p, const char *name, uint64_t length, char separator);
