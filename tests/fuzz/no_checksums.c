/* In place of formats/container/checksum.c and formats/bundle/hash.c: what lies behind the
 * checksums of sections and members is what is to be reached. tests/conformance/test_damage.py has
 * the checksums themselves. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/bundle/hash.h"
#include <quern/container.h>

uint64_t qn_chunk_hash(const void *chunk, uint64_t bytes) {
  (void)chunk, (void)bytes;
  return 0;
}

void qn_hash_chunks(const void *data, uint64_t bytes, uint64_t *hashes) {
  uint64_t chunks = (bytes + ((uint64_t)1 << 20) - 1) >> 20;
  (void)data;
  memset(hashes, 0, chunks * sizeof *hashes);
}

uint64_t qn_checksum_of_hashes(const uint64_t *hashes, uint64_t num_chunks) {
  (void)hashes, (void)num_chunks;
  return 0;
}

uint64_t qn_chunked_checksum(const void *data, uint64_t bytes) {
  (void)data, (void)bytes;
  return 0;
}

void qn_bundle_hash(const void *content, uint64_t bytes, char text[33]) {
  (void)content, (void)bytes;
  snprintf(text, 33, "%032d", 0);
}

enum qn_status qn_bundle_hash_file(int descriptor, uint64_t *bytes, char text[33],
                                   struct qn_error *error) {
  struct stat state;
  if (fstat(descriptor, &state) != 0)
    return qn_fail_errno(error, "cannot look at a file");
  *bytes = (uint64_t)state.st_size;
  snprintf(text, 33, "%032d", 0);
  return QN_OK;
}

enum qn_status qn_bundle_hash_members(const json_t *members, char text[17],
                                      struct qn_error *error) {
  (void)members, (void)error;
  snprintf(text, 17, "%016d", 0);
  return QN_OK;
}
