/* The properties of edges in the parts of a set: each part has the values of its own edges. */
#pragma once

#include "formats/set/set.h"
#include "formats/set/stack.h"

/* SET-15, of part `index` in `part`. */
enum qn_status qn_set_columns_check(const struct qn_set *set, uint64_t index,
                                    const struct qn_container *part, struct qn_error *error);

/* Columns with room for the values of all parts, one behind the other: owned until
 * qn_stack_destroy. Of a set whose edges have no properties there are none. */
enum qn_status qn_set_columns_create(const struct qn_set *set, struct qn_stack *columns,
                                     struct qn_error *error);
/* The values of part `index`, the next one, once they are checked. */
enum qn_status qn_set_columns_add(const struct qn_set *set, struct qn_stack *columns,
                                  uint64_t index, const struct qn_container *part,
                                  struct qn_error *error);

/* The transpose of `rows`, whose weights are the numbers of its edges in `rows`. */
enum qn_status qn_set_number_transpose(const struct qn_csr *rows, struct qn_graph *transposed,
                                       struct qn_error *error);

/* Sums over edges and their values, one with the edges turned round: they are the same if the k-th
 * of the edges u -> v always has the values of the k-th of the edges v -> u (P-10). */
struct qn_set_directions {
  uint64_t forth, back;
};

/* The edges of `csr`, whose row v is that of vertex first_row + v, and column u that of vertex
 * first_column + u; edge e has the values records[e] of `table`, NULL: e. The table has been
 * checked. */
void qn_set_directions_add(const struct qn_csr *csr, uint64_t first_row, uint64_t first_column,
                           const struct qn_property_table *table, const uint64_t *records,
                           struct qn_set_directions *sums);
enum qn_status qn_set_directions_check(const struct qn_set *set,
                                       const struct qn_set_directions *sums,
                                       struct qn_error *error);
