#include "formats/container/listed_folder.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>

/* The names in a manifest, as keys of an object. Manifests are two or three levels deep. */
static void list_names(const json_t *value, unsigned levels, json_t *names) {
  const char *key, *name = json_string_value(json_object_get(value, "name"));
  json_t *inner;
  size_t i;
  if (name)
    json_object_set_new(names, name, json_true());
  if (levels == 0)
    return;
  json_object_foreach((json_t *)value, key, inner) list_names(inner, levels - 1, names);
  json_array_foreach(value, i, inner) list_names(inner, levels - 1, names);
}

enum qn_status qn_listed_folder_check(const char *path, const char *manifest,
                                      struct qn_error *error) {
  char manifest_path[PATH_MAX], stranger[NAME_MAX + 1] = "";
  DIR *folder = opendir(path);
  if (!folder)
    return QN_OK; /* it is not there, or creation says what is wrong with it */
  snprintf(manifest_path, sizeof manifest_path, "%s/%s", path, manifest);
  json_t *listed = json_load_file(manifest_path, 0, NULL);
  json_t *names = json_pack("{s:b, s:b, s:b}", manifest, 1, ".", 1, "..", 1);
  list_names(listed, 3, names);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && !stranger[0];)
    if (!json_object_get(names, entry->d_name))
      snprintf(stranger, sizeof stranger, "%s", entry->d_name);
  closedir(folder);
  json_decref(names);
  json_decref(listed);
  if (!stranger[0])
    return QN_OK;
  qn_fail(error, QN_USAGE,
          "--force replaces a folder only if all that is in it was exported; %s is not in its "
          "manifest",
          stranger);
  return qn_error_in_file(error, path);
}
