#include "runtime/engine_headers.h"

#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/tool.h"

/* Any folder with this file is one of engines' headers. */
#define LANDMARK "kernels/programs/program.h"

/* Where they lie, seen from the folder of the tools: installed, in build/bin of a source tree, in
 * build/VARIANT/bin, in build/SYSTEM/VARIANT/bin. */
static const char *const places[] = {"../lib/quern/" QN_VERSION "/engines", "../..", "../../..",
                                     "../../../.."};

static bool has_headers(const char *folder) {
  char file[QN_PATH_BYTES];
  const int length = snprintf(file, sizeof file, "%s/" LANDMARK, folder);
  return length < (int)sizeof file && access(file, R_OK) == 0;
}

enum qn_status qn_engine_headers_find(char folder[QN_PATH_BYTES], struct qn_error *error) {
  char tools[QN_TOOL_FOLDER_BYTES];
  const char *named = getenv("QUERN_ENGINES");
  if (named && *named) {
    if (has_headers(named) && realpath(named, folder))
      return QN_OK;
    return qn_fail(error, QN_SYSTEM, "QUERN_ENGINES names %s, which has no " LANDMARK, named);
  }
  if (qn_tool_folder(tools))
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      char place[QN_PATH_BYTES + 64];
      snprintf(place, sizeof place, "%s%s", tools, places[i]);
      if (has_headers(place) && realpath(place, folder))
        return QN_OK;
    }
  return qn_fail(error, QN_SYSTEM,
                 "the headers of the engines are not where `scons install` puts them, in %s%s; "
                 "QUERN_ENGINES may name their folder",
                 tools, places[0]);
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
