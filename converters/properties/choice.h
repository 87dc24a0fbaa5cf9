/* Which columns of a table become properties, and of what type: what --properties says, and what
 * headers say. */
#pragma once

#include "formats/text/delimited.h"
#include <quern/properties.h>

/* A column of a table that becomes a property. */
struct qn_chosen_column {
  uint32_t column; /* from 0 */
  char name[QN_PROPERTY_NAME_BYTES + 1];
  enum qn_property_type type; /* 0: to be found */
};

struct qn_chosen_columns {
  struct qn_chosen_column *columns;
  uint32_t count;
};

/* What is asked of a table: [header, header_end), cut by `dialect`, is its header (NULL: there is
 * none), and `taken` its columns that are something else, such as ends. `wanted` is "all", or
 * NAME[:TYPE],... (also "all,NAME:TYPE") with numbers from 1 for names where there is no header. In
 * a header a type may stand behind a name, as Neo4j has it: since:long; what it says IGNORE of is
 * left out of "all", and :TYPE and :LABEL are texts with these names. QN_USAGE for a column that is
 * not there, QN_INVALID for names that are none. Given back by qn_chosen_columns_release. */
enum qn_status qn_property_columns_choose(const char *wanted, const char *header,
                                          const char *header_end, const struct qn_dialect *dialect,
                                          uint32_t num_columns, const uint32_t *taken,
                                          uint32_t num_taken, struct qn_chosen_columns *chosen,
                                          struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_chosen_columns_release(struct qn_chosen_columns *chosen);

/* What --properties says, where columns come one by one. */
struct qn_wanted_property {
  const char *text;                      /* as it was said: it may be a name with a colon */
  char name[QN_PROPERTY_NAME_BYTES + 1]; /* "": no property has this name */
  enum qn_property_type type;            /* 0: it is not said */
  bool found;
};

struct qn_wanted_properties {
  struct qn_wanted_property *items;
  uint32_t count;
  bool all;
  char *text;
};

/* "all" or NAME[:TYPE],..., of which one may be "all". Owned until release. */
enum qn_status qn_wanted_properties_parse(const char *text, struct qn_wanted_properties *wanted,
                                          struct qn_error *error);
/* Is the property called so wanted? `*type` is what it shall be, 0 if nobody says. */
bool qn_wanted_properties_take(struct qn_wanted_properties *wanted, const char *name,
                               enum qn_property_type *type);
/* One that was said and not taken; NULL if there is none. */
const char *qn_wanted_properties_missing(const struct qn_wanted_properties *wanted);
/* A zeroed struct is allowed. */
void qn_wanted_properties_release(struct qn_wanted_properties *wanted);
