#include "tools/info/describe.h"

#include <stdio.h>

#include "support/used_files.h"
#include "tools/recipe/report.h"
#include <quern/open.h>
#include <quern/remote.h>

static enum qn_status make(const char *path, const struct qn_container *container, json_t **out,
                           struct qn_error *error) {
  char name[QN_RECIPE_NAME];
  enum qn_status status = qn_recipe_of(container, qn_recipe_name_of(path, name), out, error);
  return status ? status : qn_used_files_check(error);
}

enum qn_status qn_describe(const char *path, enum qn_description description,
                           struct qn_error *error) {
  struct qn_container *container;
  json_t *json = NULL;
  (void)description;
  enum qn_status status = qn_container_open(path, QN_MAP_ARCHIVE | QN_MAP_PARTS, &container, error);
  if (!status)
    status = make(path, container, &json, error);
  if (!status)
    qn_recipe_print(json, stdout);
  else if (!error->file[0])
    qn_error_in_file(error, path);
  json_decref(json);
  qn_container_unmap(container);
  return status;
}
