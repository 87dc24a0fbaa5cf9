#include "kernels/jit/engine_headers.h"

#include <dlfcn.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/system/program_path.h"
#include "support/tool.h"

/* Any folder with this file is one of engines' headers. */
#define LANDMARK "kernels/programs/program.h"

/* Where they lie, seen from the folder of the tools or of the library: in the Python package,
 * beside an installed library, beside installed tools, in build/bin or build/lib of a source tree,
 * in build/VARIANT/bin, in build/SYSTEM/VARIANT/bin. */
static const char *const places[] = {"engines",
                                     "quern/" QN_VERSION "/engines",
                                     "../lib/quern/" QN_VERSION "/engines",
                                     "../..",
                                     "../../..",
                                     "../../../.."};
#define INSTALLED 2

/* Where a shared library was loaded from, even if that was said relative to another folder. */
static bool find_library(const char *name, char file[QN_PATH_BYTES]) {
  char folder[PATH_MAX];
  const char *slash = strrchr(name, '/');
  void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  bool found = library && !dlinfo(library, RTLD_DI_ORIGIN, folder);
  if (library)
    dlclose(library);
  return found &&
         snprintf(file, QN_PATH_BYTES, "%s/%s", folder, slash ? slash + 1 : name) < QN_PATH_BYTES;
}

static bool find_program(char file[QN_PATH_BYTES]) {
  qn_program_path(file, QN_PATH_BYTES);
  return file[0] != '\0';
}

enum qn_status qn_engine_host(char file[QN_PATH_BYTES], bool *is_program, struct qn_error *error) {
  Dl_info about;
  struct link_map *object = NULL;
  const int known =
      dladdr1((void *)(uintptr_t)qn_engine_host, &about, (void **)&object, RTLD_DL_LINKMAP);
  *is_program = !known || !*object->l_name;
  if (*is_program ? find_program(file) : find_library(object->l_name, file))
    return QN_OK;
  return qn_fail(error, QN_SYSTEM, "cannot find the file that this code is in");
}

static bool has_headers(const char *folder) {
  char file[QN_PATH_BYTES];
  const int length = snprintf(file, sizeof file, "%s/" LANDMARK, folder);
  return length < (int)sizeof file && access(file, R_OK) == 0;
}

enum qn_status qn_engine_headers_find(char folder[QN_PATH_BYTES], struct qn_error *error) {
  char host[QN_PATH_BYTES];
  bool is_program;
  const char *named = getenv("QUERN_ENGINES");
  if (named && *named) {
    if (has_headers(named) && realpath(named, folder))
      return QN_OK;
    return qn_fail(error, QN_SYSTEM, "QUERN_ENGINES names %s, which has no " LANDMARK, named);
  }
  enum qn_status status = qn_engine_host(host, &is_program, error);
  if (status)
    return status;
  strrchr(host, '/')[1] = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char place[QN_PATH_BYTES + 64];
    snprintf(place, sizeof place, "%s%s", host, places[i]);
    if (has_headers(place) && realpath(place, folder))
      return QN_OK;
  }
  return qn_fail(error, QN_SYSTEM,
                 "the headers of the engines are not where `scons install` puts them, in %s%s; "
                 "QUERN_ENGINES may name their folder",
                 host, places[INSTALLED]);
}

static int by_name(const FTSENT **a, const FTSENT **b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_header(const FTSENT *entry) {
  const char *end = strrchr(entry->fts_name, '.');
  return entry->fts_info == FTS_F && end && (strcmp(end, ".h") == 0 || strcmp(end, ".cuh") == 0);
}

static enum qn_status hash_file(const char *path, const char *name, XXH3_state_t *hash,
                                struct qn_error *error) {
  char block[4096];
  size_t count;
  FILE *file = fopen(path, "re");
  if (!file)
    return qn_fail_errno(error, "%s: cannot open", path);
  XXH3_128bits_update(hash, name, strlen(name) + 1);
  while ((count = fread(block, 1, sizeof block, file)) > 0)
    XXH3_128bits_update(hash, block, count);
  const bool failed = ferror(file);
  fclose(file);
  return failed ? qn_fail_errno(error, "%s: cannot read", path) : QN_OK;
}

static enum qn_status hash_tree(const char *folder, const char *part, XXH3_state_t *hash,
                                struct qn_error *error) {
  char root[QN_PATH_BYTES];
  char *roots[] = {root, NULL};
  if (snprintf(root, sizeof root, "%s/%s", folder, part) >= (int)sizeof root)
    return qn_fail(error, QN_SYSTEM, "the path of the engines' headers is too long");
  FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
  if (!tree)
    return qn_fail_errno(error, "%s: cannot read the folder", root);
  enum qn_status status = QN_OK;
  for (FTSENT *entry; !status && (entry = fts_read(tree));)
    if (is_header(entry))
      status = hash_file(entry->fts_path, entry->fts_path + strlen(folder), hash, error);
  fts_close(tree);
  return status;
}

enum qn_status qn_engine_headers_hash(const char *folder, XXH3_state_t *hash,
                                      struct qn_error *error) {
  static const char *const parts[] = {"formats", "include", "kernels", "support"};
  enum qn_status status = QN_OK;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
    status = hash_tree(folder, parts[i], hash, error);
  return status;
}
