#include "tools/info/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "formats/container/figures.h"
#include "formats/set/set.h"
#include "support/json_text.h"
#include "support/sizes.h"
#include "support/text/url.h"
#include "support/used_files.h"
#include "tools/info/described.h"
#include "tools/recipe/catalogue.h"
#include "tools/recipe/report.h"
#include <quern/open.h>
#include <quern/remote.h>

const json_t *qn_described_value(const struct qn_described *described, const char *key) {
  return json_object_get(described->about, key);
}

const char *qn_described_text(const struct qn_described *described, const char *key) {
  return json_string_value(qn_described_value(described, key));
}

json_t *qn_described_id(const char *before, const char *name) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  char text[16 + 3 * 256];
  size_t at = (size_t)snprintf(text, 16, "%s", before);
  for (; *name && at + 4 < sizeof text; name++)
    at += (size_t)snprintf(text + at, sizeof text - at, strchr(plain, *name) ? "%c" : "%%%02X",
                           (unsigned char)*name);
  return json_string(text);
}

/* ---- Facts -------------------------------------------------------------------- */

static void describe_date(struct qn_described *described, const struct stat *about) {
  const json_t *year = qn_described_value(described, "year");
  struct tm day;
  if (year)
    snprintf(described->date, sizeof described->date, "%04" JSON_INTEGER_FORMAT,
             json_integer_value(year));
  else if (gmtime_r(&about->st_mtime, &day))
    strftime(described->date, sizeof described->date, "%Y-%m-%d", &day);
}

static void describe_counts(struct qn_described *described, const struct qn_container *container) {
  const struct qn_container_info *info = described->info;
  char vertices[32], edges[QN_EDGES_TEXT];
  snprintf(described->counts, sizeof described->counts, "%s vertices, %.60s",
           qn_count_text(info->num_vertices, vertices, sizeof vertices),
           qn_edges_text(info->directedness, info->num_edges,
                         qn_undirected_edges(container, info->num_edges), edges));
}

static enum qn_status sum_file(const char *path, struct stat *about, struct qn_file_sums *sums,
                               struct qn_error *error) {
  int descriptor;
  if (qn_is_url(path))
    return qn_fail(error, QN_UNSUPPORTED, "the SHA-256 of a file takes all of it: download it");
  enum qn_status status = qn_file_open_regular(path, &descriptor, error);
  if (status)
    return status;
  status = fstat(descriptor, about) == 0 ? qn_file_sums(descriptor, path, sums, error)
                                         : qn_fail_errno(error, "cannot look at it");
  close(descriptor);
  return status;
}

/* ---- Descriptions ------------------------------------------------------------- */

static enum qn_status make(const struct qn_described *described, enum qn_description description,
                           json_t **out, struct qn_error *error) {
  if (description == QN_DESCRIBE_DATACITE)
    return qn_datacite(described, out, error);
  *out = description == QN_DESCRIBE_CROISSANT ? qn_croissant(described) : qn_ro_crate(described);
  return *out ? QN_OK : qn_fail_memory(error, "a description", 0);
}

static enum qn_status describe(const char *path, const struct qn_container *container,
                               enum qn_description description, const json_t *about, json_t *made,
                               json_t **out, struct qn_error *error) {
  struct qn_properties properties = {0};
  struct qn_recipe_result result;
  struct qn_file_sums sums;
  struct stat status_of_file;
  char name[QN_RECIPE_NAME];
  const char *slash = strrchr(path, '/');
  struct qn_described described = {.file = slash ? slash + 1 : path,
                                   .info = qn_container_info(container),
                                   .properties = &properties,
                                   .sums = &sums,
                                   .result = &result,
                                   .made = made,
                                   .about = about};
  enum qn_status status = qn_recipe_result_of(container, &result, error);
  if (!status)
    status = qn_properties_view(container, &properties, error);
  if (!status)
    status = sum_file(path, &status_of_file, &sums, error);
  if (!status) {
    describe_date(&described, &status_of_file);
    describe_counts(&described, container);
    described.name = about ? qn_described_text(&described, "name") : qn_recipe_name_of(path, name);
    described.title = qn_described_text(&described, "title");
    described.title = described.title ? described.title : described.name;
    described.description = qn_described_text(&described, "description");
    described.description = described.description ? described.description : described.title;
    status = make(&described, description, out, error);
  }
  qn_properties_release(&properties);
  return status;
}

static enum qn_status make_any(const char *path, const struct qn_container *container,
                               enum qn_description description, const json_t *about, json_t **out,
                               struct qn_error *error) {
  char name[QN_RECIPE_NAME];
  json_t *made = NULL;
  enum qn_status status = container
                              ? qn_recipe_of(container, qn_recipe_name_of(path, name), &made, error)
                              : qn_recipe_of_set(path, qn_recipe_name_of(path, name), &made, error);
  if (description == QN_DESCRIBE_RECIPE)
    return *out = made, status;
  if (!status || status == QN_UNSUPPORTED) /* then nothing is said of its sources */
    status = describe(path, container, description, about, made, out, error);
  json_decref(made);
  return status;
}

enum qn_status qn_describe(const char *path, enum qn_description description, const char *about,
                           struct qn_error *error) {
  struct qn_container *container = NULL;
  struct qn_recipe recipe = {0};
  json_t *json = NULL;
  enum qn_status status = about ? qn_catalogue_open(about, &recipe, error) : QN_OK;
  if (!status && !(description == QN_DESCRIBE_RECIPE && qn_set_recognise(path)))
    status = qn_container_open(path, QN_MAP_ARCHIVE | QN_MAP_PARTS, &container, error);
  if (!status)
    status = make_any(path, container, description, recipe.json, &json, error);
  if (!status)
    status = qn_json_check_memory(error);
  if (!status)
    status = qn_used_files_check(error);
  if (!status)
    qn_recipe_print(json, stdout);
  else if (!error->file[0])
    qn_error_in_file(error, path);
  json_decref(json);
  qn_container_unmap(container);
  qn_recipe_release(&recipe);
  return status;
}
