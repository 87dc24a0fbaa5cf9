#include "formats/bundle_hash.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum qn_status qn_bundle_hash_file(const char *path, uint64_t bytes, char text[33],
                                   struct qn_error *error) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  void *content =
      descriptor < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  if (content == MAP_FAILED) {
    qn_fail_errno(error, "cannot read");
    qn_error_in_file(error, path);
  } else {
    XXH128_hash_t hash = XXH3_128bits(content, bytes);
    snprintf(text, 33, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
    munmap(content, bytes);
  }
  if (descriptor >= 0)
    close(descriptor);
  return content == MAP_FAILED ? QN_SYSTEM : QN_OK;
}
