#include "support/input/zip_members.h"

#include <errno.h>
#include <string.h>

#include "support/checked.h"
#include "support/input/crc32.h"
#include "support/input/member_names.h"
#include "support/input/source.h"
#include "support/memory.h"
#include "support/sizes.h"

#define MAX_MEMBERS 1000

/* Of a zip's local header: the name's length at 26, and the name at 30. */
bool qn_input_is_npz(const char *head, uint64_t bytes) {
  enum { NAME_AT = 30 };
  if (bytes < NAME_AT || memcmp(head, "PK\x03\x04", 4) != 0)
    return false;
  uint64_t length = (unsigned char)head[26] | (uint64_t)(unsigned char)head[27] << 8;
  return length > 4 && length <= bytes - NAME_AT &&
         memcmp(head + NAME_AT + length - 4, ".npy", 4) == 0;
}

static enum qn_status refuse(const struct qn_zip *zip, struct qn_error *error, const char *format,
                             const char *text) {
  char printable[200];
  uint64_t i = 0;
  for (; text[i] && i + 1 < sizeof printable; i++)
    printable[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
  printable[i] = 0;
  qn_fail(error, QN_INVALID, format, printable);
  return qn_error_in_file(error, zip->file);
}

static enum qn_status fail_damaged(const struct qn_zip *zip, struct archive *reader,
                                   struct qn_error *error) {
  if (archive_errno(reader) == ENOMEM)
    return qn_fail_memory(error, "unpacking", 0);
  return refuse(zip, error, "damaged or truncated (zip): %s", qn_unpacking_error(reader));
}

static enum qn_status open_reader(const struct qn_zip *zip, struct archive **reader,
                                  struct qn_error *error) {
  *reader = archive_read_new();
  if (!*reader)
    return qn_fail_memory(error, "a zip reader", 0);
  archive_read_support_format_zip(*reader);
  return archive_read_open_memory(*reader, zip->data, zip->bytes) == ARCHIVE_OK
             ? QN_OK
             : fail_damaged(zip, *reader, error);
}

/* The next header that is not a folder's; `*entry` NULL at the end. */
static enum qn_status next_entry(const struct qn_zip *zip, struct archive *reader,
                                 struct archive_entry **entry, struct qn_error *error) {
  int result;
  do
    result = qn_next_member(reader, entry);
  while (result == ARCHIVE_RETRY || (result >= ARCHIVE_WARN && result != ARCHIVE_EOF &&
                                     archive_entry_filetype(*entry) == AE_IFDIR));
  if (result == ARCHIVE_EOF)
    *entry = NULL;
  return result == ARCHIVE_EOF || result == ARCHIVE_OK || result == ARCHIVE_WARN
             ? QN_OK
             : fail_damaged(zip, reader, error);
}

static enum qn_status add_member(struct qn_zip *zip, struct archive_entry *entry,
                                 struct qn_error *error) {
  const char *name = qn_member_name(entry);
  if (!name || qn_zip_find(zip, name))
    return refuse(zip, error, "damaged (zip): the name '%s' is not one member's alone",
                  name ? name : "");
  if (zip->num_members == MAX_MEMBERS)
    return refuse(zip, error, "%s", "a zip archive of more than 1000 members is not a graph");
  if (!archive_entry_size_is_set(entry) || archive_entry_size(entry) < 0)
    return refuse(zip, error, "damaged (zip): the size of '%s' is nowhere", name);
  enum qn_status status =
      qn_realloc(&zip->members, zip->num_members + 1, sizeof *zip->members, "members", error);
  if (status)
    return status;
  struct qn_zip_member *member = &zip->members[zip->num_members];
  *member = (struct qn_zip_member){.bytes = (uint64_t)archive_entry_size(entry)};
  status = qn_alloc(&member->name, strlen(name) + 1, 1, "a member's name", error);
  if (status)
    return status;
  strcpy(member->name, name);
  zip->num_members++;
  return QN_OK;
}

/* Refuse what expands beyond reason before memory is taken for it. */
static enum qn_status check_expansion(const struct qn_zip *zip,
                                      const struct qn_input_options *limits,
                                      struct qn_error *error) {
  uint64_t total = 0;
  char size[32];
  for (uint32_t i = 0; i < zip->num_members; i++)
    if (!qn_add_u64(total, zip->members[i].bytes, &total))
      total = UINT64_MAX;
  if (total > limits->max_bytes)
    return refuse(zip, error, "unpacks to more than %s; raise --max-bytes to accept it",
                  qn_size_text(limits->max_bytes, size, sizeof size));
  if (total > QN_INPUT_FREE_EXPANSION &&
      (total - QN_INPUT_FREE_EXPANSION) / zip->bytes >= limits->max_expansion)
    return refuse(zip, error, "%s",
                  "expands as archive bombs do; raise --max-expansion to accept it");
  return QN_OK;
}

static uint64_t load_u16(const char *at) {
  return (unsigned char)at[0] | (uint64_t)(unsigned char)at[1] << 8;
}

static uint64_t load_u32(const char *at) {
  return load_u16(at) | load_u16(at + 2) << 16;
}

/* libarchive reads zip files without their end too: but those were cut. The record at the end is 22
 * bytes, and a comment of the length in its last two. NULL if there is none. */
static const char *find_end(const char *data, uint64_t bytes) {
  enum { RECORD = 22, MOST_COMMENT = 65535 };
  for (uint64_t comment = 0; comment <= MOST_COMMENT && comment + RECORD <= bytes; comment++) {
    const char *at = data + bytes - comment - RECORD;
    if (memcmp(at, "PK\x05\x06", 4) == 0 && load_u16(at + 20) == comment)
      return at;
  }
  return NULL;
}

/* The content of a member of which the directory says that it is stored, as its own header does. */
static void place_stored(struct qn_zip *zip, const char *entry, uint64_t name_bytes) {
  enum { HEADER = 30, ENCRYPTED = 1 };
  uint64_t bytes = load_u32(entry + 20), header = load_u32(entry + 42);
  if (load_u16(entry + 8) & ENCRYPTED || load_u16(entry + 10) != 0 ||
      load_u32(entry + 24) != bytes || header > zip->bytes || zip->bytes - header < HEADER)
    return;
  const char *at = zip->data + header;
  uint64_t begin = header + HEADER + load_u16(at + 26) + load_u16(at + 28);
  if (memcmp(at, "PK\x03\x04", 4) != 0 || load_u16(at + 8) != 0 ||
      load_u16(at + 26) != name_bytes || begin > zip->bytes || bytes > zip->bytes - begin ||
      memcmp(at + HEADER, entry + 46, name_bytes) != 0)
    return;
  for (uint32_t i = 0; i < zip->num_members; i++) {
    struct qn_zip_member *member = &zip->members[i];
    if (strlen(member->name) != name_bytes || memcmp(member->name, entry + 46, name_bytes) != 0 ||
        member->bytes != bytes)
      continue;
    member->stored = zip->data + begin;
    member->crc = (uint32_t)load_u32(entry + 16);
  }
}

/* Members that are not packed are used where they lie. Others, and whatever is unusual (archives of
 * more than 4 GiB too), are left to libarchive. */
static void find_stored(struct qn_zip *zip, const char *end) {
  enum { ENTRY = 46 };
  uint64_t entries = load_u16(end + 10), at = load_u32(end + 16);
  for (uint64_t i = 0; i < entries && at < zip->bytes && zip->bytes - at >= ENTRY; i++) {
    const char *entry = zip->data + at;
    uint64_t name_bytes = load_u16(entry + 28);
    uint64_t bytes = ENTRY + name_bytes + load_u16(entry + 30) + load_u16(entry + 32);
    if (memcmp(entry, "PK\x01\x02", 4) != 0 || bytes > zip->bytes - at)
      return;
    place_stored(zip, entry, name_bytes);
    at += bytes;
  }
}

enum qn_status qn_zip_open(const char *file, const char *data, uint64_t bytes,
                           const struct qn_input_options *limits, struct qn_zip *zip,
                           struct qn_error *error) {
  struct archive *reader;
  struct archive_entry *entry;
  *zip = (struct qn_zip){.file = file, .data = data, .bytes = bytes};
  const char *end = find_end(data, bytes);
  if (!end)
    return refuse(zip, error, "%s", "damaged or truncated (zip): its end is missing");
  enum qn_status status = open_reader(zip, &reader, error);
  while (!status && !(status = next_entry(zip, reader, &entry, error)) && entry)
    status = add_member(zip, entry, error);
  if (!status)
    status = check_expansion(zip, limits, error);
  archive_read_free(reader);
  if (status)
    qn_zip_close(zip);
  else
    find_stored(zip, end);
  return status;
}

void qn_zip_close(struct qn_zip *zip) {
  for (uint32_t i = 0; i < zip->num_members; i++) {
    qn_pages_free(zip->members[i].owned, zip->members[i].bytes, 1);
    qn_free(zip->members[i].name);
  }
  qn_free(zip->members);
  *zip = (struct qn_zip){0};
}

struct qn_zip_member *qn_zip_find(const struct qn_zip *zip, const char *name) {
  for (uint32_t i = 0; i < zip->num_members; i++)
    if (strcmp(zip->members[i].name, name) == 0)
      return &zip->members[i];
  return NULL;
}

/* ---- Content -------------------------------------------------------------- */

static bool lies_in(const struct qn_zip *zip, const char *at, uint64_t bytes) {
  uintptr_t begin = (uintptr_t)zip->data, from = (uintptr_t)at;
  return from >= begin && from - begin <= zip->bytes && bytes <= zip->bytes - (from - begin);
}

/* From the place where a stored member's first block lies, all of it lies. Others are copied. */
static enum qn_status take_block(const struct qn_zip *zip, struct qn_zip_member *member,
                                 const char *block, uint64_t bytes, uint64_t offset,
                                 struct qn_error *error) {
  if (offset > member->bytes || bytes > member->bytes - offset)
    return refuse(zip, error, "damaged (zip): '%s' is longer than announced", member->name);
  if (offset == 0 && lies_in(zip, block, member->bytes)) {
    member->data = block;
    return QN_OK;
  }
  if (member->data && !member->owned && block == member->data + offset)
    return QN_OK;
  if (!member->owned) {
    enum qn_status status = qn_pages_alloc(&member->owned, member->bytes, 1, "an array", error);
    if (status)
      return status;
    if (member->data)
      memcpy(member->owned, member->data, offset);
    member->data = member->owned;
  }
  memcpy(member->owned + offset, block, bytes);
  return QN_OK;
}

static enum qn_status read_member(const struct qn_zip *zip, struct archive *reader,
                                  struct qn_zip_member *member, struct qn_error *error) {
  uint64_t taken = 0;
  member->data = "";
  for (;;) {
    const void *block;
    size_t bytes;
    la_int64_t offset;
    int result = archive_read_data_block(reader, &block, &bytes, &offset);
    if (result == ARCHIVE_RETRY)
      continue;
    if (result == ARCHIVE_EOF)
      break;
    if (result != ARCHIVE_OK) /* a warning here is a wrong checksum */
      return fail_damaged(zip, reader, error);
    if ((uint64_t)offset != taken)
      return refuse(zip, error, "damaged (zip): '%s' has a hole", member->name);
    if (bytes == 0)
      continue;
    enum qn_status status = take_block(zip, member, block, bytes, taken, error);
    if (status)
      return status;
    taken += bytes;
  }
  return taken == member->bytes
             ? QN_OK
             : refuse(zip, error, "damaged (zip): '%s' is shorter than announced", member->name);
}

/* Read one member, with a reader of its own. */
static enum qn_status load_member(const struct qn_zip *zip, struct qn_zip_member *member,
                                  struct qn_error *error) {
  struct archive *reader;
  struct archive_entry *entry;
  enum qn_status status = open_reader(zip, &reader, error);
  while (!status && !(status = next_entry(zip, reader, &entry, error)) && entry) {
    const char *name = qn_member_name(entry);
    if (name && strcmp(name, member->name) == 0) {
      status = read_member(zip, reader, member, error);
      break;
    }
  }
  archive_read_free(reader);
  return status;
}

static enum qn_status check_stored(const struct qn_zip *zip, struct qn_zip_member *member,
                                   struct qn_error *error) {
  member->data = member->stored;
  return qn_crc32_parallel(member->data, member->bytes) == member->crc
             ? QN_OK
             : refuse(zip, error, "damaged (zip): the checksum of '%s' is wrong", member->name);
}

enum qn_status qn_zip_load(struct qn_zip *zip, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < zip->num_members && !status; i++)
    if (zip->members[i].wanted && zip->members[i].stored)
      status = check_stored(zip, &zip->members[i], error);
  if (status)
    return status;
  uint32_t first = UINT32_MAX; /* the first that failed, whatever the order of threads */
#pragma omp parallel for schedule(dynamic, 1)
  for (uint32_t i = 0; i < zip->num_members; i++) {
    struct qn_error own;
    enum qn_status failed = zip->members[i].wanted && !zip->members[i].stored
                                ? load_member(zip, &zip->members[i], &own)
                                : QN_OK;
#pragma omp critical(zip_failure)
    if (failed && i < first) {
      first = i;
      status = failed;
      if (error)
        *error = own;
    }
  }
  return status;
}
