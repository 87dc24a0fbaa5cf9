/* Files of a folder of tables. */
#pragma once

#include <quern/error.h>

/* Call `take` with each entry of the folder, by name and by path, in the order of the names, until
 * one fails. Names that begin with a point or an underscore are left out: they are the system's, or
 * Hadoop's. */
enum qn_status qn_typed_each_entry(const char *folder,
                                   enum qn_status (*take)(void *context, const char *name,
                                                          const char *path, struct qn_error *error),
                                   void *context, struct qn_error *error);
