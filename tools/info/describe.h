/* What a container is, in the words of others: a recipe, and metadata for catalogues of data. */
#pragma once

#include "converters/recipe/recipe.h"

enum qn_description {
  QN_DESCRIBE_NONE,
  QN_DESCRIBE_RECIPE,
  QN_DESCRIBE_CROISSANT, /* https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html */
  QN_DESCRIBE_RO_CRATE,  /* https://www.researchobject.org/ro-crate/specification/1.1 */
  QN_DESCRIBE_DATACITE,  /* https://schema.datacite.org/meta/kernel-4.5 */
};

/* Print it as JSON. `about` names a recipe, or is NULL: whose graph it is, under which licence, and
 * whom to cite (not for a recipe). */
enum qn_status qn_describe(const char *path, enum qn_description description, const char *about,
                           struct qn_error *error);
