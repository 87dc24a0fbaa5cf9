#include "tools/recipe/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/container/text_table.h"
#include "support/sizes.h"
#include "support/suggest.h"
#include "support/text/terminal.h"
#include "support/text/url.h"
#include "support/tool.h"

static const char ending[] = ".json";

static void folder_path(char path[PATH_MAX]) {
  char tools[QN_TOOL_FOLDER_BYTES];
  const char *named = getenv("QUERN_RECIPES");
  qn_tool_folder(tools);
  if (named && *named)
    snprintf(path, PATH_MAX, "%s", named);
  else
    snprintf(path, PATH_MAX, "%.3000s../share/quern/recipes", tools);
}

static bool is_recipe(const char *name) {
  const size_t length = strlen(name), end = strlen(ending);
  return length > end && strcmp(name + length - end, ending) == 0;
}

static int is_recipe_file(const struct dirent *entry) {
  return entry->d_name[0] != '.' && is_recipe(entry->d_name);
}

static enum qn_status scan(char folder[PATH_MAX], struct dirent ***entries, int *count,
                           struct qn_error *error) {
  folder_path(folder);
  *count = scandir(folder, entries, is_recipe_file, alphasort);
  if (*count >= 0)
    return QN_OK;
  qn_fail_errno(error, "there is no catalogue of recipes (QUERN_RECIPES names its folder)");
  return qn_error_in_file(error, folder), QN_SYSTEM;
}

static void free_entries(struct dirent **entries, int count) {
  for (int i = 0; i < count; i++)
    free(entries[i]);
  if (count >= 0)
    free(entries);
}

/* ---- One ---------------------------------------------------------------------- */

static enum qn_status refuse(const char *name, struct qn_error *error) {
  char folder[PATH_MAX];
  struct dirent **entries;
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  int count;
  enum qn_status status = scan(folder, &entries, &count, error);
  if (status)
    return status;
  for (int i = 0; i < count; i++) {
    entries[i]->d_name[strlen(entries[i]->d_name) - strlen(ending)] = '\0';
    qn_suggestion_offer(&suggestion, entries[i]->d_name);
  }
  status = suggestion.best
               ? qn_fail(error, QN_USAGE, "the catalogue has no recipe '%.64s'; did you mean '%s'?",
                         name, suggestion.best)
               : qn_fail(error, QN_USAGE,
                         "the catalogue has no recipe '%.64s'; quern-fetch --list shows what it "
                         "has, and a recipe's file or URL ends in .json",
                         name);
  free_entries(entries, count);
  return status;
}

enum qn_status qn_catalogue_open(const char *name, struct qn_recipe *recipe,
                                 struct qn_error *error) {
  char folder[PATH_MAX], path[PATH_MAX];
  *recipe = (struct qn_recipe){0};
  if (qn_is_url(name) || is_recipe(name))
    return qn_recipe_read(name, recipe, error);
  folder_path(folder);
  const bool fits = snprintf(path, sizeof path, "%s/%s%s", folder, name, ending) < (int)sizeof path;
  if (strchr(name, '/') || name[0] == '.' || !fits || access(path, F_OK) != 0)
    return refuse(name, error);
  return qn_recipe_read(path, recipe, error);
}

/* ---- All ---------------------------------------------------------------------- */

static bool has_word(const json_t *recipe, const char *word) {
  static const char *const keys[] = {"name", "title", "description"};
  for (unsigned i = 0; word && i < sizeof keys / sizeof keys[0]; i++) {
    const char *text = json_string_value(json_object_get(recipe, keys[i]));
    if (text && strcasestr(text, word))
      return true;
  }
  return !word;
}

static json_t *entry_of(const struct qn_recipe *recipe) {
  const json_t *json = recipe->json, *container = json_object_get(json, "container");
  json_int_t bytes = 0;
  bool known = true;
  for (uint64_t i = 0; i < recipe->num_files; i++) {
    bytes += (json_int_t)recipe->files[i].bytes;
    known &= recipe->files[i].bytes > 0;
  }
  return json_pack("{s:s, s:O*, s:O*, s:O*, s:b, s:o*, s:O*, s:O*}", "name", recipe->name, "title",
                   json_object_get(json, "title"), "license", json_object_get(json, "license"),
                   "homepage", json_object_get(json, "homepage"), "tested", recipe->tested, "bytes",
                   known ? json_integer(bytes) : NULL, "vertices",
                   json_object_get(container, "vertices"), "edges",
                   json_object_get(container, "edges"));
}

enum qn_status qn_catalogue_list(const char *word, json_t **list, struct qn_error *error) {
  char folder[PATH_MAX], path[PATH_MAX];
  struct dirent **entries;
  int count;
  *list = NULL;
  enum qn_status status = scan(folder, &entries, &count, error);
  if (status)
    return status;
  *list = json_array();
  for (int i = 0; !status && i < count; i++) {
    struct qn_recipe recipe;
    snprintf(path, sizeof path, "%.3000s/%s", folder, entries[i]->d_name);
    status = qn_recipe_read(path, &recipe, error);
    if (!status && has_word(recipe.json, word))
      json_array_append_new(*list, entry_of(&recipe));
    qn_recipe_release(&recipe);
  }
  free_entries(entries, count);
  if (status) {
    json_decref(*list);
    *list = NULL;
  }
  return status;
}

static const char *text_of(const json_t *entry, const char *key) {
  const char *text = json_string_value(json_object_get(entry, key));
  return text ? text : "";
}

void qn_catalogue_print(const json_t *list, FILE *stream) {
  json_t *rows = json_pack("[[s, s, s, s, s]]", "name", "download", "tested", "license", "title");
  size_t index;
  json_t *entry;
  json_array_foreach(list, index, entry) {
    char size[32] = "";
    const json_t *bytes = json_object_get(entry, "bytes");
    if (bytes)
      qn_size_text((uint64_t)json_integer_value(bytes), size, sizeof size);
    json_array_append_new(rows,
                          json_pack("[s, s, s, s, s]", text_of(entry, "name"), size,
                                    json_is_true(json_object_get(entry, "tested")) ? "yes" : "no",
                                    text_of(entry, "license"), text_of(entry, "title")));
  }
  qn_text_table_print(rows, "lrlll", qn_terminal_width(), stream);
  json_decref(rows);
}
