/* How something was made, as metadata tells it, on its way to being a recipe. JSON that lacks
 * memory is found by qn_json_check_memory. */
#pragma once

#include "converters/recipe/recipe.h"

struct qn_history {
  json_t *files, *steps; /* of the recipe */
  json_t *columns;       /* properties in their order, if it is known */
  bool has_unknown;      /* a file whose sums nobody knows */
  bool ends_between;     /* the last step picks edges by their times, and does nothing else */
};
#define QN_HISTORY_BEGIN                                                                           \
  { .files = json_array(), .steps = json_array(), .columns = json_array() }

/* The steps that a container's metadata tells. QN_UNSUPPORTED if they are not all of them. */
enum qn_status qn_history_add(struct qn_history *history, const json_t *metadata,
                              struct qn_error *error);
/* The step of a generation of a set. */
enum qn_status qn_history_add_change(struct qn_history *history, const json_t *metadata,
                                     struct qn_error *error);
/* The recipe, by whose rules it is; QN_UNSUPPORTED if no recipe has this. */
enum qn_status qn_history_recipe(const struct qn_history *history, const char *name,
                                 const struct qn_recipe_result *result, json_t **out,
                                 struct qn_error *error);
void qn_history_end(struct qn_history *history);
