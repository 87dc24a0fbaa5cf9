/* Striped copies of containers. */
#include "formats/container/stripes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "formats/container/stripes_disk.h"
#include "support/atomic_file.h"
#include "support/memory.h"
#include "support/output_stream.h"

/* Units of this size or more: what is hashed at once, and more than a disk needs to be fast. */
#define LEAST_USUAL_UNIT ((uint64_t)1 << 20)
/* As many of them or fewer, where nobody asks for others. */
#define MOST_USUAL_UNITS 4096

#define MAIN_BYTES                                                                                 \
  (sizeof(struct qn_disk_stripes) + QN_MAX_STRIPES * sizeof(struct qn_disk_stripe_entry) +         \
   sizeof(uint64_t))

struct making {
  const uint8_t *content;
  uint64_t content_bytes, unit_bytes;
  uint32_t num_stripes;
  char *target; /* where the main file goes, behind links */
  const struct qn_striping *striping;
  uint8_t main[MAIN_BYTES];
  uint64_t main_bytes;
  struct qn_atomic_file *files[QN_MAX_STRIPES];
};

enum qn_status qn_stripe_unit_check(uint64_t bytes, struct qn_error *error) {
  if (bytes >= (uint64_t)1 << QN_MIN_STRIPE_UNIT_LOG2 &&
      bytes <= (uint64_t)1 << QN_MAX_STRIPE_UNIT_LOG2 && (bytes & (bytes - 1)) == 0)
    return QN_OK;
  return qn_fail(error, QN_USAGE, "a unit has 64K to 1T bytes, a power of two");
}

static enum qn_status choose_unit(struct making *making, struct qn_error *error) {
  uint64_t unit = making->striping->unit_bytes;
  if (unit == 0)
    for (unit = LEAST_USUAL_UNIT; making->content_bytes / unit >= MOST_USUAL_UNITS;)
      unit *= 2;
  enum qn_status status = qn_stripe_unit_check(unit, error);
  if (!status && (making->content_bytes - 1) / unit >= QN_MAX_STRIPE_UNITS)
    status = qn_fail(error, QN_USAGE,
                     "a container of %" PRIu64 " bytes would have more than %d units: make them "
                     "larger",
                     making->content_bytes, QN_MAX_STRIPE_UNITS);
  making->unit_bytes = unit;
  return status;
}

/* ---- Names ------------------------------------------------------------------------ */

static const char *own_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static enum qn_status name_stripe(const struct making *making, uint32_t i, char path[PATH_MAX],
                                  uint8_t name[QN_STRIPE_NAME_BYTES], struct qn_error *error) {
  const char *base = own_name(making->target);
  memset(name, 0, QN_STRIPE_NAME_BYTES);
  const int length = snprintf((char *)name, QN_STRIPE_NAME_BYTES, "%s.stripe-%" PRIu32, base, i);
  bool good = length <= NAME_MAX;
  for (int k = 0; good && k < length; k++)
    good = name[k] >= 0x20 && name[k] != 0x7f;
  if (!good)
    return qn_fail(error, QN_USAGE,
                   "the output's name is too long for names of stripes, or has control characters");
  if (snprintf(path, PATH_MAX, "%s/%s", making->striping->folders[i], (const char *)name) >=
      PATH_MAX)
    return qn_fail(error, QN_USAGE, "the name of a stripe's folder is too long");
  return QN_OK;
}

/* ---- The files -------------------------------------------------------------------- */

static enum qn_status fill_main(struct making *making, uint64_t identity, struct qn_error *error) {
  const struct qn_disk_stripes header = {.signature = QN_STRIPES_SIGNATURE,
                                         .version_major = QN_STRIPES_VERSION,
                                         .num_stripes = making->num_stripes,
                                         .content_bytes = making->content_bytes,
                                         .unit_bytes = making->unit_bytes,
                                         .identity = identity};
  uint8_t *next = making->main;
  enum qn_status status = QN_OK;
  memcpy(next, &header, sizeof header);
  next += sizeof header;
  for (uint32_t i = 0; i < making->num_stripes && !status; i++) {
    struct qn_disk_stripe_entry entry;
    char path[PATH_MAX];
    status = name_stripe(making, i, path, entry.name, error);
    entry.file_bytes =
        qn_stripe_file_bytes(making->content_bytes, making->unit_bytes, making->num_stripes, i);
    memcpy(next, &entry, sizeof entry);
    next += sizeof entry;
  }
  const uint64_t checksum = XXH3_64bits(making->main, (size_t)(next - making->main));
  memcpy(next, &checksum, sizeof checksum);
  making->main_bytes = (uint64_t)(next - making->main) + sizeof checksum;
  return status;
}

static enum qn_status write_stripe(struct making *making, uint32_t i, struct qn_error *error) {
  struct qn_disk_stripe header = {
      .signature = QN_STRIPE_SIGNATURE,
      .version_major = QN_STRIPES_VERSION,
      .index = i,
      .file_bytes =
          qn_stripe_file_bytes(making->content_bytes, making->unit_bytes, making->num_stripes, i)};
  memcpy(&header.main_checksum, making->main + making->main_bytes - sizeof header.main_checksum,
         sizeof header.main_checksum);
  header.checksum = XXH3_64bits(&header, offsetof(struct qn_disk_stripe, checksum));
  uint8_t *start;
  enum qn_status status = qn_alloc_zeroed(&start, QN_STRIPE_DATA, 1, "a stripe's header", error);
  if (status)
    return status;
  memcpy(start, &header, sizeof header);
  status = qn_atomic_file_write(making->files[i], start, QN_STRIPE_DATA, 0, error);
  qn_free(start);
  uint64_t place = QN_STRIPE_DATA;
  for (uint64_t unit = i; unit * making->unit_bytes < making->content_bytes && !status;
       unit += making->num_stripes) {
    const uint64_t at = unit * making->unit_bytes, left = making->content_bytes - at;
    const uint64_t bytes = left < making->unit_bytes ? left : making->unit_bytes;
    status = qn_atomic_file_write(making->files[i], making->content + at, bytes, place, error);
    place += bytes;
  }
  return status;
}

/* All disks at once. */
static enum qn_status write_stripes(struct making *making, struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static, 1) num_threads((int)making->num_stripes)
  for (uint32_t i = 0; i < making->num_stripes; i++) {
    struct qn_error own;
    enum qn_status failed = write_stripe(making, i, &own);
    if (failed) {
#pragma omp critical(stripe_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  return status;
}

/* ---- The list of folders ---------------------------------------------------------- */

/* The list's own name. */
static enum qn_status name_list(const struct making *making, char path[PATH_MAX],
                                struct qn_error *error) {
  return snprintf(path, PATH_MAX, "%s.stripes", making->target) < PATH_MAX
             ? QN_OK
             : qn_fail(error, QN_USAGE, "the output's name is too long");
}

/* A folder as the list names it: below the main file's own, relative to that. */
static const char *listed_name(const char *folder, const char *home) {
  const size_t length = strlen(home);
  if (strncmp(folder, home, length) != 0 || strcmp(home, "/") == 0)
    return folder;
  if (folder[length] == '\0')
    return "";
  return folder[length] == '/' ? folder + length + 1 : folder;
}

static enum qn_status resolve(const char *folder, char resolved[PATH_MAX], struct qn_error *error) {
  if (!realpath(folder, resolved)) {
    qn_fail_errno(error, "cannot look at the folder of stripes");
    return qn_error_in_file(error, folder), QN_SYSTEM;
  }
  return strchr(resolved, '\n')
             ? qn_fail(error, QN_USAGE, "the folder of a stripe has a line break in its name")
             : QN_OK;
}

static enum qn_status home_of(const struct making *making, char home[PATH_MAX],
                              struct qn_error *error) {
  char folder[PATH_MAX];
  const int length = (int)(own_name(making->target) - making->target);
  snprintf(folder, sizeof folder, "%.*s%s", length, making->target, length ? "" : ".");
  return resolve(folder, home, error);
}

/* Each folder once. */
static enum qn_status make_list(const struct making *making, char **list, struct qn_error *error) {
  char home[PATH_MAX], folder[PATH_MAX];
  uint64_t bytes = 0;
  enum qn_status status = qn_alloc_zeroed(list, making->num_stripes, PATH_MAX + 1, "a list", error);
  if (!status)
    status = home_of(making, home, error);
  for (uint32_t i = 0; i < making->num_stripes && !status; i++) {
    status = resolve(making->striping->folders[i], folder, error);
    const char *name = status ? "" : listed_name(folder, home);
    bool known = *name == '\0';
    for (const char *line = *list; *line && !known; line = strchr(line, '\n') + 1)
      known = strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == '\n';
    if (!known)
      bytes += (uint64_t)sprintf(*list + bytes, "%s\n", name);
  }
  return status;
}

/* Joined to the main file, unless every stripe lies beside that and there was none. */
static enum qn_status write_list(const struct making *making, bool force,
                                 struct qn_atomic_file *main, struct qn_error *error) {
  char path[PATH_MAX], *list;
  struct stat about;
  struct qn_atomic_file *file = NULL;
  enum qn_status status = make_list(making, &list, error);
  if (!status)
    status = name_list(making, path, error);
  const bool wanted = !status && (*list || lstat(path, &about) == 0);
  if (wanted)
    status = qn_atomic_file_create(path, force, &file, error);
  if (wanted && !status)
    status = qn_atomic_file_write(file, list, strlen(list), 0, error);
  qn_free(list);
  if (status)
    qn_atomic_file_abort(file);
  else if (file)
    qn_atomic_file_join(main, file);
  return status;
}

/* ---- The whole -------------------------------------------------------------------- */

/* Is there a file of this name in the folder? */
static enum qn_status check_absent(const char *folder, const char *name, struct qn_error *error) {
  char path[PATH_MAX];
  struct stat about;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
      lstat(path, &about) != 0)
    return QN_OK;
  qn_fail(error, QN_USAGE,
          "this stripe is there already, and may be another container's: delete it first, or give "
          "the output another name");
  return qn_error_in_file(error, path), QN_USAGE;
}

/* A stripe of any container is never replaced, nor does it lie where this one would be looked for:
 * in any folder of the list, or beside the main file. */
static enum qn_status check_stripe(const struct making *making, uint32_t i, char path[PATH_MAX],
                                   struct qn_error *error) {
  uint8_t name[QN_STRIPE_NAME_BYTES];
  char home[PATH_MAX];
  struct stat about;
  enum qn_status status = name_stripe(making, i, path, name, error);
  if (!status && stat(making->striping->folders[i], &about) != 0) {
    qn_fail_errno(error, "cannot look at the folder of a stripe");
    return qn_error_in_file(error, making->striping->folders[i]), QN_SYSTEM;
  }
  if (!status)
    status = home_of(making, home, error);
  for (uint32_t k = 0; k < making->num_stripes && !status; k++)
    status = check_absent(making->striping->folders[k], (const char *)name, error);
  return status ? status : check_absent(home, (const char *)name, error);
}

/* The files of all stripes, joined to the main one, which owns them then. */
static enum qn_status create_stripes(struct making *making, struct qn_atomic_file *main,
                                     struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < making->num_stripes && !status; i++) {
    char path[PATH_MAX];
    status = check_stripe(making, i, path, error);
    if (!status)
      status = qn_atomic_file_create(path, false, &making->files[i], error);
    if (!status)
      qn_atomic_file_join(main, making->files[i]);
  }
  return status;
}

static enum qn_status make(struct making *making, uint64_t identity, bool force,
                           struct qn_atomic_file *main, struct qn_error *error) {
  enum qn_status status = fill_main(making, identity, error);
  if (!status) /* what is joined first appears last: the list just before the main file */
    status = write_list(making, force, main, error);
  if (!status)
    status = create_stripes(making, main, error);
  if (!status)
    status = write_stripes(making, error);
  if (!status)
    status = qn_atomic_file_write(main, making->main, making->main_bytes, 0, error);
  return status;
}

static enum qn_status stripe(struct making *making, const struct qn_container *container,
                             const char *path, bool force, struct qn_error *error) {
  struct qn_atomic_file *main;
  enum qn_status status = choose_unit(making, error);
  if (!status)
    status = qn_atomic_file_create(path, force, &main, error);
  if (status)
    return status;
  status = make(making, qn_container_info(container)->header_checksum, force, main, error);
  if (!status)
    return qn_atomic_file_commit(main, error);
  qn_atomic_file_abort(main);
  return status;
}

static enum qn_status begin(struct making *making, const struct qn_striping *striping,
                            const char *path, struct qn_error *error) {
  if (striping->num_folders < 1 || striping->num_folders > QN_MAX_STRIPES)
    return qn_fail(error, QN_USAGE, "a container has 1 to %d stripes", QN_MAX_STRIPES);
  if (qn_is_output_stream(path))
    return qn_fail(error, QN_USAGE, "a striped container cannot go through a pipe: name a file");
  making->num_stripes = striping->num_folders;
  making->striping = striping;
  making->target = qn_output_target(path);
  if (making->target)
    return QN_OK;
  qn_fail_errno(error, "cannot look at the output");
  return qn_error_in_file(error, path);
}

enum qn_status qn_striping_check(const struct qn_striping *striping, const char *path, bool force,
                                 struct qn_error *error) {
  struct making *making;
  enum qn_status status = qn_alloc_zeroed(&making, 1, sizeof *making, "a main file", error);
  if (status)
    return status;
  status = begin(making, striping, path, error);
  if (!status)
    status = qn_atomic_file_check(path, force, error);
  char name[PATH_MAX];
  if (!status)
    status = name_list(making, name, error);
  if (!status)
    status = qn_atomic_file_check(name, force, error);
  for (uint32_t i = 0; i < making->num_stripes && !status; i++)
    status = check_stripe(making, i, name, error);
  free(making->target);
  qn_free(making);
  return status;
}

enum qn_status qn_container_stripe(const struct qn_container *container, const char *path,
                                   const struct qn_striping *striping, bool force,
                                   struct qn_error *error) {
  struct making *making;
  enum qn_status status = qn_alloc_zeroed(&making, 1, sizeof *making, "a main file", error);
  if (status)
    return status;
  making->content = qn_container_bytes(container);
  making->content_bytes = qn_container_info(container)->file_bytes;
  status = begin(making, striping, path, error);
  if (!status)
    status = stripe(making, container, path, force, error);
  free(making->target);
  qn_free(making);
  return status;
}
