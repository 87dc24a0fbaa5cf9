#include "formats/bundle/sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/bundle/hash.h"
#include "formats/container/listed_folder.h"
#include "formats/set/manifest.h"
#include "support/atomic_file.h"
#include "support/atomic_folder.h"
#include "support/memory.h"

uint64_t qn_bundle_set_count(const struct qn_set *set) {
  return set->num_ranges + set->num_parts;
}

const struct qn_set_file *qn_bundle_set_file(const struct qn_set *set, uint64_t index) {
  return index < set->num_ranges ? &set->ranges[index].file
                                 : &set->parts[index - set->num_ranges].file;
}

static enum qn_status refuse(const struct qn_bundle *bundle, struct qn_error *error,
                             const char *what, const char *name) {
  qn_fail(error, QN_INVALID, what, name);
  return qn_error_in_file(error, qn_bundle_path(bundle)), QN_INVALID;
}

static bool says(const struct qn_bundle_member *member, const char *key, const char *text) {
  return strcmp(json_string_value(json_object_get(member->entry, key)), text) == 0;
}

/* The member is the file that the set's manifest lists. */
static bool fits(const struct qn_bundle_member *member, const struct qn_set_file *file) {
  char identity[20];
  snprintf(identity, sizeof identity, "%016" PRIx64, file->identity);
  return strcmp(member->name, file->name) == 0 && says(member, "identity", identity) &&
         (uint64_t)json_integer_value(json_object_get(member->entry, "bytes")) == file->bytes;
}

static enum qn_status check_files(const struct qn_bundle *bundle, const struct qn_set *set,
                                  struct qn_error *error) {
  char identity[20];
  const uint64_t count = qn_bundle_set_count(set);
  if (qn_bundle_count(bundle) != count)
    return refuse(bundle, error, "B-7: the members are not the files of the set", NULL);
  for (uint64_t i = 0; i < count; i++)
    if (!fits(qn_bundle_member(bundle, (uint32_t)i), qn_bundle_set_file(set, i)))
      return refuse(bundle, error, "B-7: member %.200s is not the file that the set has there",
                    qn_bundle_member(bundle, (uint32_t)i)->name);
  snprintf(identity, sizeof identity, "%016" PRIx64, set->identity);
  return says(qn_bundle_set(bundle), "identity", identity)
             ? QN_OK
             : refuse(bundle, error, "B-7: the identity is not that of the set", NULL);
}

enum qn_status qn_bundle_check_set(const struct qn_bundle *bundle, struct qn_error *error) {
  const struct qn_bundle_member *member = qn_bundle_set(bundle);
  const char *text = qn_bundle_set_text(bundle);
  struct qn_set *set;
  char hash[33];
  qn_bundle_hash(text, member->bytes, hash);
  if (!says(member, "xxh3_128", hash))
    return refuse(bundle, error, "B-5: %s is not the one that the manifest describes",
                  member->name);
  enum qn_status status = qn_alloc_zeroed(&set, 1, sizeof *set, "a set", error);
  if (status)
    return status;
  set->path = strdup(qn_bundle_path(bundle));
  status = set->path ? qn_set_take_manifest(set, text, member->bytes, error)
                     : qn_fail_memory(error, "a path", 0);
  if (!status)
    status = check_files(bundle, set, error);
  qn_set_close(set);
  return status;
}

/* ---- Putting a set back ------------------------------------------------------- */

static enum qn_status write_manifest(const struct qn_bundle *bundle, const char *path,
                                     struct qn_error *error) {
  struct qn_atomic_file *file;
  enum qn_status status = qn_atomic_file_create(path, false, &file, error);
  if (status)
    return status;
  status = qn_atomic_file_write(file, qn_bundle_set_text(bundle), qn_bundle_set(bundle)->bytes, 0,
                                error);
  if (!status)
    return qn_atomic_file_commit(file, error);
  qn_atomic_file_abort(file);
  return status;
}

static enum qn_status write_files(const struct qn_bundle *bundle, struct qn_atomic_folder *folder,
                                  struct qn_error *error) {
  const char *path;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < qn_bundle_count(bundle); i++) {
    const struct qn_bundle_member *member = qn_bundle_member(bundle, i);
    status = qn_atomic_folder_add(folder, member->name, &path, error);
    if (!status)
      status = qn_bundle_extract(bundle, member, path, false, error);
  }
  if (!status)
    status = qn_atomic_folder_add(folder, QN_SET_MANIFEST, &path, error);
  return status ? status : write_manifest(bundle, path, error);
}

enum qn_status qn_bundle_extract_set(const struct qn_bundle *bundle, const char *path, bool force,
                                     struct qn_error *error) {
  struct qn_atomic_folder *folder;
  if (strcmp(path, "-") == 0)
    return qn_fail(error, QN_USAGE, "a set is a folder of files, not a stream");
  enum qn_status status = force ? qn_listed_folder_check(path, QN_SET_MANIFEST, error) : QN_OK;
  if (!status)
    status = qn_atomic_folder_create(path, force, &folder, error);
  if (status)
    return status;
  status = write_files(bundle, folder, error);
  if (!status)
    return qn_atomic_folder_commit(folder, error);
  qn_atomic_folder_abort(folder);
  return status;
}
