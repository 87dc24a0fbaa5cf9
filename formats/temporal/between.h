/* The graph of the edges of a time: those whose property, a date, a time or a number, lies in a
 * range. */
#pragma once

#include "support/options.h"
#include <quern/container.h>
#include <quern/properties.h>

/* "between", "time": of this. Their group in a tool's help. */
#define QN_BETWEEN_GROUP 22
extern const struct qn_setting qn_between_settings[];

struct qn_between {
  const char *range;    /* FIRST,LAST, both inclusive, either of which may be empty; NULL: all */
  const char *property; /* of edges; NULL: the only one that is a date or a time */
};

static inline bool qn_between_is_asked(const struct qn_between *between) {
  return between->range != NULL;
}

/* When all is said: QN_USAGE if some of it cannot be combined. */
enum qn_status qn_between_settle(const struct qn_between *between, struct qn_error *error);

/* Which column is a date, a time or an integer called so, or, of NULL, the only date or time. */
enum qn_status qn_time_property_find(const struct qn_property_table *table, const char *wanted,
                                     uint32_t *found, struct qn_error *error);

/* A container without a name, in temporary disk space or memory, that has the vertices of
 * `container`, mapped, of any layout, and its edges of that time, those without one not; with
 * `values` their properties, too. Where there is an index by that property (time_index.h) little
 * else is read. QN_USAGE if there is no such property, or the range is none of its type. */
enum qn_status qn_between_pick(const struct qn_between *between, struct qn_container *container,
                               bool values, struct qn_container **made, struct qn_error *error);
/* Put that in place of `*container`, if it is asked for. On failure it stays as it is. */
enum qn_status qn_between_apply(const struct qn_between *between, struct qn_container **container,
                                bool values, struct qn_error *error);
