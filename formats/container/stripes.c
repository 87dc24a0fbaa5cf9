#include "formats/container/stripes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/container/stripes_disk.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/used_files.h"

/* The list of folders is a page or so of text. */
#define MOST_LIST_BYTES ((uint64_t)1 << 20)

struct stripe {
  char name[QN_STRIPE_NAME_BYTES];
  char *path; /* where it was found */
  int descriptor;
  uint64_t bytes;
  struct qn_used_file used;
};

struct qn_stripes {
  char *path;     /* of the main file, as it was given */
  char *resolved; /* what that leads to */
  char *folders;  /* the list, lines ended by zeros */
  uint64_t folders_bytes;
  uint64_t content_bytes, unit_bytes, identity;
  uint64_t checksum; /* the main file's, which its stripes know */
  uint32_t num_stripes;
  bool listed;
  struct stripe *stripes;
};

enum qn_status qn_read_at(int descriptor, const char *path, void *into, uint64_t bytes,
                          uint64_t offset, struct qn_error *error) {
  uint8_t *next = into;
  while (bytes) {
    ssize_t got = pread(descriptor, next, bytes, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      errno = got == 0 ? EIO : errno;
      qn_fail_errno(error, "cannot read");
      return qn_error_at_offset(error, path, offset), QN_SYSTEM;
    }
    next += got;
    offset += (uint64_t)got;
    bytes -= (uint64_t)got;
  }
  return QN_OK;
}

bool qn_stripes_begin(const uint8_t *bytes, uint64_t present) {
  return present >= 8 && memcmp(bytes, QN_STRIPES_SIGNATURE, 8) == 0;
}

bool qn_stripes_recognise(const char *path) {
  uint8_t bytes[8];
  struct qn_error ignored;
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return false;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  bool is = descriptor >= 0 && about.st_size >= (off_t)sizeof bytes &&
            qn_read_at(descriptor, path, bytes, sizeof bytes, 0, &ignored) == QN_OK &&
            qn_stripes_begin(bytes, sizeof bytes);
  if (descriptor >= 0)
    close(descriptor);
  return is;
}

bool qn_stripe_begins(const uint8_t *bytes, uint64_t present) {
  return present >= 8 && memcmp(bytes, QN_STRIPE_SIGNATURE, 8) == 0;
}

static enum qn_status violation(const char *path, const char *rule, const char *what,
                                struct qn_error *error) {
  qn_fail(error, QN_INVALID, "%s: %s", rule, what);
  return qn_error_in_file(error, path), QN_INVALID;
}

static bool is_zero(const uint8_t *bytes, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (bytes[i])
      return false;
  return true;
}

/* ---- The main file ---------------------------------------------------------------- */

static bool is_good_unit(uint64_t bytes) {
  return bytes >= (uint64_t)1 << QN_MIN_STRIPE_UNIT_LOG2 &&
         bytes <= (uint64_t)1 << QN_MAX_STRIPE_UNIT_LOG2 && (bytes & (bytes - 1)) == 0;
}

/* The name of a file in whatever folder, fit to be printed. */
static bool is_good_name(const uint8_t name[QN_STRIPE_NAME_BYTES]) {
  const size_t length = strnlen((const char *)name, QN_STRIPE_NAME_BYTES);
  if (length == 0 || length > NAME_MAX || strcmp((const char *)name, ".") == 0 ||
      strcmp((const char *)name, "..") == 0)
    return false;
  for (size_t i = 0; i < length; i++)
    if (name[i] < 0x20 || name[i] == 0x7f || name[i] == '/')
      return false;
  return is_zero(name + length, QN_STRIPE_NAME_BYTES - length);
}

/* ST-1 and ST-2. */
static enum qn_status check_header(const struct qn_stripes *stripes,
                                   const struct qn_disk_stripes *header, uint64_t bytes,
                                   struct qn_error *error) {
  if (header->version_major != QN_STRIPES_VERSION || header->incompatible_features) {
    qn_fail(error, QN_UNSUPPORTED,
            "ST-1: striped containers of version %u.%u with features 0x%" PRIx64
            " are unknown to this build: install a newer Quern",
            header->version_major, header->version_minor, header->incompatible_features);
    return qn_error_in_file(error, stripes->path), QN_UNSUPPORTED;
  }
  if (header->num_stripes < 1 || header->num_stripes > QN_MAX_STRIPES)
    return violation(stripes->path, "ST-2", "there must be 1 to 32 stripes", error);
  if (bytes !=
      sizeof *header + header->num_stripes * sizeof(struct qn_disk_stripe_entry) + sizeof(uint64_t))
    return violation(stripes->path, "ST-1",
                     "the main file is not as long as its number of stripes asks for", error);
  if (!is_good_unit(header->unit_bytes) || header->content_bytes == 0 ||
      header->content_bytes > INT64_MAX ||
      (header->content_bytes - 1) / header->unit_bytes >= QN_MAX_STRIPE_UNITS)
    return violation(stripes->path, "ST-2",
                     "units must have 2^16 to 2^40 bytes, a power of two, and be 1 to 16384",
                     error);
  if (!is_zero((const uint8_t *)header->reserved, sizeof header->reserved))
    return violation(stripes->path, "ST-2", "reserved bytes are not zero", error);
  return QN_OK;
}

/* ST-3 and ST-4. */
static enum qn_status take_entry(struct qn_stripes *stripes, uint32_t i,
                                 const struct qn_disk_stripe_entry *entry, struct qn_error *error) {
  struct stripe *stripe = &stripes->stripes[i];
  if (!is_good_name(entry->name))
    return violation(stripes->path, "ST-3",
                     "the name of a stripe is not that of a file without a folder", error);
  memcpy(stripe->name, entry->name, sizeof stripe->name);
  for (uint32_t other = 0; other < i; other++)
    if (strcmp(stripes->stripes[other].name, stripe->name) == 0)
      return violation(stripes->path, "ST-3", "two stripes have the same name", error);
  stripe->bytes = entry->file_bytes;
  if (stripe->bytes !=
      qn_stripe_file_bytes(stripes->content_bytes, stripes->unit_bytes, stripes->num_stripes, i))
    return violation(stripes->path, "ST-4",
                     "a stripe's length is not what units, stripes and container make it", error);
  return QN_OK;
}

static enum qn_status take_main(struct qn_stripes *stripes, const uint8_t *bytes, uint64_t count,
                                struct qn_error *error) {
  struct qn_disk_stripes header;
  memcpy(&header, bytes, sizeof header);
  enum qn_status status = check_header(stripes, &header, count, error);
  if (status)
    return status;
  memcpy(&stripes->checksum, bytes + count - sizeof stripes->checksum, sizeof stripes->checksum);
  if (XXH3_64bits(bytes, count - sizeof stripes->checksum) != stripes->checksum)
    return violation(stripes->path, "ST-1", "the main file is corrupt: its checksum does not match",
                     error);
  stripes->content_bytes = header.content_bytes;
  stripes->unit_bytes = header.unit_bytes;
  stripes->identity = header.identity;
  status = qn_alloc_zeroed(&stripes->stripes, header.num_stripes, sizeof *stripes->stripes,
                           "stripes", error);
  if (status)
    return status;
  stripes->num_stripes = header.num_stripes;
  for (uint32_t i = 0; i < header.num_stripes; i++)
    stripes->stripes[i].descriptor = -1;
  for (uint32_t i = 0; i < header.num_stripes && !status; i++) {
    struct qn_disk_stripe_entry entry;
    memcpy(&entry, bytes + sizeof header + i * sizeof entry, sizeof entry);
    status = take_entry(stripes, i, &entry, error);
  }
  return status;
}

static enum qn_status read_main(struct qn_stripes *stripes, int descriptor,
                                struct qn_error *error) {
  uint8_t bytes[sizeof(struct qn_disk_stripes) +
                QN_MAX_STRIPES * sizeof(struct qn_disk_stripe_entry) + sizeof(uint64_t)];
  struct stat about;
  if (fstat(descriptor, &about) != 0) {
    qn_fail_errno(error, "cannot open");
    return qn_error_in_file(error, stripes->path), QN_SYSTEM;
  }
  const uint64_t count = (uint64_t)about.st_size;
  if (count < sizeof(struct qn_disk_stripes) || count > sizeof bytes)
    return violation(stripes->path, "ST-1",
                     "the main file of a striped container is truncated, or too long", error);
  enum qn_status status = qn_read_at(descriptor, stripes->path, bytes, count, 0, error);
  return status ? status : take_main(stripes, bytes, count, error);
}

/* ---- Where stripes are ------------------------------------------------------------ */

/* The list beside the main file, if there is one. */
static enum qn_status read_list(struct qn_stripes *stripes, struct qn_error *error) {
  char path[PATH_MAX];
  struct stat about;
  if (snprintf(path, sizeof path, "%s.stripes", stripes->resolved) >= (int)sizeof path ||
      stat(path, &about) != 0)
    return QN_OK;
  const uint64_t bytes = (uint64_t)about.st_size;
  if (!S_ISREG(about.st_mode) || bytes > MOST_LIST_BYTES) {
    qn_fail(error, QN_INVALID, "this is not a list of the folders of stripes, a line each");
    return qn_error_in_file(error, path), QN_INVALID;
  }
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) {
    qn_fail_errno(error, "cannot open");
    return qn_error_in_file(error, path), QN_SYSTEM;
  }
  enum qn_status status = qn_alloc_zeroed(&stripes->folders, bytes + 1, 1, "a list", error);
  if (!status)
    status = qn_read_at(descriptor, path, stripes->folders, bytes, 0, error);
  close(descriptor);
  stripes->folders_bytes = status ? 0 : bytes;
  for (uint64_t i = 0; i < stripes->folders_bytes; i++)
    if (stripes->folders[i] == '\n') {
      stripes->folders[i] = '\0';
      if (i > 0 && stripes->folders[i - 1] == '\r')
        stripes->folders[i - 1] = '\0';
    }
  return status;
}

/* What is before the last slash, with it. */
static int folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (int)(slash - path) + 1 : 0;
}

static bool is_there(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* In the folders of the list, which are relative to the main file's own, and then in that. */
static bool find(const struct qn_stripes *stripes, const char *name, char path[PATH_MAX]) {
  const int length = folder_length(stripes->resolved);
  const char *end = stripes->folders + stripes->folders_bytes;
  for (const char *folder = stripes->folders; folder && folder < end;
       folder += strlen(folder) + 1) {
    const bool absolute = folder[0] == '/';
    if (*folder &&
        snprintf(path, PATH_MAX, "%.*s%s/%s", absolute ? 0 : length, stripes->resolved, folder,
                 name) < PATH_MAX &&
        is_there(path))
      return true;
  }
  return snprintf(path, PATH_MAX, "%.*s%s", length, stripes->resolved, name) < PATH_MAX &&
         is_there(path);
}

static enum qn_status open_stripe(const struct qn_stripes *stripes, struct stripe *stripe,
                                  struct qn_error *error) {
  char path[PATH_MAX];
  if (!find(stripes, stripe->name, path)) {
    qn_fail(error, QN_INVALID,
            "ST-5: the stripe %s is missing; put it beside the main file, or its folder into the "
            "list of folders, the main file's name with .stripes, a line each",
            stripe->name);
    return qn_error_in_file(error, stripes->path), QN_INVALID;
  }
  stripe->path = strdup(path);
  if (!stripe->path)
    return qn_fail_memory(error, "a path", strlen(path));
  stripe->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (stripe->descriptor < 0 || !qn_file_state_of(stripe->descriptor, &stripe->used.state)) {
    qn_fail_errno(error, "cannot open");
    return qn_error_in_file(error, path), QN_SYSTEM;
  }
  return QN_OK;
}

/* ---- One stripe ------------------------------------------------------------------- */

/* ST-6 and ST-7. */
static enum qn_status check_own_header(const struct qn_stripes *stripes, uint32_t index,
                                       const uint8_t *bytes, struct qn_error *error) {
  const struct stripe *stripe = &stripes->stripes[index];
  struct qn_disk_stripe header;
  char what[96];
  memcpy(&header, bytes, sizeof header);
  if (!qn_stripe_begins(bytes, sizeof header))
    return violation(stripe->path, "ST-6", "this is not a stripe of a container", error);
  if (XXH3_64bits(bytes, offsetof(struct qn_disk_stripe, checksum)) != header.checksum ||
      !is_zero(bytes + sizeof header, QN_STRIPE_DATA - sizeof header))
    return violation(stripe->path, "ST-6", "the stripe's header is corrupt", error);
  if (header.main_checksum != stripes->checksum || header.version_major != QN_STRIPES_VERSION)
    return violation(stripe->path, "ST-7", "this stripe is one of another container", error);
  if (header.index != index || header.file_bytes != stripe->bytes) {
    snprintf(what, sizeof what, "this is stripe %" PRIu32 " under the name of stripe %" PRIu32,
             header.index, index);
    return violation(stripe->path, "ST-7", what, error);
  }
  return is_zero((const uint8_t *)header.reserved, sizeof header.reserved)
             ? QN_OK
             : violation(stripe->path, "ST-6", "reserved bytes are not zero", error);
}

static enum qn_status check_stripe(const struct qn_stripes *stripes, uint32_t index,
                                   struct qn_error *error) {
  const struct stripe *stripe = &stripes->stripes[index];
  const uint64_t there = stripe->used.state.bytes;
  uint8_t *bytes;
  if (there < stripe->bytes) {
    qn_fail(error, QN_INVALID,
            "ST-5: the stripe is truncated: %" PRIu64 " of %" PRIu64 " bytes are there", there,
            stripe->bytes);
    return qn_error_at_offset(error, stripe->path, there), QN_INVALID;
  }
  enum qn_status status = qn_alloc(&bytes, QN_STRIPE_DATA, 1, "a stripe's header", error);
  if (status)
    return status;
  status = qn_read_at(stripe->descriptor, stripe->path, bytes, QN_STRIPE_DATA, 0, error);
  if (!status)
    status = check_own_header(stripes, index, bytes, error);
  if (!status && there > stripe->bytes)
    status = violation(stripe->path, "ST-5", "bytes follow the stripe's last unit", error);
  qn_free(bytes);
  return status;
}

/* ---- All of them ------------------------------------------------------------------ */

static enum qn_status open_all(struct qn_stripes *stripes, int descriptor, const char *path,
                               struct qn_error *error) {
  stripes->path = strdup(path);
  stripes->resolved = realpath(path, NULL);
  if (!stripes->path || !stripes->resolved) {
    qn_fail_errno(error, "cannot tell where the main file of this striped container lies; it is "
                         "opened by its name");
    return qn_error_in_file(error, path), QN_SYSTEM;
  }
  enum qn_status status = read_main(stripes, descriptor, error);
  if (!status)
    status = read_list(stripes, error);
  for (uint32_t i = 0; i < stripes->num_stripes && !status; i++) {
    status = open_stripe(stripes, &stripes->stripes[i], error);
    if (!status)
      status = check_stripe(stripes, i, error);
  }
  return status;
}

enum qn_status qn_stripes_open(int descriptor, const char *path, struct qn_stripes **out,
                               struct qn_error *error) {
  struct qn_stripes *stripes;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&stripes, 1, sizeof *stripes, "stripes", error);
  if (status)
    return status;
  status = open_all(stripes, descriptor, path, error);
  if (status)
    qn_stripes_close(stripes);
  else
    *out = stripes;
  return status;
}

void qn_stripes_close(struct qn_stripes *stripes) {
  if (!stripes)
    return;
  for (uint32_t i = 0; i < stripes->num_stripes; i++) {
    struct stripe *stripe = &stripes->stripes[i];
    if (stripes->listed)
      qn_used_file_forget(&stripe->used);
    if (stripe->descriptor >= 0)
      close(stripe->descriptor);
    free(stripe->path);
  }
  qn_free(stripes->stripes);
  qn_free(stripes->folders);
  free(stripes->resolved);
  free(stripes->path);
  qn_free(stripes);
}

uint64_t qn_stripes_bytes(const struct qn_stripes *stripes) {
  return stripes->content_bytes;
}

uint64_t qn_stripes_identity(const struct qn_stripes *stripes) {
  return stripes->identity;
}

/* ---- The container's bytes -------------------------------------------------------- */

/* Where byte `offset` of the container lies: g(j) = j mod N. */
static const struct stripe *stripe_of(const struct qn_stripes *stripes, uint64_t offset,
                                      uint64_t *place) {
  const uint64_t unit = offset / stripes->unit_bytes;
  *place = QN_STRIPE_DATA + unit / stripes->num_stripes * stripes->unit_bytes +
           offset % stripes->unit_bytes;
  return &stripes->stripes[unit % stripes->num_stripes];
}

/* What is left of a unit, or of `bytes`. */
static uint64_t bytes_of_unit(const struct qn_stripes *stripes, uint64_t offset, uint64_t bytes) {
  const uint64_t left = stripes->unit_bytes - offset % stripes->unit_bytes;
  return left < bytes ? left : bytes;
}

enum qn_status qn_stripes_read(const struct qn_stripes *stripes, void *into, uint64_t bytes,
                               uint64_t offset, struct qn_error *error) {
  uint8_t *next = into;
  enum qn_status status = QN_OK;
  while (bytes && !status) {
    uint64_t place, part = bytes_of_unit(stripes, offset, bytes);
    const struct stripe *stripe = stripe_of(stripes, offset, &place);
    status = qn_read_at(stripe->descriptor, stripe->path, next, part, place, error);
    next += part;
    offset += part;
    bytes -= part;
  }
  return status;
}

enum qn_status qn_stripes_map(const struct qn_stripes *stripes, void **out,
                              struct qn_error *error) {
  const uint64_t bytes = stripes->content_bytes;
  uint8_t *mapped =
      mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *out = NULL;
  if (mapped == MAP_FAILED) {
    qn_fail_errno(error, "cannot map");
    return qn_error_in_file(error, stripes->path), QN_SYSTEM;
  }
  for (uint64_t at = 0; at < bytes;) {
    uint64_t place, part = bytes_of_unit(stripes, at, bytes - at);
    const struct stripe *stripe = stripe_of(stripes, at, &place);
    if (mmap(mapped + at, part, PROT_READ, MAP_SHARED | MAP_FIXED, stripe->descriptor,
             (off_t)place) == MAP_FAILED) {
      qn_fail_errno(error, "cannot map");
      munmap(mapped, bytes);
      return qn_error_at_offset(error, stripe->path, place), QN_SYSTEM;
    }
    at += part;
  }
  *out = mapped;
  return QN_OK;
}

void qn_stripes_list(struct qn_stripes *stripes, bool (*is_intact)(const void *user),
                     const void *user) {
  for (uint32_t i = 0; i < stripes->num_stripes; i++) {
    struct stripe *stripe = &stripes->stripes[i];
    stripe->used.path = stripe->path;
    stripe->used.descriptor = stripe->descriptor;
    stripe->used.kept = true;
    stripe->used.is_intact = is_intact;
    stripe->used.user = user;
    qn_used_file_list(&stripe->used);
  }
  stripes->listed = true;
}

enum qn_status qn_stripes_unchanged(struct qn_stripes *stripes, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < stripes->num_stripes && !status; i++)
    status = qn_used_file_check(&stripes->stripes[i].used, error);
  return status;
}

enum qn_status qn_stripes_error_at(const struct qn_stripes *stripes, uint64_t offset,
                                   struct qn_error *error) {
  uint64_t place;
  const struct stripe *stripe = stripe_of(stripes, offset, &place);
  return qn_error_at_offset(error, stripe->path, place);
}

unsigned qn_stripes_count(const struct qn_stripes *stripes) {
  return stripes ? stripes->num_stripes : 1;
}

json_t *qn_stripes_describe(const struct qn_stripes *stripes) {
  json_t *files = json_array();
  for (uint32_t i = 0; i < stripes->num_stripes; i++) {
    const struct stripe *stripe = &stripes->stripes[i];
    json_array_append_new(files, json_pack("{s:o, s:I}", "file", qn_json_text(stripe->path),
                                           "bytes", (json_int_t)stripe->bytes));
  }
  return json_pack("{s:I, s:o}", "unit_bytes", (json_int_t)stripes->unit_bytes, "files", files);
}
