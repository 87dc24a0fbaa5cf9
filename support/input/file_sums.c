#include "support/input/file_sums.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "support/memory.h"
#include "support/progress.h"

enum { BLOCK = 1 << 20, LISTING = 1024 };

struct summing {
  struct archive *archive;
  struct archive_entry *entry;
  XXH3_state_t *state;
  char *block;
  char listing[LISTING + 1]; /* what libarchive writes: "#mtree", and a line of the file */
  size_t length;
};

static enum qn_status refuse(const struct summing *summing, struct qn_error *error) {
  const char *why = archive_error_string(summing->archive);
  if (archive_errno(summing->archive) == ENOMEM || !why) /* it says what it cannot do otherwise */
    return qn_fail_memory(error, "the sums of a file", 0);
  return qn_fail(error, QN_UNSUPPORTED, "libarchive does not compute SHA-256: %s", why);
}

static enum qn_status begin(struct summing *summing, uint64_t bytes, struct qn_error *error) {
  enum qn_status status = qn_alloc(&summing->block, BLOCK, 1, "a block of a file", error);
  if (status)
    return status;
  summing->archive = archive_write_new();
  summing->entry = archive_entry_new();
  summing->state = XXH3_createState();
  if (!summing->archive || !summing->entry || !summing->state)
    return qn_fail_memory(error, "the sums of a file", 0);
  XXH3_128bits_reset(summing->state);
  archive_entry_set_pathname(summing->entry, "file");
  archive_entry_set_filetype(summing->entry, AE_IFREG);
  archive_entry_set_size(summing->entry, (la_int64_t)bytes);
  if (archive_write_set_format_mtree(summing->archive) != ARCHIVE_OK ||
      archive_write_set_options(summing->archive, "!all,sha256") != ARCHIVE_OK ||
      archive_write_set_bytes_per_block(summing->archive, 0) != ARCHIVE_OK ||
      archive_write_open_memory(summing->archive, summing->listing, LISTING, &summing->length) !=
          ARCHIVE_OK ||
      archive_write_header(summing->archive, summing->entry) != ARCHIVE_OK)
    return refuse(summing, error);
  return QN_OK;
}

static enum qn_status read_all(struct summing *summing, int descriptor, uint64_t bytes,
                               struct qn_error *error) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t wanted = bytes - done < BLOCK ? bytes - done : BLOCK;
    const ssize_t got = pread(descriptor, summing->block, wanted, (off_t)done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return qn_fail_errno(error, "cannot read it");
    if (got == 0)
      return qn_fail(error, QN_SYSTEM, "it became shorter while it was read");
    if (archive_write_data(summing->archive, summing->block, (size_t)got) != got)
      return refuse(summing, error);
    XXH3_128bits_update(summing->state, summing->block, (size_t)got);
    done += (uint64_t)got;
    qn_progress_add((uint64_t)got);
  }
  return QN_OK;
}

static enum qn_status end(struct summing *summing, uint64_t bytes, struct qn_file_sums *sums,
                          struct qn_error *error) {
  static const char key[] = "sha256digest=";
  if (archive_write_finish_entry(summing->archive) != ARCHIVE_OK ||
      archive_write_close(summing->archive) != ARCHIVE_OK)
    return refuse(summing, error);
  const char *found = strstr(summing->listing, key);
  if (!found || strspn(found + strlen(key), "0123456789abcdef") != sizeof sums->sha256 - 1)
    return refuse(summing, error);
  memcpy(sums->sha256, found + strlen(key), sizeof sums->sha256 - 1);
  sums->sha256[sizeof sums->sha256 - 1] = '\0';
  const XXH128_hash_t hash = XXH3_128bits_digest(summing->state);
  qn_digest_set(&sums->digest, bytes, hash.low64, hash.high64);
  return QN_OK;
}

enum qn_status qn_file_sums(int descriptor, const char *name, struct qn_file_sums *sums,
                            struct qn_error *error) {
  struct summing summing = {0};
  struct stat about;
  if (fstat(descriptor, &about) != 0) {
    qn_fail_errno(error, "cannot look at it");
    return qn_error_in_file(error, name);
  }
  const uint64_t bytes = (uint64_t)about.st_size;
  qn_progress_begin("verifying", "bytes", bytes);
  enum qn_status status = begin(&summing, bytes, error);
  if (!status)
    status = read_all(&summing, descriptor, bytes, error);
  if (!status)
    status = end(&summing, bytes, sums, error);
  qn_progress_end();
  archive_entry_free(summing.entry);
  archive_write_free(summing.archive);
  XXH3_freeState(summing.state);
  qn_free(summing.block);
  return status ? qn_error_in_file(error, name) : QN_OK;
}
