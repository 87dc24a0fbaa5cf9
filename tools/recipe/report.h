/* What quern-fetch and quern-remake say of a container that was made, and recipes as text. */
#pragma once

#include <stdio.h>

#include "tools/recipe/making.h"

/* On standard output, a summary, or JSON; a warning where nobody knows what must come out. */
void qn_recipe_report(const struct qn_recipe_job *job, const struct qn_recipe_made *made);

void qn_recipe_print(const json_t *recipe, FILE *stream);
/* To a file, which appears whole; the recipe is taken over, and NULL: memory ran out. */
enum qn_status qn_recipe_write(json_t *recipe, const char *path, bool replace,
                               struct qn_error *error);

/* What a container's recipe may be called: its file's name, without folders and the ending. */
#define QN_RECIPE_NAME 65
char *qn_recipe_name_of(const char *path, char name[QN_RECIPE_NAME]);
