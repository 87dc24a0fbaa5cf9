/* What a container is, in the words of others: a recipe, and metadata for catalogues of data. */
#pragma once

#include <stdbool.h>

#include <quern/error.h>

enum qn_description { QN_DESCRIBE_NONE, QN_DESCRIBE_RECIPE };

/* Print it as JSON. */
enum qn_status qn_describe(const char *path, enum qn_description description,
                           struct qn_error *error);
