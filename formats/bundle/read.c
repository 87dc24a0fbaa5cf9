/* Reading bundles: libarchive walks the mapped tar and so tells where each member's bytes lie. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/bundle/afar.h"
#include "formats/bundle/blocks.h"
#include "formats/bundle/hash.h"
#include "formats/bundle/sets.h"
#include "formats/container/container_disk.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/text/url.h"
#include <quern/archive.h>
#include <quern/bundle.h>

struct qn_bundle {
  char *path; /* as it is shown */
  char *url;  /* of one on a server, as it is asked for; NULL: it is here */
  const uint8_t *content;
  uint64_t bytes;
  json_t *manifest;
  json_t *seen; /* names of members, as keys */
  uint32_t num_members;
  struct qn_bundle_member *members;
  char **names;
  const struct qn_bundle_member *set; /* the last one, if it is set.json */
};

#define MAX_MEMBERS 100000
#define MAX_MANIFEST_BYTES ((uint64_t)1 << 30)

static enum qn_status refuse(const struct qn_bundle *bundle, struct qn_error *error,
                             const char *what) {
  qn_fail(error, QN_INVALID, "%s", what);
  return qn_error_in_file(error, bundle->path), QN_INVALID;
}

static enum qn_status refuse_tar(const struct qn_bundle *bundle, struct archive *tar,
                                 struct qn_error *error, const char *what) {
  bool memory = !archive_error_string(tar) || archive_errno(tar) == ENOMEM;
  return memory ? qn_fail_memory(error, "reading a tar", 0) : refuse(bundle, error, what);
}

static enum qn_status map_file(struct qn_bundle *bundle, struct qn_error *error) {
  struct stat state;
  int descriptor = open(bundle->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 || fstat(descriptor, &state) != 0) {
    qn_fail_errno(error, "cannot open");
    qn_error_in_file(error, bundle->path);
    if (descriptor >= 0)
      close(descriptor);
    return QN_SYSTEM;
  }
  enum qn_status status = QN_OK;
  if (!S_ISREG(state.st_mode) || state.st_size == 0)
    status = refuse(bundle, error, "no bundle: not a file with content");
  if (!status) {
    bundle->bytes = (uint64_t)state.st_size;
    void *content = mmap(NULL, bundle->bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (content == MAP_FAILED)
      status = qn_fail_errno(error, "cannot map the bundle");
    else
      bundle->content = content;
  }
  close(descriptor);
  return status;
}

/* Names are file names: nothing that could lead out of the folder of extraction. */
static bool plain_name(const char *name) {
  return name && *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static enum qn_status add_member(struct qn_bundle *bundle, struct archive_entry *entry,
                                 uint64_t offset, struct qn_error *error) {
  uint32_t index = bundle->num_members;
  const char *name = archive_entry_pathname(entry);
  if (!plain_name(name) || archive_entry_filetype(entry) != AE_IFREG)
    return refuse(bundle, error, "not a bundle: a member is not a plain file name");
  if (json_object_get(bundle->seen, name))
    return refuse(bundle, error, "no bundle: two members have the same name");
  if (json_object_set_new(bundle->seen, name, json_true()) != 0)
    return refuse(bundle, error, "not a bundle: a member's name is not UTF-8");
  if (index >= MAX_MEMBERS)
    return refuse(bundle, error, "no bundle: more than 100000 members");
  enum qn_status status =
      qn_realloc(&bundle->members, index + 1, sizeof *bundle->members, "bundle members", error);
  if (!status)
    status = qn_realloc(&bundle->names, index + 1, sizeof *bundle->names, "bundle members", error);
  if (!status)
    status = qn_alloc(&bundle->names[index], strlen(name) + 1, 1, "a member's name", error);
  if (status)
    return status;
  strcpy(bundle->names[index], name);
  bundle->members[index] = (struct qn_bundle_member){
      .name = bundle->names[index], .offset = offset, .bytes = (uint64_t)archive_entry_size(entry)};
  bundle->num_members++;
  return QN_OK;
}

/* Where the bytes of the entry just read lie in the mapping. */
static bool locate(const struct qn_bundle *bundle, struct archive *tar, struct archive_entry *entry,
                   uint64_t *offset) {
  const void *block;
  size_t bytes;
  la_int64_t position;
  if (archive_entry_size(entry) <= 0 ||
      archive_read_data_block(tar, &block, &bytes, &position) != ARCHIVE_OK || position != 0)
    return false;
  uintptr_t start = (uintptr_t)bundle->content, at = (uintptr_t)block;
  if (at < start || at - start >= bundle->bytes ||
      (uint64_t)archive_entry_size(entry) > bundle->bytes - (at - start))
    return false;
  *offset = at - start;
  return true;
}

static enum qn_status index_members(struct qn_bundle *bundle, struct archive *tar,
                                    struct qn_error *error) {
  struct archive_entry *entry;
  int result;
  while ((result = archive_read_next_header(tar, &entry)) == ARCHIVE_OK) {
    uint64_t offset;
    if (!locate(bundle, tar, entry, &offset))
      return refuse(bundle, error, "not a bundle: a member is empty, sparse or cut short");
    enum qn_status status = add_member(bundle, entry, offset, error);
    if (status)
      return status;
  }
  return result == ARCHIVE_EOF ? QN_OK
                               : refuse_tar(bundle, tar, error, "no bundle: not a tar, or damaged");
}

/* What a tar reader passes over: every byte between the members' contents has its one right value,
 * so that none can change unseen. */
static enum qn_status check_blocks(const struct qn_bundle *bundle, struct qn_error *error) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < bundle->num_members; i++) {
    const struct qn_bundle_member *member = &bundle->members[i];
    uint64_t end = member->offset + member->bytes, padded = qn_tar_block_end(end);
    if (member->offset % QN_TAR_BLOCK || at > member->offset ||
        !qn_tar_headers_are_sound(bundle->content, at, member->offset) || padded > bundle->bytes ||
        !qn_tar_is_blank(bundle->content, end, padded)) {
      qn_fail(error, QN_INVALID, "the tar header or padding of member %.200s is damaged",
              member->name);
      return qn_error_in_file(error, bundle->path), QN_INVALID;
    }
    at = padded;
  }
  if (bundle->bytes - at < 2 * QN_TAR_BLOCK)
    return refuse(bundle, error, "truncated: the end of the tar is missing");
  if (!qn_tar_is_blank(bundle->content, at, bundle->bytes))
    return refuse(bundle, error, "the end of the tar is damaged");
  return QN_OK;
}

static enum qn_status walk(struct qn_bundle *bundle, struct qn_error *error) {
  struct archive *tar = archive_read_new();
  if (!tar)
    return qn_fail_memory(error, "a tar reader", 0);
  enum qn_status status = QN_OK;
  if (archive_read_support_format_tar(tar) != ARCHIVE_OK ||
      archive_read_open_memory(tar, bundle->content, bundle->bytes) != ARCHIVE_OK)
    status = refuse_tar(bundle, tar, error, "no bundle: not a tar");
  if (!status)
    status = index_members(bundle, tar, error);
  if (!status)
    status = check_blocks(bundle, error);
  archive_read_free(tar);
  return status;
}

static enum qn_status check_manifest(const struct qn_bundle *bundle, const json_t *members,
                                     struct qn_error *error) {
  char found[17];
  const char *expected = json_string_value(json_object_get(bundle->manifest, "checksum"));
  if (!expected)
    return refuse(bundle, error, QN_BUNDLE_MANIFEST " has no checksum of its members");
  if (json_object_size(bundle->manifest) != 4)
    return refuse(bundle, error, QN_BUNDLE_MANIFEST " has keys that bundles do not have");
  enum qn_status status = qn_bundle_hash_members(members, found, error);
  if (status)
    return status;
  return strcmp(expected, found) == 0
             ? QN_OK
             : refuse(bundle, error, QN_BUNDLE_MANIFEST " is corrupt: its checksum does not match");
}

/* What the manifest says of member `index`. */
static enum qn_status take_entry(struct qn_bundle *bundle, uint32_t index, const json_t *entry,
                                 struct qn_error *error) {
  struct qn_bundle_member *member = &bundle->members[index];
  const char *name, *role, *identity, *hash;
  json_int_t bytes, packed;
  json_t *provenance = NULL;
  if (json_unpack((json_t *)entry, "{s:s, s:s, s:s, s:s, s:I, s:I, s?o!}", "name", &name, "role",
                  &role, "identity", &identity, "xxh3_128", &hash, "bytes", &bytes, "archive_bytes",
                  &packed, "provenance", &provenance) != 0 ||
      (provenance && !json_is_object(provenance)) || strcmp(name, member->name) != 0 ||
      (uint64_t)packed != member->bytes)
    return refuse(bundle, error, "the manifest does not describe the members that are there");
  member->entry = entry;
  if (strcmp(role, QN_BUNDLE_SET_ROLE) != 0)
    return QN_OK;
  if (strcmp(name, QN_SET_MANIFEST) != 0 || index + 1 != bundle->num_members || bytes != packed ||
      provenance)
    return refuse(bundle, error, "the manifest of a set is no last member " QN_SET_MANIFEST);
  bundle->set = member;
  return QN_OK;
}

/* The manifest comes first and has an entry for each of the others, in order. */
static enum qn_status read_manifest(struct qn_bundle *bundle, struct qn_error *error) {
  const char *format;
  json_t *list;
  int version;
  if (bundle->num_members == 0 || strcmp(bundle->members[0].name, QN_BUNDLE_MANIFEST) != 0 ||
      bundle->members[0].bytes > MAX_MANIFEST_BYTES)
    return refuse(bundle, error, "no bundle: its first member is not " QN_BUNDLE_MANIFEST);
  enum qn_status status = qn_json_parse((const char *)bundle->content + bundle->members[0].offset,
                                        bundle->members[0].bytes, JSON_REJECT_DUPLICATES,
                                        &bundle->manifest, NULL, error);
  if (status)
    return status;
  if (json_unpack(bundle->manifest, "{s:s, s:i, s:o}", "format", &format, "version", &version,
                  "members", &list) != 0 ||
      strcmp(format, "quern-bundle") != 0 || !json_is_array(list))
    return refuse(bundle, error, "no bundle: " QN_BUNDLE_MANIFEST " is not a bundle's");
  if (version != 1 && version != QN_BUNDLE_SET_VERSION) {
    qn_fail(error, QN_UNSUPPORTED, "a bundle of version %d; this build reads 1 and %d", version,
            QN_BUNDLE_SET_VERSION);
    return qn_error_in_file(error, bundle->path), QN_UNSUPPORTED;
  }
  status = check_manifest(bundle, list, error);
  if (status)
    return status;
  if (json_array_size(list) + 1 != bundle->num_members)
    return refuse(bundle, error, "the manifest does not name every member");
  for (uint32_t i = 1; !status && i < bundle->num_members; i++)
    status = take_entry(bundle, i, json_array_get(list, i - 1), error);
  if (!status && (version == QN_BUNDLE_SET_VERSION) != (bundle->set != NULL))
    status = refuse(bundle, error, "a bundle has version 2 if it is a set, and only then");
  return status;
}

static enum qn_status name_bundle(struct qn_bundle *bundle, const char *path,
                                  struct qn_error *error) {
  char shown[QN_PATH_SHOWN];
  bundle->path = strdup(qn_path_shown(path, shown, sizeof shown));
  bundle->url = qn_is_url(path) ? strdup(path) : NULL;
  return bundle->path && (bundle->url || !qn_is_url(path))
             ? QN_OK
             : qn_fail_memory(error, "a path", strlen(path));
}

enum qn_status qn_bundle_open(const char *path, struct qn_bundle **out, struct qn_error *error) {
  struct qn_bundle *bundle;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&bundle, 1, sizeof *bundle, "a bundle's record", error);
  if (status)
    return status;
  bundle->seen = json_object();
  status = bundle->seen ? name_bundle(bundle, path, error)
                        : qn_fail_memory(error, "names of members", 0);
  if (!status)
    status = bundle->url ? qn_bundle_bring(path, &bundle->content, &bundle->bytes, error)
                         : map_file(bundle, error);
  if (!status)
    status = walk(bundle, error);
  if (!status)
    status = read_manifest(bundle, error);
  if (!status && bundle->set)
    status = qn_bundle_check_set(bundle, error);
  if (status)
    qn_bundle_close(bundle);
  else
    *out = bundle;
  return status;
}

void qn_bundle_close(struct qn_bundle *bundle) {
  if (!bundle)
    return;
  for (uint32_t i = 0; i < bundle->num_members; i++)
    qn_free(bundle->names[i]);
  qn_free(bundle->names);
  qn_free(bundle->members);
  json_decref(bundle->manifest);
  json_decref(bundle->seen);
  if (bundle->content)
    munmap((void *)bundle->content, bundle->bytes);
  free(bundle->path);
  free(bundle->url);
  qn_free(bundle);
}

/* A regular file: a pipe that is opened and closed again is broken. */
bool qn_bundle_recognise(const char *path) {
  char magic[6] = "", shown[QN_PATH_SHOWN];
  struct stat about;
  if (qn_is_url(path)) {
    const char *end = strrchr(qn_path_shown(path, shown, sizeof shown), '.');
    return end && strcasecmp(end, ".tar") == 0;
  }
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return false;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return false;
  bool tar = pread(descriptor, magic, 5, 257) == 5 && strcmp(magic, "ustar") == 0;
  close(descriptor);
  return tar;
}

const char *qn_bundle_path(const struct qn_bundle *bundle) {
  return bundle->path;
}

uint32_t qn_bundle_count(const struct qn_bundle *bundle) {
  return bundle->num_members - (bundle->set ? 2 : 1);
}

const struct qn_bundle_member *qn_bundle_set(const struct qn_bundle *bundle) {
  return bundle->set;
}

const char *qn_bundle_set_text(const struct qn_bundle *bundle) {
  return (const char *)bundle->content + bundle->set->offset;
}

const struct qn_bundle_member *qn_bundle_member(const struct qn_bundle *bundle, uint32_t index) {
  return &bundle->members[index + 1];
}

enum qn_status qn_bundle_find(const struct qn_bundle *bundle, const char *name,
                              const struct qn_bundle_member **out, struct qn_error *error) {
  char list[400] = "";
  for (uint32_t i = 0; i < qn_bundle_count(bundle); i++) {
    *out = qn_bundle_member(bundle, i);
    if (strcmp((*out)->name, name) == 0)
      return QN_OK;
    if (strlen(list) + strlen((*out)->name) + 3 < sizeof list)
      sprintf(list + strlen(list), "%s%s", *list ? ", " : "", (*out)->name);
  }
  *out = NULL;
  qn_fail(error, QN_USAGE, "no member is called '%.100s'; there are: %s", name, list);
  return qn_error_in_file(error, bundle->path), QN_USAGE;
}

/* B-4 and B-6. Checksums of sections are compared while they are restored; the identity is the
 * checksum of these checksums. */
static enum qn_status check_entry(const struct qn_bundle_member *member,
                                  const struct qn_container *container, struct qn_error *error) {
  const char *role = json_string_value(json_object_get(member->entry, "role"));
  const char *expected = json_string_value(json_object_get(member->entry, "identity"));
  uint64_t identity;
  char text[20];
  enum qn_status status = qn_container_identity(container, &identity, error);
  if (status)
    return status;
  snprintf(text, sizeof text, "%016" PRIx64, identity);
  if (!(qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE))
    status = qn_fail(error, QN_INVALID, "B-4: a member is in archive form, and this is not");
  else if (strcmp(role, qn_layout_name(qn_container_info(container)->layout)) != 0)
    status = qn_fail(error, QN_INVALID,
                     "B-6: this is not the container that the manifest describes, whose role is %s",
                     role);
  else if (strcmp(expected, text) != 0)
    status = qn_fail(error, QN_INVALID,
                     "B-6: this is not the container that the manifest describes: its identity is "
                     "%s, not %s",
                     text, expected);
  if (status)
    qn_error_in_file(error, qn_container_path(container));
  return status;
}

enum qn_status qn_bundle_map(const struct qn_bundle *bundle, const struct qn_bundle_member *member,
                             unsigned flags, struct qn_container **out, struct qn_error *error) {
  const unsigned parts = bundle->set ? flags & QN_MAP_RECTANGULAR : 0;
  enum qn_status status =
      qn_container_map_range(bundle->url ? bundle->url : bundle->path, member->offset,
                             member->bytes, QN_MAP_ARCHIVE | parts, out, error);
  if (!status) {
    char name[4096];
    snprintf(name, sizeof name, "%s:%s", bundle->path, member->name);
    status = qn_container_call(*out, name, error);
    if (!status)
      status = check_entry(member, *out, error);
    if (status) {
      qn_container_unmap(*out);
      *out = NULL;
    }
    return status;
  }
  if (error) {
    char what[600];
    snprintf(what, sizeof what, "member %.100s: %.400s", member->name, error->message);
    snprintf(error->message, sizeof error->message, "%s", what);
  }
  return status;
}

/* The file just restored must be the one that the manifest was written for. */
static enum qn_status compare_with_manifest(void *context, int descriptor, struct qn_error *error) {
  const struct qn_bundle_member *member = context;
  const json_t *entry = member->entry;
  char hash[33];
  uint64_t bytes;
  enum qn_status status = qn_bundle_hash_file(descriptor, &bytes, hash, error);
  if (status)
    return status;
  if (bytes == (uint64_t)json_integer_value(json_object_get(entry, "bytes")) &&
      strcmp(hash, json_string_value(json_object_get(entry, "xxh3_128"))) == 0)
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "member %.200s is valid, but not the container that the manifest describes",
                 member->name);
}

enum qn_status qn_bundle_extract(const struct qn_bundle *bundle,
                                 const struct qn_bundle_member *member, const char *path,
                                 bool force, struct qn_error *error) {
  struct qn_container *container;
  struct qn_bundle_member context = *member;
  enum qn_status status = qn_bundle_map(bundle, member, QN_MAP_RECTANGULAR, &container, error);
  if (status)
    return status;
  status = path ? qn_archive_restore_judged(container, path, force, compare_with_manifest, &context,
                                            error)
                : qn_archive_judge(container, compare_with_manifest, &context, error);
  qn_container_unmap(container);
  return status;
}
