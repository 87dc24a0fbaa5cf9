/* Columns whose values come from those of several tables: what files of one type say together, what
 * types say together. */
#pragma once

#include <quern/properties.h>

/* Value `record` of table `source`: up to 2^24 tables of up to 2^40 - 1 values each. QN_NO_RECORD
 * is a null in every column. */
#define QN_PICK_BITS 40
static inline uint64_t qn_pick(uint32_t source, uint64_t record) {
  return (uint64_t)source << QN_PICK_BITS | record;
}
static inline uint32_t qn_pick_source(uint64_t pick) {
  return (uint32_t)(pick >> QN_PICK_BITS);
}
static inline uint64_t qn_pick_record(uint64_t pick) {
  return pick & (((uint64_t)1 << QN_PICK_BITS) - 1);
}

/* A table that values are picked from. */
struct qn_gather_table {
  const struct qn_property_table *table; /* verified and checked; NULL: nothing is picked from it */
  const char *without;                   /* the column that is left out; NULL: none is */
  bool drops_nulls; /* a column of it without a value among those picked is left out, unless
                       another table keeps it */
  const char *file; /* for messages */
};

/* The columns of all tables [num_tables], by name, in the order of the first that has each: value i
 * is that of picks[i] [count], null where its table has no such column. QN_INVALID if two tables
 * have a column of one name and two types; `what` is what the columns are of, for the message.
 * Owned until qn_gathered_release. */
enum qn_status qn_properties_gather(const struct qn_gather_table *tables, uint32_t num_tables,
                                    const uint64_t *picks, uint64_t count, const char *what,
                                    struct qn_property_table *out, struct qn_error *error);
/* A zeroed table is allowed. */
void qn_gathered_release(struct qn_property_table *table);
