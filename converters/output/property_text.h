/* Values of properties in tables of text: nothing for a null, numbers so that they read back
 * exactly, vectors as numbers with ';' between them, dates and times as ISO 8601 has them, true and
 * false, and texts in double quotes, their own quotes doubled (RFC 4180). */
#pragma once

#include <quern/properties.h>

/* Bytes that value `i` may take. */
uint64_t qn_property_text_room(const struct qn_property *column, uint64_t i);

/* Put it at `p`, in the room before `end`, which is that much; the end of what was put. */
char *qn_put_property(char *p, const char *end, const struct qn_property *column, uint64_t i);

/* Number `i` of all the numbers of a column that has no strings, whatever is null, at `p`, where
 * there is room as for a number. */
char *qn_put_property_number(char *p, const struct qn_property *column, uint64_t i);

/* Number `i` of all of a column of that class. */
double qn_property_real(const struct qn_property *column, uint64_t i);
uint64_t qn_property_unsigned(const struct qn_property *column, uint64_t i);
int64_t qn_property_signed(const struct qn_property *column, uint64_t i);

/* String `i`, bounded: the file may be overwritten meanwhile. Empty for a null. */
const char *qn_property_string(const struct qn_property *column, uint64_t i, uint64_t *length);

/* "long", "float", "double", "boolean" or "string": the name of the narrowest of these types, which
 * GraphML, GEXF and Neo4j have, that holds the column's values, or the numbers of its vectors. */
const char *qn_property_common_type(const struct qn_property *column);

/* Is every number within 63 bits and a sign? True of what is not u64. */
bool qn_property_fits_long(const struct qn_property *column);
