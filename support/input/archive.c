/* Compressed files and archives, through libarchive, with only the formats that input.h names
 * enabled: each one more is attack surface. A member that is packed itself is unpacked as well, by
 * an archive that reads from the outer one; what is packed deeper is refused. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/input/gzip.h"
#include "support/input/member_names.h"
#include "support/input/source.h"
#include "support/memory.h"
#include "support/sizes.h"

#define READ_BYTES ((uint64_t)256 << 10)
#define NAME_BYTES 256
#define MAX_LISTED 16
#define TAR_BLOCK 512
#define HEAD_BYTES QN_DESCRIPTOR_HEAD

struct qn_archive {
  struct archive *reader;
  /* Where it comes from: one of these. */
  const char *data; /* [bytes], in memory */
  uint64_t bytes;
  struct qn_descriptor *descriptor;
  struct qn_archive *outer; /* owned: its member, which is packed itself */

  char head[HEAD_BYTES]; /* of the member, looked at, and not taken from `head_taken` on */
  uint64_t head_bytes, head_taken;
  const char *file_name;
  uint64_t max_bytes;
  uint64_t max_expansion;
  uint64_t delivered; /* decompressed bytes */
  bool one_file;      /* compressed, but no archive */
  bool chosen;        /* the user named the member */
  bool check_gzip;    /* one_file, in gzip and nothing else */
  struct qn_gzip_check gzip;
  bool over;
  bool checked;               /* what is to be checked then */
  bool ended;                 /* no member follows */
  enum qn_status read_status; /* of the source, inside libarchive's callback */
  struct qn_error read_error;
  char packing[64];
  char member[NAME_BYTES];
  char *buffer; /* READ_BYTES, for what is not in memory */
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

/* A frame of zstd or lz4 that says something to other programs: its magic number, and how many
 * bytes follow (RFC 8878, 3.1.2). pzstd begins files with one. */
#define SKIPPABLE_HEADER 8

static bool is_skippable(const char *head, uint64_t bytes) {
  return bytes >= SKIPPABLE_HEADER && (head[0] & 0xf0) == 0x50 &&
         memcmp(head + 1, "\x2a\x4d\x18", 3) == 0;
}

bool qn_archive_recognise(const char *head, uint64_t bytes) {
  for (unsigned i = 0; i < sizeof MAGICS / sizeof MAGICS[0]; i++)
    if (bytes >= MAGICS[i].length && memcmp(head, MAGICS[i].bytes, MAGICS[i].length) == 0)
      return true;
  return is_skippable(head, bytes) || looks_like_bzip2(head, bytes) || looks_like_tar(head, bytes);
}

/* Names come from hostile files and go to terminals. */
static void copy_printable(char *to, const char *from, uint64_t size) {
  uint64_t i = 0;
  for (; from[i] && i + 1 < size; i++)
    to[i] = (unsigned char)from[i] < 0x20 || from[i] == 0x7f ? '?' : from[i];
  to[i] = '\0';
}

const char *qn_unpacking_error(struct archive *reader) {
  const char *reason = archive_error_string(reader);
  return reason && !strstr(reason, "INTERNAL ERROR") ? reason : "its end is missing";
}

static enum qn_status fail_damaged(struct qn_archive *archive, struct qn_error *error) {
  if (archive->read_status) {
    if (error)
      *error = archive->read_error;
    return archive->read_status;
  }
  const char *reason = qn_unpacking_error(archive->reader);
  if (archive_errno(archive->reader) == ENOMEM)
    return qn_fail_memory(error, "unpacking", 0);
  char text[400];
  copy_printable(text, reason, sizeof text);
  qn_fail(error, QN_INVALID, "damaged or truncated (%s): %s", archive->packing, text);
  qn_error_in_file(error, archive->file_name);
  return QN_INVALID;
}

/* ---- The source -------------------------------------------------------------- */

static enum qn_status read_source(struct qn_archive *archive, uint64_t capacity, uint64_t *got,
                                  struct qn_error *error) {
  return archive->outer
             ? qn_archive_read(archive->outer, archive->buffer, capacity, got, error)
             : qn_descriptor_read(archive->descriptor, archive->buffer, capacity, got, error);
}

static la_ssize_t read_source_for(struct archive *reader, void *data, const void **buffer) {
  struct qn_archive *archive = data;
  uint64_t got;
  archive->read_status = read_source(archive, READ_BYTES, &got, &archive->read_error);
  if (archive->read_status) {
    archive_set_error(reader, EIO, "cannot read");
    return -1;
  }
  *buffer = archive->buffer;
  qn_gzip_check_pieces(&archive->gzip, archive->buffer, got);
  return (la_ssize_t)got;
}

static enum qn_status look_at_member(struct qn_archive *archive, struct qn_error *error);
static enum qn_status read_content(struct qn_archive *archive, char *buffer, uint64_t capacity,
                                   uint64_t *got, struct qn_error *error);

static enum qn_status look_at_source(struct qn_archive *archive, const char **head, uint64_t *bytes,
                                     struct qn_error *error) {
  struct qn_archive *outer = archive->outer;
  if (archive->descriptor)
    return qn_descriptor_head(archive->descriptor, head, bytes, error);
  enum qn_status status = outer ? look_at_member(outer, error) : QN_OK;
  *head = outer ? outer->head + outer->head_taken : archive->data;
  *bytes = outer ? outer->head_bytes - outer->head_taken : archive->bytes;
  return status;
}

static enum qn_status pass_over(struct qn_archive *archive, uint64_t bytes,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t got = 1;
  if (archive->data) {
    got = bytes < archive->bytes ? bytes : archive->bytes;
    archive->data += got;
    archive->bytes -= got;
    bytes -= got;
  }
  for (; bytes && got && !archive->data && !status; bytes -= got)
    status = read_source(archive, bytes < READ_BYTES ? bytes : READ_BYTES, &got, error);
  if (!status && bytes) {
    qn_fail(error, QN_INVALID, "damaged or truncated: its first frame is not whole");
    status = qn_error_in_file(error, archive->file_name);
  }
  return status;
}

/* libarchive does not know a file by the frames that are skipped. */
static enum qn_status skip_frames(struct qn_archive *archive, struct qn_error *error) {
  const char *head;
  uint64_t bytes;
  enum qn_status status = look_at_source(archive, &head, &bytes, error);
  while (!status && is_skippable(head, bytes)) {
    const uint8_t *size = (const uint8_t *)head + 4;
    status = pass_over(archive,
                       SKIPPABLE_HEADER + (size[0] | (uint64_t)size[1] << 8 |
                                           (uint64_t)size[2] << 16 | (uint64_t)size[3] << 24),
                       error);
    if (!status)
      status = look_at_source(archive, &head, &bytes, error);
  }
  return status;
}

/* ---- Members ----------------------------------------------------------------- */

static const char *entry_name(struct archive_entry *entry) {
  const char *name = qn_member_name(entry);
  return name ? name : "(unnamed)";
}

/* KONECT's tars have CODE/meta.CODE, CODE/README.CODE and CODE/ent.CODE.what beside the edges,
 * CODE/out.CODE. */
static bool is_beside_edges(const char *name, const char *slash) {
  static const char *const kinds[] = {"meta.", "README.", "ent."};
  const char *folder = slash;
  while (folder && folder > name && folder[-1] != '/')
    folder--;
  for (int i = 0; slash && i < 3; i++) {
    const size_t length = strlen(kinds[i]), code = (size_t)(slash - folder);
    if (strncmp(slash + 1, kinds[i], length) == 0 &&
        strncmp(slash + 1 + length, folder, code) == 0 &&
        strchr(".", slash[1 + length + code])) /* or its end */
      return true;
  }
  return false;
}

/* Folders and links hold nothing; ._* and __MACOSX are the shadows that macOS puts beside every
 * file. */
static bool is_candidate(struct archive_entry *entry) {
  if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
    return false;
  const char *name = entry_name(entry);
  const char *slash = strrchr(name, '/');
  const char *base = slash ? slash + 1 : name;
  return *base && strncmp(base, "._", 2) != 0 && strncmp(name, "__MACOSX/", 9) != 0 &&
         !is_beside_edges(name, slash);
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
    result = qn_next_member(archive->reader, entry);
  while (result == ARCHIVE_RETRY);
  if (result == ARCHIVE_EOF) {
    archive->ended = true;
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
          archive->packing[0] ? archive->packing : "compressed");
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
              "damaged or truncated: it begins like a compressed file, but is not one");
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

/* Take what it comes from, which is not the archive's yet, and go to its member. */
static enum qn_status open_source(struct qn_archive *archive, const char *member,
                                  struct qn_error *error) {
  enum qn_status status = QN_OK;
  strcpy(archive->packing, "compressed");
  archive->reader = archive_read_new();
  if (!archive->reader)
    return qn_fail_memory(error, "an archive", 0);
  enable_formats(archive->reader);
  if (!archive->data)
    status = qn_alloc(&archive->buffer, READ_BYTES, 1, "an archive's buffer", error);
  if (!status)
    status = skip_frames(archive, error);
  if (status)
    return status;
  if (archive->data)
    qn_gzip_check_file(&archive->gzip, archive->data, archive->bytes);
  const int opened = archive->data
                         ? archive_read_open_memory(archive->reader, archive->data, archive->bytes)
                         : archive_read_open(archive->reader, archive, NULL, read_source_for, NULL);
  return opened == ARCHIVE_OK ? find_member(archive, member, error) : fail_damaged(archive, error);
}

/* Of the member, as much as tells what it is. */
static enum qn_status look_at_member(struct qn_archive *archive, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t got = 1;
  memmove(archive->head, archive->head + archive->head_taken,
          archive->head_bytes - archive->head_taken);
  archive->head_bytes -= archive->head_taken;
  archive->head_taken = 0;
  while (!status && got && archive->head_bytes < HEAD_BYTES) {
    status = read_content(archive, archive->head + archive->head_bytes,
                          HEAD_BYTES - archive->head_bytes, &got, error);
    archive->head_bytes += got;
  }
  return status;
}

static enum qn_status refuse_deeper(struct qn_archive *archive, struct qn_error *error) {
  qn_fail(error, QN_UNSUPPORTED, "'%.100s' is packed once more (%s): unpack it first",
          archive->outer->member, archive->packing);
  return qn_error_in_file(error, archive->file_name);
}

/* `*archive`, at a member, becomes that of what is packed in it. */
static enum qn_status open_inner(struct qn_archive **archive, struct qn_error *error) {
  struct qn_archive *outer = *archive, *inner;
  enum qn_status status = qn_alloc_zeroed(&inner, 1, sizeof *inner, "an archive", error);
  if (status)
    return status;
  inner->outer = *archive;
  inner->file_name = outer->file_name;
  inner->max_bytes = outer->max_bytes;
  inner->max_expansion = outer->max_expansion;
  *archive = inner;
  status = open_source(inner, NULL, error);
  if (status)
    return status;
  const uint64_t used = strlen(inner->packing);
  snprintf(inner->packing + used, sizeof inner->packing - used, " in %.40s", outer->packing);
  if (inner->one_file)
    return QN_OK;
  status = look_at_member(inner, error);
  return !status && qn_archive_recognise(inner->head, inner->head_bytes)
             ? refuse_deeper(inner, error)
             : status;
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
  archive->data = data;
  archive->bytes = bytes;
  archive->descriptor = data ? NULL : descriptor;
  archive->file_name = file_name;
  archive->max_bytes = options->max_bytes;
  archive->max_expansion = options->max_expansion;
  archive->chosen = member != NULL;
  status = open_source(archive, member, error);
  if (!status && !archive->one_file)
    status = look_at_member(archive, error);
  if (!status && !archive->one_file && qn_archive_recognise(archive->head, archive->head_bytes) &&
      !qn_input_is_npz(archive->head, archive->head_bytes))
    status = open_inner(&archive, error);
  if (status)
    qn_archive_destroy(archive);
  else
    *out = archive;
  return status;
}

void qn_archive_destroy(struct qn_archive *archive) {
  if (!archive)
    return;
  if (archive->reader)
    archive_read_free(archive->reader);
  qn_archive_destroy(archive->outer);
  qn_free(archive->buffer);
  qn_free(archive);
}

const char *qn_archive_packing(const struct qn_archive *archive) {
  return archive->packing;
}

const char *qn_archive_member(const struct qn_archive *archive) {
  if (archive->outer)
    return archive->outer->member;
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
  const struct qn_archive *outermost = archive->outer ? archive->outer : archive;
  int64_t consumed = archive_filter_bytes(outermost->reader, -1);
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
  if (archive->one_file || archive->chosen || archive->ended)
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

/* The end of the content: is what it came from as it should be? */
static enum qn_status check_end(struct qn_archive *archive, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t got = 1;
  if (archive->read_status) /* which libarchive may take for the end */
    return fail_damaged(archive, error);
  if (archive->check_gzip && !qn_gzip_check_end(&archive->gzip, archive->data))
    return fail_checksum(archive, error);
  while (archive->outer && got && !status) /* what follows is none of this format */
    status = qn_archive_read(archive->outer, archive->buffer, READ_BYTES, &got, error);
  return status ? status : qn_archive_look_further(archive, error);
}

static enum qn_status read_content(struct qn_archive *archive, char *buffer, uint64_t capacity,
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
    return QN_OK;
  }
  if (archive->check_gzip)
    qn_gzip_check_content(&archive->gzip, buffer, (uint64_t)count);
  *got = (uint64_t)count;
  archive->delivered += *got;
  return check_expansion(archive, error);
}

enum qn_status qn_archive_read(struct qn_archive *archive, char *buffer, uint64_t capacity,
                               uint64_t *got, struct qn_error *error) {
  const uint64_t looked_at = archive->head_bytes - archive->head_taken;
  if (!looked_at) {
    enum qn_status status = read_content(archive, buffer, capacity, got, error);
    if (status || *got || archive->checked)
      return status;
    archive->checked = true;
    return check_end(archive, error);
  }
  *got = looked_at < capacity ? looked_at : capacity;
  memcpy(buffer, archive->head + archive->head_taken, *got);
  archive->head_taken += *got;
  return QN_OK;
}
