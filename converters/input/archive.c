/* Compressed files and archives, through libarchive, with only the formats
 * that input.h names enabled: each one more is attack surface. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/input/gzip.h"
#include "converters/input/source.h"
#include "support/memory.h"
#include "support/sizes.h"

#define READ_BYTES ((uint64_t)256 << 10)
#define NAME_BYTES 256
#define MAX_LISTED 16
#define TAR_BLOCK 512

struct qn_archive {
  struct archive *reader;
  struct qn_descriptor *descriptor; /* NULL: the archive lies in memory */
  const char *data;                 /* there */
  const char *file_name;
  uint64_t max_bytes;
  uint64_t max_expansion;
  uint64_t delivered; /* decompressed bytes */
  bool one_file;      /* compressed, but no archive */
  bool chosen;        /* the user named the member */
  bool check_gzip;    /* one_file, in gzip and nothing else */
  struct qn_gzip_check gzip;
  bool over;
  enum qn_status read_status; /* of the descriptor, inside libarchive's callback */
  struct qn_error read_error;
  char packing[64];
  char member[NAME_BYTES];
  char *buffer; /* READ_BYTES, for the descriptor */
};

struct magic {
  const char *bytes;
  unsigned length;
};

static const struct magic MAGICS[] = {
    {"\x1f\x8b", 2},         {"\xfd\x37zXZ\0", 6}, {"\x28\xb5\x2f\xfd", 4}, {"\x04\x22\x4d\x18", 4},
    {"\x02\x21\x4c\x18", 4}, {"PK\x03\x04", 4},    {"PK\x05\x06", 4},
};

/* A tar header carries the sum of its own bytes, in octal, counting that field as spaces;
 * old tars have no other mark. */
static bool looks_like_tar(const char *head, uint64_t bytes) {
  if (bytes < TAR_BLOCK)
    return false;
  unsigned sum = 0, stated = 0, digits = 0;
  for (unsigned i = 0; i < TAR_BLOCK; i++)
    sum += i >= 148 && i < 156 ? ' ' : (unsigned char)head[i];
  unsigned i = 148;
  while (i < 156 && head[i] == ' ')
    i++;
  for (; i < 156 && head[i] >= '0' && head[i] <= '7'; i++, digits++)
    stated = 8 * stated + (unsigned)(head[i] - '0');
  return digits && sum == stated;
}

/* "BZh" alone could begin a line of text: the block size and the first byte of a block's or
 * the end's mark tell them apart. */
static bool looks_like_bzip2(const char *head, uint64_t bytes) {
  return bytes >= 5 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' &&
         (head[4] == 0x31 || head[4] == 0x17);
}

bool qn_archive_recognise(const char *head, uint64_t bytes) {
  for (unsigned i = 0; i < sizeof MAGICS / sizeof MAGICS[0]; i++)
    if (bytes >= MAGICS[i].length && memcmp(head, MAGICS[i].bytes, MAGICS[i].length) == 0)
      return true;
  return looks_like_bzip2(head, bytes) || looks_like_tar(head, bytes);
}

/* Names come from hostile files and go to terminals. */
static void copy_printable(char *to, const char *from, uint64_t size) {
  uint64_t i = 0;
  for (; from[i] && i + 1 < size; i++)
    to[i] = (unsigned char)from[i] < 0x20 || from[i] == 0x7f ? '?' : from[i];
  to[i] = '\0';
}

static enum qn_status fail_damaged(struct qn_archive *archive, struct qn_error *error) {
  if (archive->read_status) {
    if (error)
      *error = archive->read_error;
    return archive->read_status;
  }
  const char *reason = archive_error_string(archive->reader);
  if (archive_errno(archive->reader) == ENOMEM)
    return qn_fail_memory(error, "unpacking", 0);
  char text[400];
  copy_printable(text, reason ? reason : "its end is missing", sizeof text);
  qn_fail(error, QN_INVALID, "damaged or truncated (%s): %s", archive->packing, text);
  qn_error_in_file(error, archive->file_name);
  return QN_INVALID;
}

static la_ssize_t read_descriptor(struct archive *reader, void *data, const void **buffer) {
  struct qn_archive *archive = data;
  uint64_t got;
  archive->read_status = qn_descriptor_read(archive->descriptor, archive->buffer, READ_BYTES, &got,
                                            &archive->read_error);
  if (archive->read_status) {
    archive_set_error(reader, EIO, "cannot read");
    return -1;
  }
  *buffer = archive->buffer;
  qn_gzip_check_file(&archive->gzip, archive->buffer, got);
  return (la_ssize_t)got;
}

static const char *entry_name(struct archive_entry *entry) {
  const char *name = archive_entry_pathname(entry);
  if (!name)
    name = archive_entry_pathname_utf8(entry);
  return name ? name : "(unnamed)";
}

/* Folders and links hold nothing; ._* and __MACOSX are the shadows that macOS puts beside every
 * file. */
static bool is_candidate(struct archive_entry *entry) {
  if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
    return false;
  const char *name = entry_name(entry);
  const char *slash = strrchr(name, '/');
  const char *base = slash ? slash + 1 : name;
  return *base && strncmp(base, "._", 2) != 0 && strncmp(name, "__MACOSX/", 9) != 0;
}

static bool same_member(const char *name, const char *wanted) {
  if (strncmp(name, "./", 2) == 0)
    name += 2;
  if (strncmp(wanted, "./", 2) == 0)
    wanted += 2;
  return strcmp(name, wanted) == 0;
}

/* The next header; `*entry` NULL at the archive's end. */
static enum qn_status next_entry(struct qn_archive *archive, struct archive_entry **entry,
                                 struct qn_error *error) {
  int result;
  do
    result = archive_read_next_header(archive->reader, entry);
  while (result == ARCHIVE_RETRY);
  if (result == ARCHIVE_EOF) {
    *entry = NULL;
    return QN_OK;
  }
  /* A warning here concerns the member's name or times. */
  return result == ARCHIVE_OK || result == ARCHIVE_WARN ? QN_OK : fail_damaged(archive, error);
}

/* Append a line for member number `count` to a list, or "..." where there is no room for more. */
static void list_member(char *list, uint64_t size, unsigned count, const char *name) {
  static const char more[] = "\n  ...";
  uint64_t used = strlen(list);
  char printable[NAME_BYTES];
  copy_printable(printable, name, sizeof printable);
  bool ended = used >= sizeof more - 1 && strcmp(list + used - (sizeof more - 1), more) == 0;
  if (ended)
    return;
  bool fits = count < MAX_LISTED && used + strlen(printable) + 3 + sizeof more <= size;
  snprintf(list + used, size - used, "%s%s", fits ? "\n  " : more, fits ? printable : "");
}

static enum qn_status fail_candidates(struct qn_archive *archive, const char *wanted,
                                      const char *list, struct qn_error *error) {
  if (wanted)
    qn_fail(error, QN_INVALID, "the archive has no member '%.100s'; it has:%s%s", wanted, list,
            *list ? "" : " none");
  else if (!*list)
    qn_fail(error, QN_INVALID, "the archive has no file in it");
  else
    qn_fail(error, QN_INVALID,
            "the archive has several files; choose one with --member or FILE:MEMBER:%s", list);
  qn_error_in_file(error, archive->file_name);
  return QN_INVALID;
}

static void describe_packing(struct qn_archive *archive) {
  static const struct {
    int code;
    const char *name;
  } filters[] = {{ARCHIVE_FILTER_GZIP, "gzip"},
                 {ARCHIVE_FILTER_BZIP2, "bzip2"},
                 {ARCHIVE_FILTER_XZ, "xz"},
                 {ARCHIVE_FILTER_ZSTD, "zstd"},
                 {ARCHIVE_FILTER_LZ4, "lz4"}};
  int format = archive_format(archive->reader) & ARCHIVE_FORMAT_BASE_MASK;
  const char *kind = format == ARCHIVE_FORMAT_TAR   ? "tar"
                     : format == ARCHIVE_FORMAT_ZIP ? "zip"
                                                    : "";
  strcpy(archive->packing, kind);
  /* Filter 0 is the innermost. */
  for (int i = 0; i < archive_filter_count(archive->reader); i++)
    for (unsigned k = 0; k < sizeof filters / sizeof filters[0]; k++) {
      uint64_t used = strlen(archive->packing);
      if (archive_filter_code(archive->reader, i) == filters[k].code)
        snprintf(archive->packing + used, sizeof archive->packing - used, "%s%s",
                 used ? " in " : "", filters[k].name);
    }
  archive->one_file = format == ARCHIVE_FORMAT_RAW;
  archive->check_gzip = archive->one_file && strcmp(archive->packing, "gzip") == 0;
}

static enum qn_status fail_empty(const struct qn_archive *archive, struct qn_error *error) {
  qn_fail(error, QN_INVALID, "the input is empty: there is nothing in the %s file",
          archive->packing);
  return qn_error_in_file(error, archive->file_name);
}

static enum qn_status fail_encrypted(const struct qn_archive *archive, struct archive_entry *entry,
                                     struct qn_error *error) {
  char name[NAME_BYTES];
  copy_printable(name, entry_name(entry), sizeof name);
  qn_fail(error, QN_UNSUPPORTED, "'%.100s' is encrypted; unpack it with its password first", name);
  return qn_error_in_file(error, archive->file_name);
}

/* Go to the member that shall be read. */
static enum qn_status find_member(struct qn_archive *archive, const char *wanted,
                                  struct qn_error *error) {
  char list[640] = "";
  unsigned listed = 0;
  struct archive_entry *entry;
  for (bool first = true;; first = false) {
    enum qn_status status = next_entry(archive, &entry, error);
    if (status)
      return status;
    if (first)
      describe_packing(archive);
    if (archive->one_file && !archive->packing[0]) {
      qn_fail(error, QN_INVALID,
              "damaged or truncated: it begins like a compressed file, but is none");
      qn_error_in_file(error, archive->file_name);
      return QN_INVALID;
    }
    if (archive->one_file && wanted) {
      qn_fail(error, QN_INVALID, "the file is not an archive (%s), so it has no member '%.100s'",
              archive->packing, wanted);
      qn_error_in_file(error, archive->file_name);
      return QN_INVALID;
    }
    if (!entry && archive_format(archive->reader) == ARCHIVE_FORMAT_EMPTY)
      return fail_empty(archive, error);
    if (!entry)
      return fail_candidates(archive, wanted, list, error);
    if (archive->one_file)
      return QN_OK;
    if (!is_candidate(entry))
      continue;
    if (!wanted || same_member(entry_name(entry), wanted)) {
      if (archive_entry_is_encrypted(entry) > 0)
        return fail_encrypted(archive, entry, error);
      copy_printable(archive->member, entry_name(entry), sizeof archive->member);
      return QN_OK;
    }
    list_member(list, sizeof list, listed++, entry_name(entry));
  }
}

static void enable_formats(struct archive *reader) {
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_zstd(reader);
  archive_read_support_filter_lz4(reader);
  archive_read_support_format_tar(reader);
  archive_read_support_format_zip(reader);
  archive_read_support_format_raw(reader);
  /* An archive or a stream of nothing would not be recognised by the others. */
  archive_read_support_format_empty(reader);
}

enum qn_status qn_archive_create(const char *data, uint64_t bytes, struct qn_descriptor *descriptor,
                                 const char *file_name, const struct qn_input_options *options,
                                 const char *member, struct qn_archive **out,
                                 struct qn_error *error) {
  struct qn_archive *archive;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&archive, 1, sizeof *archive, "an archive", error);
  if (status)
    return status;
  archive->descriptor = descriptor;
  archive->file_name = file_name;
  archive->max_bytes = options->max_bytes;
  archive->max_expansion = options->max_expansion;
  archive->chosen = member != NULL;
  strcpy(archive->packing, "compressed");
  archive->reader = archive_read_new();
  if (!archive->reader) {
    status = qn_fail_memory(error, "an archive", 0);
    goto failed;
  }
  enable_formats(archive->reader);
  int opened;
  if (data) {
    archive->data = data;
    qn_gzip_check_file(&archive->gzip, data, bytes);
    opened = archive_read_open_memory(archive->reader, data, bytes);
  } else {
    status = qn_alloc(&archive->buffer, READ_BYTES, 1, "an archive's buffer", error);
    if (status)
      goto failed;
    opened = archive_read_open(archive->reader, archive, NULL, read_descriptor, NULL);
  }
  status =
      opened == ARCHIVE_OK ? find_member(archive, member, error) : fail_damaged(archive, error);
  if (status)
    goto failed;
  *out = archive;
  return QN_OK;
failed:
  qn_archive_destroy(archive);
  return status;
}

void qn_archive_destroy(struct qn_archive *archive) {
  if (!archive)
    return;
  if (archive->reader)
    archive_read_free(archive->reader);
  qn_free(archive->buffer);
  qn_free(archive);
}

const char *qn_archive_packing(const struct qn_archive *archive) {
  return archive->packing;
}

const char *qn_archive_member(const struct qn_archive *archive) {
  return archive->one_file ? NULL : archive->member;
}

/* Refuse what expands beyond reason before it fills memory or a week. */
static enum qn_status check_expansion(struct qn_archive *archive, struct qn_error *error) {
  char size[32];
  if (archive->delivered > archive->max_bytes) {
    qn_fail(error, QN_INVALID, "decompresses to more than %s; raise --max-bytes to accept it",
            qn_size_text(archive->max_bytes, size, sizeof size));
    qn_error_in_file(error, archive->file_name);
    return QN_INVALID;
  }
  if (archive->delivered <= QN_INPUT_FREE_EXPANSION)
    return QN_OK;
  int64_t consumed = archive_filter_bytes(archive->reader, -1);
  uint64_t compressed = consumed > 0 ? (uint64_t)consumed : 1;
  if ((archive->delivered - QN_INPUT_FREE_EXPANSION) / compressed < archive->max_expansion)
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "expands more than %" PRIu64
          "-fold, as archive bombs do; raise --max-expansion to accept it",
          archive->max_expansion);
  qn_error_in_file(error, archive->file_name);
  return QN_INVALID;
}

enum qn_status qn_archive_look_further(struct qn_archive *archive, struct qn_error *error) {
  if (archive->one_file || archive->chosen)
    return QN_OK;
  char list[640] = "";
  unsigned listed = 0;
  list_member(list, sizeof list, listed++, archive->member);
  for (;;) {
    struct archive_entry *entry;
    enum qn_status status = next_entry(archive, &entry, error);
    if (status)
      return status;
    if (!entry)
      break;
    if (is_candidate(entry))
      list_member(list, sizeof list, listed++, entry_name(entry));
  }
  return listed > 1 ? fail_candidates(archive, NULL, list, error) : QN_OK;
}

static enum qn_status fail_checksum(const struct qn_archive *archive, struct qn_error *error) {
  static const uint8_t zeros[QN_GZIP_TRAILER];
  bool padded = memcmp(archive->gzip.tail, zeros, sizeof zeros) == 0;
  qn_fail(error, QN_INVALID, "%s",
          padded ? "zeros follow the compressed content (gzip), perhaps padding of a tape or a "
                   "disk; quern-import - reads what gzip -dc makes of it"
                 : "damaged (gzip): the content does not match its check value, or something "
                   "follows it");
  return qn_error_in_file(error, archive->file_name);
}

enum qn_status qn_archive_read(struct qn_archive *archive, char *buffer, uint64_t capacity,
                               uint64_t *got, struct qn_error *error) {
  *got = 0;
  if (archive->over)
    return QN_OK;
  la_ssize_t count;
  const uint64_t most = (uint64_t)1 << 20;
  do
    count = archive_read_data(archive->reader, buffer, capacity < most ? capacity : most);
  while (count == ARCHIVE_RETRY);
  /* A warning here is a wrong checksum. */
  if (count < 0)
    return fail_damaged(archive, error);
  if (count == 0) {
    archive->over = true;
    if (archive->check_gzip && !qn_gzip_check_end(&archive->gzip, archive->data))
      return fail_checksum(archive, error);
    return qn_archive_look_further(archive, error);
  }
  if (archive->check_gzip)
    qn_gzip_check_content(&archive->gzip, buffer, (uint64_t)count);
  *got = (uint64_t)count;
  archive->delivered += *got;
  return check_expansion(archive, error);
}
