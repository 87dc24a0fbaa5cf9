#include "converters/web_folder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Is `name` X followed by `end`, and perhaps by an ending that a packer adds? Sets the length of X.
 */
static bool ends_with(const char *name, const char *end, size_t *length) {
  static const char *const packers[] = {"", ".gz", ".bz2", ".xz", ".zst", ".lz4"};
  const size_t all = strlen(name);
  for (size_t i = 0; i < sizeof packers / sizeof packers[0]; i++) {
    const size_t tail = strlen(end) + strlen(packers[i]);
    if (all < tail || strcmp(name + all - strlen(packers[i]), packers[i]) != 0 ||
        strncmp(name + all - tail, end, strlen(end)) != 0)
      continue;
    *length = all - tail;
    return true;
  }
  return false;
}

/* Entries that end so; the last one of them. A transpose is none. */
static int find(struct dirent *const *entries, int count, const char *end, const char **found) {
  int matches = 0;
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    size_t length;
    if (!ends_with(name, end, &length) ||
        (length > 2 && strcmp(end, ".graph") == 0 && strncmp(name + length - 2, "-t", 2) == 0))
      continue;
    *found = name;
    matches++;
  }
  return matches;
}

static bool is_folder(const char *folder, struct dirent *const *entries, int count,
                      const char *name) {
  struct stat about;
  char path[PATH_MAX];
  for (int i = 0; i < count; i++)
    if (strcmp(entries[i]->d_name, name) == 0)
      return snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX &&
             stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  return false;
}

/* METIS graphs are called .graph, too. */
static bool is_described(struct dirent *const *entries, int count, const char *graph) {
  size_t length;
  ends_with(graph, ".graph", &length);
  for (int i = 0; i < count; i++)
    if (strncmp(entries[i]->d_name, graph, length) == 0 &&
        strcmp(entries[i]->d_name + length, ".properties") == 0)
      return true;
  return false;
}

bool qn_web_folder_look(const char *folder, struct dirent *const *entries, int count,
                        struct qn_web_folder *found) {
  static const char *const lists[] = {"-vertices.txt", ".urls", "vertices.txt"};
  *found = (struct qn_web_folder){0};
  if (find(entries, count, ".graph", &found->graph) != 1 ||
      !is_described(entries, count, found->graph))
    found->graph = NULL;
  if (find(entries, count, "-edges.txt", &found->edges) != 1)
    found->edges = NULL;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0] && !found->names; i++)
    if (find(entries, count, lists[i], &found->names) > 1)
      return false;
  if (!found->edges && is_folder(folder, entries, count, "edges")) {
    found->edges_are_parts = true;
    found->edges = "edges";
  }
  if (!found->names && is_folder(folder, entries, count, "vertices")) {
    found->names_are_parts = true;
    found->names = "vertices";
  }
  return found->graph || (found->edges && found->names);
}
