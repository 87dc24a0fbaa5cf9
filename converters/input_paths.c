#include "converters/input_paths.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/output/output_folder.h"
#include "converters/web_folder.h"
#include "support/memory.h"
#include "support/text/url.h"

/* FOLDER/NAME, or a copy of NAME if there is no folder, at the end of a list. */
static enum qn_status append(char ***list, int *count, const char *folder, const char *name,
                             struct qn_error *error) {
  size_t room = (folder ? strlen(folder) + 1 : 0) + strlen(name) + 1;
  char *path;
  enum qn_status status = qn_alloc(&path, room, 1, "a path", error);
  if (status)
    return status;
  snprintf(path, room, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
  status = qn_realloc(list, (uint64_t)*count + 1, sizeof **list, "paths of inputs", error);
  if (status)
    qn_free(path);
  else
    (*list)[(*count)++] = path;
  return status;
}

static enum qn_status add_path(struct qn_input_paths *paths, const char *folder, const char *name,
                               struct qn_error *error) {
  return append(&paths->paths, &paths->count, folder, name, error);
}

/* The kind of FOLDER/NAME; 0, with errno set, if it is not to be had. */
static mode_t kind_of(const char *folder, const char *name, bool *empty) {
  struct stat about;
  char path[PATH_MAX];
  bool there =
      snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX && stat(path, &about) == 0;
  *empty = there && about.st_size == 0;
  return there ? about.st_mode & S_IFMT : 0;
}

static enum qn_status refuse(const char *folder, struct qn_error *error, const char *what,
                             const char *name) {
  qn_fail(error, QN_INVALID, what, name);
  return qn_error_in_file(error, folder);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static bool has(struct dirent *const *entries, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(entries[i]->d_name, name) == 0)
      return true;
  return false;
}

/* A folder's content is a graph only if all of it is there, and nothing else. */
static enum qn_status add_entry(struct qn_input_paths *paths, const char *folder, const char *name,
                                struct qn_error *error) {
  bool empty;
  if (name[0] == '.' || name[0] == '_')
    return QN_OK;
  if (strncmp(name, "part-", 5) != 0)
    return refuse(
        folder, error,
        "a folder is read if quern-export, Spark or KONECT wrote it; this one holds '%.200s', "
        "which is not a part: name the files to read",
        name);
  if (kind_of(folder, name, &empty) != S_IFREG)
    return refuse(folder, error, "'%.200s' is not a readable file", name);
  return empty ? QN_OK : add_path(paths, folder, name, error);
}

/* The only out.NAME of a folder, which is what KONECT calls the edges of a network; NULL: none. */
static const char *konect_edges(struct dirent *const *entries, int count) {
  const char *found = NULL;
  for (int i = 0; i < count; i++) {
    if (strncmp(entries[i]->d_name, "out.", 4) != 0)
      continue;
    if (found)
      return NULL;
    found = entries[i]->d_name;
  }
  return found;
}

/* ---- Web graphs -------------------------------------------------------------- */

/* All parts in FOLDER/NAME, which may have been loaded down one by one: nothing says how many there
 * should be, but numbers of vertices that are missing are noticed. */
static enum qn_status add_parts(char ***list, int *count, const char *folder, const char *name,
                                struct qn_error *error) {
  char path[PATH_MAX];
  struct dirent **entries = NULL;
  bool empty;
  int found = snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX
                  ? scandir(path, &entries, NULL, by_name)
                  : -1;
  enum qn_status status = QN_OK;
  if (found < 0)
    return refuse(folder, error, "cannot list the folder '%.200s' in it", name);
  for (int i = 0; i < found && !status; i++) {
    const char *part = entries[i]->d_name;
    if (part[0] == '.' || part[0] == '_')
      continue;
    if (strncmp(part, "part-", 5) != 0 || kind_of(path, part, &empty) != S_IFREG)
      status = refuse(path, error, "'%.200s' is not a part", part);
    else if (!empty)
      status = append(list, count, path, part, error);
  }
  for (int i = 0; i < found; i++)
    free(entries[i]);
  free(entries);
  return status;
}

static enum qn_status add_web(struct qn_input_paths *paths, const char *folder,
                              const struct qn_web_folder *web, struct qn_error *error) {
  const int before = paths->count;
  enum qn_status status = QN_OK;
  paths->format = web->graph ? "webgraph" : "edges";
  if (web->graph)
    status = add_path(paths, folder, web->graph, error);
  else if (web->edges_are_parts)
    status = add_parts(&paths->paths, &paths->count, folder, web->edges, error);
  else
    status = add_path(paths, folder, web->edges, error);
  if (!status && web->names_are_parts)
    status = add_parts(&paths->names, &paths->num_names, folder, web->names, error);
  else if (!status && web->names)
    status = append(&paths->names, &paths->num_names, folder, web->names, error);
  if (!status && paths->count == before)
    status = refuse(folder, error, "there are no parts in its folder '%s'", web->edges);
  return status;
}

/* ---- Folders ----------------------------------------------------------------- */

static enum qn_status add_entries(struct qn_input_paths *paths, const char *folder,
                                  struct dirent *const *entries, int count,
                                  struct qn_error *error) {
  int before = paths->count;
  bool empty;
  struct qn_web_folder web;
  if (has(entries, count, QN_MANIFEST_NAME) && kind_of(folder, QN_MANIFEST_NAME, &empty) != S_IFREG)
    return refuse(folder, error, "'%s' is not a readable file", QN_MANIFEST_NAME);
  if (has(entries, count, QN_MANIFEST_NAME))
    return add_path(paths, folder, QN_MANIFEST_NAME, error);
  const char *edges = konect_edges(entries, count);
  if (edges)
    return add_path(paths, folder, edges, error);
  if (qn_web_folder_look(folder, entries, count, &web))
    return add_web(paths, folder, &web, error);
  if (has(entries, count, "_temporary"))
    return refuse(folder, error, "'%s' is in it: whoever writes this folder has not finished",
                  "_temporary");
  for (int i = 0; i < count; i++) {
    enum qn_status status = add_entry(paths, folder, entries[i]->d_name, error);
    if (status)
      return status;
  }
  if (paths->count == before)
    return refuse(folder, error, "this is a folder, and there is no %s in it that is not empty",
                  "part");
  if (!has(entries, count, "_SUCCESS"))
    return refuse(folder, error,
                  "there is no %s in it, so that parts may be missing: name the parts themselves "
                  "if they are all",
                  "_SUCCESS");
  return QN_OK;
}

static enum qn_status add_folder(struct qn_input_paths *paths, const char *folder,
                                 struct qn_error *error) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, by_name);
  if (count < 0) {
    qn_fail_errno(error, "cannot list the folder");
    return qn_error_in_file(error, folder);
  }
  enum qn_status status = add_entries(paths, folder, entries, count, error);
  for (int i = 0; i < count; i++)
    free(entries[i]);
  free(entries);
  return status;
}

enum qn_status qn_input_paths_of(char *const *arguments, int count, struct qn_input_paths *out,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  struct stat about;
  for (int i = 0; i < count && !status; i++)
    if (stat(arguments[i], &about) == 0 && S_ISDIR(about.st_mode))
      status = add_folder(out, arguments[i], error);
    else
      status = add_path(out, NULL, arguments[i], error);
  return status;
}

static void release_names(struct qn_input_paths *paths) {
  for (int i = 0; i < paths->num_names; i++)
    qn_free(paths->names[i]);
  qn_free(paths->names);
  paths->names = NULL;
  paths->num_names = 0;
}

enum qn_status qn_input_paths_set_names(struct qn_input_paths *paths, const char *names,
                                        struct qn_error *error) {
  const bool is_one = !strchr(names, ',') || qn_is_url(names) || access(names, F_OK) == 0;
  enum qn_status status = QN_OK;
  release_names(paths);
  for (const char *at = names; at && !status;) {
    const size_t length = is_one ? strlen(at) : strcspn(at, ",");
    char name[PATH_MAX];
    if (length == 0 || length >= sizeof name)
      return qn_fail(error, QN_USAGE, "--names=%s must be FILE,...", names);
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    status = append(&paths->names, &paths->num_names, NULL, name, error);
    at = at[length] ? at + length + 1 : NULL;
  }
  return status;
}

void qn_input_paths_release(struct qn_input_paths *paths) {
  for (int i = 0; i < paths->count; i++)
    qn_free(paths->paths[i]);
  qn_free(paths->paths);
  release_names(paths);
  *paths = (struct qn_input_paths){0};
}
