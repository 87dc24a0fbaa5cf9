/* A file that is kept to be loaded ends with a sum of what is before it: one that was cut short, or
 * changed, is known by that, and made again. */
#pragma once

#include <stdbool.h>

#include <quern/error.h>

/* Append the seal to a file, and sync it. */
enum qn_status qn_seal_append(const char *path, struct qn_error *error);

/* Is this a regular file of the user's own, which nobody else may write to, and is it as it was
 * sealed? */
bool qn_seal_holds(const char *path);
