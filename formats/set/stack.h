/* Columns of properties of several containers behind one another, as those of one.
 *
 *   qn_stack_begin(&stack, &schema, count, &error);       what the columns are called
 *   qn_stack_measure(&stack, &table, &error);             for each container: what it holds
 *   qn_stack_make_room(&stack, &error);
 *   qn_stack_append(&stack, &table, &error);              for each container, in their order
 *   ... stack.table ...
 *   qn_stack_destroy(&stack);
 */
#pragma once

#include <quern/properties.h>

struct qn_stack {
  struct qn_property_table table; /* of `count` values each */
  uint64_t filled;                /* whose values are there */
};

/* Owned until destroy, which takes a zeroed stack, too. Without columns nothing need be done. */
enum qn_status qn_stack_begin(struct qn_stack *stack, const struct qn_property_table *schema,
                              uint64_t count, struct qn_error *error);
/* Values are not read. */
enum qn_status qn_stack_measure(struct qn_stack *stack, const struct qn_property_table *table,
                                struct qn_error *error);
enum qn_status qn_stack_make_room(struct qn_stack *stack, struct qn_error *error);
/* The next `count` values; the table has been checked. */
enum qn_status qn_stack_append(struct qn_stack *stack, const struct qn_property_table *table,
                               uint64_t count, struct qn_error *error);
void qn_stack_destroy(struct qn_stack *stack);

/* Columns of the same names and types, in the same order. */
bool qn_same_columns(const struct qn_property_table *a, const struct qn_property_table *b);
