/* The recipes that come with Quern: files NAME.json in share/quern/recipes beside the programs'
 * folder, or in the folder that QUERN_RECIPES names. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "converters/recipe/recipe.h"

/* Read the recipe that a user has named: a path or URL that ends in .json, or one of the catalogue.
 * QN_USAGE, with a name that is near, if there is none. */
enum qn_status qn_catalogue_open(const char *name, struct qn_recipe *recipe,
                                 struct qn_error *error);

/* All of them that have `word` (NULL: any) in name, title or description, in the order of their
 * names, as {"name", "title", "license", "homepage", "tested", "bytes", "vertices", "edges"}. */
enum qn_status qn_catalogue_list(const char *word, json_t **list, struct qn_error *error);
/* The same as a table for people. */
void qn_catalogue_print(const json_t *list, FILE *stream);
