/* What descriptions of a container are made of. */
#pragma once

#include <quern/properties.h>

#include "converters/recipe/recipe.h"
#include "support/input/file_sums.h"
#include "tools/info/describe.h"

struct qn_described {
  const char *file; /* the container's, without folders */
  const struct qn_container_info *info;
  const struct qn_properties *properties;
  const struct qn_file_sums *sums;
  const struct qn_recipe_result *result;
  const json_t *made;  /* the recipe by which it was made; NULL: its metadata does not tell */
  const json_t *about; /* --about; NULL: nobody says */
  const char *name, *title, *description;
  char date[16];   /* of the file, or the year that `about` says */
  char counts[96]; /* "7,115 vertices and 103,689 edges, directed" */
};

/* A text, or list, that `about` has; NULL: none. */
const char *qn_described_text(const struct qn_described *described, const char *key);
const json_t *qn_described_value(const struct qn_described *described, const char *key);

/* `before` and a file's name as part of a URI, in which all but letters, digits and -._~ is %XX: a
 * new string. */
json_t *qn_described_id(const char *before, const char *name);

#define QN_CONTAINER_TYPE "application/vnd.quern.container"

/* New objects; NULL: memory ran out. */
json_t *qn_croissant(const struct qn_described *described);
json_t *qn_ro_crate(const struct qn_described *described);
/* QN_USAGE if `about` lacks what DataCite asks for. */
enum qn_status qn_datacite(const struct qn_described *described, json_t **out,
                           struct qn_error *error);
