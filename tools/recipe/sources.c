#include "tools/recipe/sources.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "support/memory.h"
#include "support/progress.h"
#include "support/remote/cache.h"
#include "support/remote/download.h"
#include "support/text/url.h"
#include "support/used_files.h"

/* ---- Options ----------------------------------------------------------------- */

enum { KEY_FROM = 0x100, KEY_OFFLINE };

static const struct argp_option argp_options[] = {
    {"from", KEY_FROM, "DIR|URL", 0,
     "Look for the files in this folder, here or on a server, first; may be given several times",
     1},
    {"offline", KEY_OFFLINE, NULL, 0, "Download nothing: take folders and the cache", 1},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct qn_sources *sources = state->input;
  switch (key) {
  case KEY_FROM:
    if (sources->num_from == QN_MOST_FOLDERS || !*argument)
      argp_error(state, "--from names a folder, at most %d times", QN_MOST_FOLDERS);
    sources->from[sources->num_from++] = argument;
    return 0;
  case KEY_OFFLINE:
    sources->offline = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp qn_sources_argp = {.options = argp_options, .parser = parse_option};

enum { CACHE_NAME = 80 };

static enum qn_status set_where(struct qn_source_file *file, const char *where,
                                struct qn_error *error) {
  enum qn_status status = qn_alloc(&file->where, strlen(where) + 1, 1, "a path", error);
  if (!status)
    strcpy(file->where, where);
  return status;
}

void qn_source_file_close(struct qn_source_file *file) {
  qn_cache_close(file->descriptor);
  qn_free(file->where);
  *file = (struct qn_source_file){.descriptor = -1};
}

/* ---- Is it the file? --------------------------------------------------------- */

/* QN_INVALID, naming the place, if it is not. */
static enum qn_status verify(const struct qn_recipe_file *wanted, struct qn_source_file *file,
                             struct qn_error *error) {
  enum qn_status status = qn_file_sums(file->descriptor, file->where, &file->sums, error);
  if (status)
    return status;
  const struct qn_input_digest *digest = &file->sums.digest;
  if (wanted->bytes && digest->bytes != wanted->bytes)
    status = qn_fail(error, QN_INVALID, "it has %" PRIu64 " bytes; the recipe expects %" PRIu64,
                     digest->bytes, wanted->bytes);
  else if (wanted->sha256 && strcmp(file->sums.sha256, wanted->sha256) != 0)
    status = qn_fail(error, QN_INVALID, "its SHA-256 is %s; the recipe expects %s",
                     file->sums.sha256, wanted->sha256);
  else if (wanted->xxh3_128 && strcmp(digest->xxh3_128, wanted->xxh3_128) != 0)
    status = qn_fail(error, QN_INVALID, "its XXH3-128 is %s; the recipe expects %s",
                     digest->xxh3_128, wanted->xxh3_128);
  return status ? (qn_error_in_file(error, file->where), status) : QN_OK;
}

static enum qn_status take(const struct qn_recipe_file *wanted, int descriptor, const char *where,
                           struct qn_source_file *file, struct qn_error *error) {
  qn_source_file_close(file);
  file->descriptor = descriptor;
  enum qn_status status = set_where(file, where, error);
  if (!status)
    status = verify(wanted, file, error);
  if (status)
    qn_source_file_close(file);
  return status;
}

/* ---- Places ------------------------------------------------------------------ */

/* Files whose SHA-256 is known are called after it, and others after their URL until they came. */
static bool cache_name(const struct qn_recipe_file *wanted, const char *url,
                       char name[CACHE_NAME]) {
  if (wanted->sha256)
    snprintf(name, CACHE_NAME, "sha256-%s", wanted->sha256);
  else if (url)
    snprintf(name, CACHE_NAME, "new-%016" PRIx64, (uint64_t)XXH3_64bits(url, strlen(url)));
  return wanted->sha256 != NULL || url != NULL;
}

static enum qn_status look_in_folder(const struct qn_recipe_file *wanted, const char *folder,
                                     struct qn_source_file *file, struct qn_error *error) {
  char path[PATH_MAX];
  int descriptor;
  if (snprintf(path, sizeof path, "%s/%s", folder, wanted->name) >= (int)sizeof path)
    return qn_fail(error, QN_USAGE, "the path is too long");
  enum qn_status status = qn_file_open_regular(path, &descriptor, error);
  if (status)
    return qn_error_in_file(error, path), status;
  return take(wanted, descriptor, path, file, error);
}

static enum qn_status look_in_cache(const struct qn_recipe_file *wanted,
                                    struct qn_source_file *file, struct qn_error *error) {
  char name[CACHE_NAME];
  const int descriptor =
      cache_name(wanted, NULL, name) ? qn_download_find(name, wanted->bytes) : -1;
  return descriptor < 0 ? qn_fail(error, QN_SYSTEM, "it is not in the cache")
                        : take(wanted, descriptor, "the cache", file, error);
}

static enum qn_status download(const struct qn_recipe_file *wanted, const char *url,
                               struct qn_source_file *file, struct qn_error *error) {
  char name[CACHE_NAME], shown[QN_PATH_SHOWN], known[CACHE_NAME];
  struct qn_download job = {url, name, wanted->bytes, wanted->sha256 != NULL};
  bool resumed;
  int descriptor;
  enum qn_status status;
  cache_name(wanted, url, name);
  do {
    status = qn_download(&job, &descriptor, &resumed, error);
    if (!status)
      status = take(wanted, descriptor, qn_path_shown(url, shown, sizeof shown), file, error);
    job.resume = false;
  } while (status == QN_INVALID && resumed); /* the part that came before may be damaged */
  if (status || wanted->sha256)
    return status;
  snprintf(known, sizeof known, "sha256-%s", file->sums.sha256);
  qn_cache_rename(name, known);
  return QN_OK;
}

static enum qn_status download_from(const struct qn_recipe_file *wanted, const char *folder,
                                    struct qn_source_file *file, struct qn_error *error) {
  char url[PATH_MAX];
  const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
  if (snprintf(url, sizeof url, "%s%s%s", folder, slash, wanted->name) >= (int)sizeof url)
    return qn_fail(error, QN_USAGE, "the URL is too long");
  return download(wanted, url, file, error);
}

/* ---- The whole --------------------------------------------------------------- */

/* Looking elsewhere goes on, but not after an interrupt. */
static bool goes_on(enum qn_status status) {
  return status == QN_INVALID || status == QN_SYSTEM;
}

/* What is said if nothing is found: that another file was there, or else what came last. */
static void keep(struct qn_error *error, const struct qn_error *tried) {
  char text[1200];
  qn_notice("%s", qn_error_text(tried, text, sizeof text));
  if (error->status != QN_INVALID || tried->status == QN_INVALID)
    *error = *tried;
}

/* A file that is not in a folder, or in the cache, is nothing to speak of. */
static enum qn_status look_here(const struct qn_recipe_file *wanted,
                                const struct qn_sources *sources, struct qn_source_file *file,
                                struct qn_error *error) {
  struct qn_error tried;
  enum qn_status status = QN_SYSTEM;
  for (unsigned i = 0; i <= sources->num_from && goes_on(status); i++) {
    if (i < sources->num_from && qn_is_url(sources->from[i]))
      continue;
    status = i < sources->num_from ? look_in_folder(wanted, sources->from[i], file, &tried)
                                   : look_in_cache(wanted, file, &tried);
    if (status && status != QN_SYSTEM)
      keep(error, &tried);
  }
  return status && goes_on(status) ? error->status : status;
}

static enum qn_status look_on_servers(const struct qn_recipe_file *wanted,
                                      const struct qn_sources *sources, struct qn_source_file *file,
                                      struct qn_error *error) {
  struct qn_error tried;
  enum qn_status status = error->status;
  for (unsigned i = 0; i < sources->num_from && goes_on(status); i++) {
    if (!qn_is_url(sources->from[i]))
      continue;
    status = download_from(wanted, sources->from[i], file, &tried);
    if (status)
      keep(error, &tried);
  }
  for (size_t i = 0; i < json_array_size(wanted->urls) && goes_on(status); i++) {
    status = download(wanted, json_string_value(json_array_get(wanted->urls, i)), file, &tried);
    if (status)
      keep(error, &tried);
  }
  return status && goes_on(status) ? error->status : status;
}

enum qn_status qn_source_file_find(const struct qn_recipe *recipe, uint64_t number,
                                   const struct qn_sources *sources, struct qn_source_file *file,
                                   struct qn_error *error) {
  const struct qn_recipe_file *wanted = &recipe->files[number];
  *file = (struct qn_source_file){.descriptor = -1};
  if (sources->offline)
    qn_fail(error, QN_SYSTEM,
            "'%s' is not in the cache; without --offline it is downloaded, and --from DIR says "
            "where it is",
            wanted->name);
  else
    qn_fail(error, QN_SYSTEM, "the recipe has no URL for '%s'; --from DIR says where it is",
            wanted->name);
  enum qn_status status = look_here(wanted, sources, file, error);
  return sources->offline || !goes_on(status) ? status
                                              : look_on_servers(wanted, sources, file, error);
}
