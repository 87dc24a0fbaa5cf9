/* Columns of an Arrow stream that become properties: they wait in files without a name. */
#pragma once

#include "converters/properties/text_column.h"
#include "library/arrow.h"

struct qn_arrow_property {
  uint32_t number; /* of the column, from 0 */
  struct qn_arrow_column_type type;
  bool bits;         /* Arrow's bools */
  bool nothing;      /* Arrow's type of nulls alone */
  bool milliseconds; /* dates are in them */
  struct qn_text_column values;
};

/* All zero: there are none. */
struct qn_arrow_properties {
  struct qn_arrow_property *columns;
  uint32_t count;
};

/* The columns that are wanted: "all" but those whose numbers, from 1, are in `taken`, or
 * NAME,NAME,... QN_USAGE for a name that there is not or that is taken, QN_UNSUPPORTED for a type
 * that no property has. Owned until end, also after a failure. */
enum qn_status qn_arrow_properties_begin(struct qn_arrow_properties *properties,
                                         const struct ArrowSchema *schema, const char *wanted,
                                         const uint32_t *taken, unsigned num_taken,
                                         struct qn_error *error);

/* Add the rows of a batch, the first of which is row `row` of the stream. */
enum qn_status qn_arrow_properties_add(struct qn_arrow_properties *properties,
                                       const struct ArrowArray *batch, uint64_t row,
                                       struct qn_error *error);

/* All rows are there: `table->columns`, given back by qn_free; values live until the end. */
enum qn_status qn_arrow_properties_finish(struct qn_arrow_properties *properties,
                                          struct qn_property_table *table, struct qn_error *error);
void qn_arrow_properties_end(struct qn_arrow_properties *properties);

/* One column: that of ids. */
enum qn_status qn_arrow_property_begin(struct qn_arrow_property *property,
                                       const struct ArrowSchema *schema, uint32_t number,
                                       struct qn_error *error);
enum qn_status qn_arrow_property_add(struct qn_arrow_property *property,
                                     const struct ArrowArray *batch, uint64_t row,
                                     struct qn_error *error);
