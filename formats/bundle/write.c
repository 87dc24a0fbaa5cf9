/* Writing bundles. Each member is first made beside the bundle, since a tar wants its size in
 * front, as a file without a name. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "formats/bundle/hash.h"
#include "formats/bundle/sets.h"
#include "formats/bundle/write.h"
#include "formats/container/container_disk.h"
#include "formats/container/stripes.h"
#include "support/atomic_file.h"
#include "support/memory.h"
#include <quern/archive.h>
#include <quern/layouts.h>
#include <quern/metadata.h>

/* One input on its way into the bundle. */
struct member {
  const char *path;
  const char *name;
  const struct qn_set_file *file; /* that it is to be, of a set; NULL: a container of any kind */
  int descriptor;                 /* of its archive form; -1: none */
  uint64_t bytes;                 /* of the archive form */
  json_t *entry;                  /* of the manifest */
};

/* Open files besides those of the members. */
#define OTHER_FILES 64

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static enum qn_status check_names(char *const *inputs, uint32_t num_inputs,
                                  struct qn_error *error) {
  for (uint32_t i = 0; i < num_inputs; i++) {
    const char *name = base_name(inputs[i]);
    if (strcmp(name, QN_BUNDLE_MANIFEST) == 0)
      return qn_fail(error, QN_USAGE, "a member cannot be called %s", name);
    for (uint32_t j = 0; j < i; j++)
      if (strcmp(base_name(inputs[j]), name) == 0)
        return qn_fail(error, QN_USAGE, "two inputs are called %.200s; rename one", name);
  }
  return QN_OK;
}

static enum qn_status describe_member(struct member *member, const struct qn_container *container,
                                      struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  char hash[33], identity[20];
  qn_bundle_hash(qn_container_bytes(container), info->file_bytes, hash);
  snprintf(identity, sizeof identity, "%016" PRIx64, info->header_checksum);
  member->entry =
      json_pack("{s:s, s:s, s:I, s:s, s:s, s:I}", "name", member->name, "role",
                qn_layout_name(info->layout), "bytes", (json_int_t)info->file_bytes, "xxh3_128",
                hash, "identity", identity, "archive_bytes", (json_int_t)member->bytes);
  if (!member->entry)
    return qn_fail(error, QN_INVALID, "the name '%.200s' is not UTF-8: rename the file",
                   member->name);
  json_t *metadata;
  enum qn_status status = qn_container_metadata(container, &metadata, error);
  if (metadata)
    json_object_set_new(member->entry, "provenance", metadata);
  return status;
}

static enum qn_status keep_file(void *context, int descriptor, struct qn_error *error) {
  struct member *member = context;
  member->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  off_t end = member->descriptor < 0 ? -1 : lseek(member->descriptor, 0, SEEK_END);
  if (end < 0)
    return qn_fail_errno(error, "cannot read back a member");
  member->bytes = (uint64_t)end;
  return QN_OK;
}

/* A file of a set is the one that was checked with it. */
static enum qn_status check_member(const struct member *member,
                                   const struct qn_container *container, struct qn_error *error) {
  if (!member->file)
    return qn_container_check(container, error);
  if (qn_container_info(container)->header_checksum == member->file->identity)
    return QN_OK;
  qn_fail(error, QN_INVALID, "the file changed while the set was read");
  return qn_error_in_file(error, member->path), QN_INVALID;
}

static enum qn_status prepare_member(struct member *member, const char *scratch, int level,
                                     struct qn_error *error) {
  struct qn_container *container;
  enum qn_status status =
      qn_container_map(member->path, member->file ? QN_MAP_RECTANGULAR : 0, &container, error);
  if (!status)
    status = check_member(member, container, error);
  if (!status)
    status = qn_archive_write_aside(container, scratch, level, keep_file, member, error);
  if (!status)
    status = describe_member(member, container, error);
  qn_container_unmap(container);
  return status;
}

static enum qn_status fail_tar(struct qn_error *error, struct archive *tar) {
  const char *why = archive_error_string(tar);
  return qn_fail(error, QN_SYSTEM, "cannot write the bundle: %s", why ? why : "no reason given");
}

static enum qn_status begin_entry(struct archive *tar, const char *name, uint64_t bytes,
                                  struct qn_error *error) {
  struct archive_entry *entry = archive_entry_new();
  if (!entry)
    return qn_fail_memory(error, "a tar entry", 0);
  archive_entry_set_pathname_utf8(entry, name);
  archive_entry_set_size(entry, (la_int64_t)bytes);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_mtime(entry, 0, 0);
  int result = archive_write_header(tar, entry);
  archive_entry_free(entry);
  return result == ARCHIVE_OK ? QN_OK : fail_tar(error, tar);
}

static enum qn_status write_member(struct archive *tar, const struct member *member,
                                   struct qn_error *error) {
  enum qn_status status = begin_entry(tar, member->name, member->bytes, error);
  if (status)
    return status;
  void *content = mmap(NULL, member->bytes, PROT_READ, MAP_SHARED, member->descriptor, 0);
  if (content == MAP_FAILED)
    return qn_fail_errno(error, "cannot read back a member");
  la_ssize_t written = archive_write_data(tar, content, member->bytes);
  munmap(content, member->bytes);
  return written == (la_ssize_t)member->bytes ? QN_OK : fail_tar(error, tar);
}

static enum qn_status write_manifest(struct archive *tar, const struct member *members,
                                     uint32_t num_members, int version, struct qn_error *error) {
  char checksum[17];
  json_t *list = json_array();
  for (uint32_t i = 0; i < num_members; i++)
    json_array_append(list, members[i].entry);
  enum qn_status status = qn_bundle_hash_members(list, checksum, error);
  if (status) {
    json_decref(list);
    return status;
  }
  json_t *manifest = json_pack("{s:s, s:i, s:s, s:o}", "format", "quern-bundle", "version", version,
                               "checksum", checksum, "members", list);
  char *text = manifest ? json_dumps(manifest, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
  json_decref(manifest);
  if (!text)
    return qn_fail_memory(error, "the manifest", 0);
  size_t length = strlen(text);
  status = begin_entry(tar, QN_BUNDLE_MANIFEST, length, error);
  if (!status && archive_write_data(tar, text, length) != (la_ssize_t)length)
    status = fail_tar(error, tar);
  free(text);
  return status;
}

static enum qn_status write_tar(struct qn_atomic_file *file, const struct member *members,
                                uint32_t num_members, int version, struct qn_error *error) {
  struct archive *tar = archive_write_new();
  if (!tar)
    return qn_fail_memory(error, "a tar writer", 0);
  enum qn_status status = QN_OK;
  if (archive_write_set_format_pax_restricted(tar) != ARCHIVE_OK ||
      archive_write_add_filter_none(tar) != ARCHIVE_OK ||
      archive_write_open_fd(tar, qn_atomic_file_descriptor(file)) != ARCHIVE_OK)
    status = fail_tar(error, tar);
  if (!status)
    status = write_manifest(tar, members, num_members, version, error);
  for (uint32_t i = 0; !status && i < num_members; i++)
    status = write_member(tar, &members[i], error);
  if (!status && archive_write_close(tar) != ARCHIVE_OK)
    status = fail_tar(error, tar);
  archive_write_free(tar);
  return status;
}

static enum qn_status prepare_members(struct member *members, uint32_t num_members,
                                      const char *path, int level, struct qn_error *error) {
  char *scratch;
  enum qn_status status = qn_alloc(&scratch, strlen(path) + 32, 1, "a path", error);
  if (status)
    return status;
  sprintf(scratch, "%s.tmp%ld-member", path, (long)getpid());
  for (uint32_t i = 0; !status && i < num_members; i++)
    if (members[i].descriptor < 0)
      status = prepare_member(&members[i], scratch, level, error);
  qn_free(scratch);
  return status;
}

/* Each member is an open file until the tar is written. */
static enum qn_status allow_files(uint32_t num_members, struct qn_error *error) {
  struct rlimit limit;
  const rlim_t wanted = (rlim_t)num_members + OTHER_FILES;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
    return QN_OK;
  if (limit.rlim_max < wanted)
    return qn_fail(error, QN_SYSTEM,
                   "a bundle of %" PRIu32 " members takes as many open files; %llu are allowed "
                   "(ulimit -n)",
                   num_members, (unsigned long long)limit.rlim_max);
  limit.rlim_cur = wanted;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? QN_OK
                                               : qn_fail_errno(error, "cannot open more files");
}

/* `members` are named; what they hold is given back. */
static enum qn_status create(const char *path, bool force, struct member *members,
                             uint32_t num_members, int version, int level, struct qn_error *error) {
  struct qn_atomic_file *file;
  enum qn_status status = allow_files(num_members, error);
  if (!status)
    status = qn_atomic_file_create(path, force, &file, error);
  const bool begun = !status;
  if (!status)
    status = prepare_members(members, num_members, path, level, error);
  if (!status)
    status = write_tar(file, members, num_members, version, error);
  for (uint32_t i = 0; i < num_members; i++) {
    json_decref(members[i].entry);
    if (members[i].descriptor >= 0)
      close(members[i].descriptor);
  }
  if (!status)
    return qn_atomic_file_commit(file, error);
  if (begun)
    qn_atomic_file_abort(file);
  return status;
}

enum qn_status qn_bundle_create(const char *path, bool force, char *const *inputs,
                                uint32_t num_inputs, int level, struct qn_error *error) {
  struct member *members;
  enum qn_status status = check_names(inputs, num_inputs, error);
  if (!status)
    status = qn_alloc_zeroed(&members, num_inputs, sizeof *members, "bundle members", error);
  if (status)
    return status;
  for (uint32_t i = 0; i < num_inputs; i++)
    members[i] = (struct member){.path = inputs[i], .name = base_name(inputs[i]), .descriptor = -1};
  status = create(path, force, members, num_inputs, 1, level, error);
  qn_free(members);
  return status;
}

/* ---- Of a set ----------------------------------------------------------------- */

static enum qn_status name_file(const char *folder, const char *name, char **path,
                                struct qn_error *error) {
  const size_t room = strlen(folder) + strlen(name) + 2;
  enum qn_status status = qn_alloc(path, room, 1, "a path", error);
  if (!status)
    snprintf(*path, room, "%s/%s", folder, name);
  return status;
}

/* The manifest of a set goes in as it is. */
static enum qn_status describe_manifest(struct member *member, const struct qn_set *set,
                                        struct qn_error *error) {
  char hash[33], identity[20];
  enum qn_status status = qn_bundle_hash_file(member->descriptor, &member->bytes, hash, error);
  if (status)
    return status;
  snprintf(identity, sizeof identity, "%016" PRIx64, set->identity);
  member->entry = json_pack("{s:s, s:s, s:I, s:s, s:s, s:I}", "name", member->name, "role",
                            QN_BUNDLE_SET_ROLE, "bytes", (json_int_t)member->bytes, "xxh3_128",
                            hash, "identity", identity, "archive_bytes", (json_int_t)member->bytes);
  return member->entry ? QN_OK : qn_fail_memory(error, "the manifest", 0);
}

static enum qn_status open_manifest(struct member *member, const struct qn_set *set,
                                    struct qn_error *error) {
  member->descriptor = open(member->path, O_RDONLY | O_CLOEXEC);
  if (member->descriptor < 0)
    return qn_fail_errno(error, "cannot open a set's manifest");
  enum qn_status status = describe_manifest(member, set, error);
  if (status)
    close(member->descriptor);
  return status;
}

/* Its files, and the manifest behind them: [count + 1]. */
static enum qn_status list_files(const struct qn_set *set, struct member *members, char **paths,
                                 uint64_t *bytes, struct qn_error *error) {
  const uint64_t count = qn_bundle_set_count(set);
  enum qn_status status = QN_OK;
  *bytes = 0;
  for (uint64_t i = 0; !status && i < count; i++) {
    const struct qn_set_file *file = qn_bundle_set_file(set, i);
    if (strcmp(file->name, QN_BUNDLE_MANIFEST) == 0)
      return qn_fail(error, QN_USAGE, "a member cannot be called %s", file->name);
    status = name_file(set->path, file->name, &paths[i], error);
    members[i] =
        (struct member){.path = paths[i], .name = file->name, .file = file, .descriptor = -1};
    *bytes += file->bytes;
  }
  if (!status)
    status = name_file(set->path, QN_SET_MANIFEST, &paths[count], error);
  if (status)
    return status;
  members[count] = (struct member){.path = paths[count], .name = QN_SET_MANIFEST, .descriptor = -1};
  status = open_manifest(&members[count], set, error);
  *bytes += members[count].bytes;
  return status;
}

enum qn_status qn_bundle_create_set(const char *path, bool force, const char *set_path, int level,
                                    uint64_t *bytes, struct qn_error *error) {
  struct qn_set *set;
  struct member *members = NULL;
  char **paths = NULL;
  enum qn_status status = qn_set_check(set_path, error);
  if (!status)
    status = qn_set_open(set_path, &set, error);
  if (status)
    return status;
  if (set->num_generations) {
    qn_set_close(set);
    return qn_fail(error, QN_USAGE,
                   "%s has changes to a base, which is not in it: quern-transform --compact makes "
                   "a container of both",
                   set_path);
  }
  if (set->url) {
    qn_set_close(set);
    return qn_fail(error, QN_UNSUPPORTED, "a bundle is made of a set in files: download it first");
  }
  const uint64_t count = qn_bundle_set_count(set) + 1;
  status = qn_alloc_zeroed(&members, count, sizeof *members, "bundle members", error);
  if (!status)
    status = qn_alloc_zeroed(&paths, count, sizeof *paths, "bundle members", error);
  if (!status)
    status = list_files(set, members, paths, bytes, error);
  if (!status)
    status = create(path, force, members, (uint32_t)count, QN_BUNDLE_SET_VERSION, level, error);
  for (uint64_t i = 0; paths && i < count; i++)
    qn_free(paths[i]);
  qn_free(paths);
  qn_free(members);
  qn_set_close(set);
  return status;
}
