#include "kernels/jit/seal.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const char mark[8] = "QNSEAL1";

struct seal {
  char mark[sizeof mark];
  uint64_t bytes; /* before it */
  XXH128_hash_t sum;
};
_Static_assert(sizeof(struct seal) == 32, "no padding");

/* Of the first bytes of a file; false: they cannot be read. */
static bool sum_up(int file, uint64_t bytes, struct seal *seal) {
  char part[8192];
  XXH3_state_t *state = XXH3_createState();
  ssize_t count = 1;
  uint64_t at = 0;
  if (!state)
    return false;
  XXH3_128bits_reset(state);
  for (; at < bytes && count > 0; at += (uint64_t)count) {
    count = pread(file, part, bytes - at < sizeof part ? bytes - at : sizeof part, (off_t)at);
    if (count > 0)
      XXH3_128bits_update(state, part, (size_t)count);
  }
  memcpy(seal->mark, mark, sizeof mark);
  seal->bytes = bytes;
  seal->sum = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return count > 0;
}

static bool append(int file) {
  struct stat about;
  struct seal seal;
  return fstat(file, &about) == 0 && sum_up(file, (uint64_t)about.st_size, &seal) &&
         pwrite(file, &seal, sizeof seal, about.st_size) == (ssize_t)sizeof seal &&
         fsync(file) == 0;
}

enum qn_status qn_seal_append(const char *path, struct qn_error *error) {
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const enum qn_status status =
      file >= 0 && append(file) ? QN_OK : qn_fail_errno(error, "%s: cannot complete", path);
  if (file >= 0)
    close(file);
  return status;
}

static bool holds(int file) {
  struct stat about;
  struct seal there, seal;
  if (fstat(file, &about) || !S_ISREG(about.st_mode) || about.st_uid != geteuid() ||
      about.st_mode & (S_IWGRP | S_IWOTH) || about.st_size < (off_t)sizeof seal)
    return false;
  const uint64_t bytes = (uint64_t)about.st_size - sizeof seal;
  return pread(file, &there, sizeof there, (off_t)bytes) == (ssize_t)sizeof there &&
         sum_up(file, bytes, &seal) && memcmp(&there, &seal, sizeof seal) == 0;
}

bool qn_seal_holds(const char *path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const bool does = file >= 0 && holds(file);
  if (file >= 0)
    close(file);
  return does;
}
