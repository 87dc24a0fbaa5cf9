#include "formats/bundle/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>

void qn_bundle_hash(const void *content, uint64_t bytes, char text[33]) {
  XXH128_hash_t hash = XXH3_128bits(bytes ? content : "", bytes);
  snprintf(text, 33, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

enum qn_status qn_bundle_hash_file(int descriptor, uint64_t *bytes, char text[33],
                                   struct qn_error *error) {
  struct stat state;
  if (fstat(descriptor, &state) != 0)
    return qn_fail_errno(error, "cannot read back");
  *bytes = (uint64_t)state.st_size;
  void *content = *bytes ? mmap(NULL, *bytes, PROT_READ, MAP_SHARED, descriptor, 0) : MAP_FAILED;
  if (*bytes && content == MAP_FAILED)
    return qn_fail_errno(error, "cannot read back");
  qn_bundle_hash(content, *bytes, text);
  if (*bytes)
    munmap(content, *bytes);
  return QN_OK;
}

enum qn_status qn_bundle_hash_members(const json_t *members, char text[17],
                                      struct qn_error *error) {
  char *dump = json_dumps(members, JSON_COMPACT | JSON_SORT_KEYS);
  if (!dump)
    return qn_fail_memory(error, "the manifest", 0);
  snprintf(text, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(dump, strlen(dump)));
  free(dump);
  return QN_OK;
}
