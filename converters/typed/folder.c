#include "converters/typed/folder.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

enum qn_status qn_typed_each_entry(const char *folder,
                                   enum qn_status (*take)(void *context, const char *name,
                                                          const char *path, struct qn_error *error),
                                   void *context, struct qn_error *error) {
  struct dirent **entries;
  char path[PATH_MAX];
  const int count = scandir(folder, &entries, NULL, by_name);
  enum qn_status status = QN_OK;
  if (count < 0) {
    qn_fail_errno(error, "cannot list the folder");
    return qn_error_in_file(error, folder);
  }
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    if (!status && name[0] != '.' && name[0] != '_') {
      if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        status = qn_fail(error, QN_USAGE, "the name of a file is too long");
      else
        status = take(context, name, path, error);
    }
    free(entries[i]);
  }
  free(entries);
  return status;
}
