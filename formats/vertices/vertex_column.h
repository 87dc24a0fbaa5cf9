/* Vertices that columns of text name. */
#pragma once

#include "formats/text/delimited.h"
#include <quern/error.h>
#include <quern/ids.h>

/* The vertex with the id in `column`, as qn_ids_lookup finds it. QN_INVALID if there is none, with
 * a message that has the id. */
enum qn_status qn_column_vertex(const struct qn_column *column, const struct qn_ids *ids,
                                const uint32_t *order, uint32_t *vertex, struct qn_error *error);

/* Take the next column as it is written, quotes and blanks too, if a vertex is called so: up to a
 * tab, which no id has in it, in lines that have one, or with `alone` all of a line that has none.
 * False, and nothing is taken, if there is no such vertex. */
bool qn_columns_take_id(struct qn_columns *columns, bool alone, const struct qn_ids *ids,
                        const uint32_t *order, struct qn_column *column, uint32_t *vertex);

/* The vertex of the next column: as it is written, else as qn_columns_next has it. */
enum qn_status qn_columns_vertex(struct qn_columns *columns, bool alone, const struct qn_ids *ids,
                                 const uint32_t *order, struct qn_column *column, uint32_t *vertex,
                                 struct qn_error *error);
