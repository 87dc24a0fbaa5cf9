/* The tools that a recipe may name, and their options: what else there is cannot be asked for. */
#pragma once

#include "converters/recipe/recipe.h"

/* RC-13, of one option of a step; and that its tool is one (RC-11). */
enum qn_status qn_step_option_check(const struct qn_recipe *recipe, const char *tool,
                                    const char *option, const json_t *value,
                                    struct qn_error *error);
bool qn_step_tool_is_known(const char *tool);

/* The file of this name; NULL: none. */
const struct qn_recipe_file *qn_recipe_file_find(const struct qn_recipe *recipe, const char *name,
                                                 uint64_t length);

/* The words of a step's command line, but for its source and output: "quern-import",
 * "--undirected", "PLACE/edges.txt", for files that lie in the folder `place`. Ended by NULL; each
 * is the caller's, as is the list, by qn_step_words_free. */
enum qn_status qn_step_words(const struct qn_recipe *recipe, uint64_t step, const char *place,
                             char ***words, struct qn_error *error);
/* NULL is allowed. */
void qn_step_words_free(char **words);
