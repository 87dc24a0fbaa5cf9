/* Decoding archives in compact form, so that what is encoded is not hidden by compression and
 * checksums. Whatever decodes can be restored, to a container that opens. */
#include <quern/archive.h>

#include <unistd.h>

#include "fuzz/compact.h"
#include "fuzz/fuzz.h"
#include "fuzz/use_container.h"

static void restore(const struct qn_container *archive) {
  struct qn_error error;
  struct qn_container *plain;
  FUZZ_PROMISE(qn_archive_restore(archive, "restored.qrn", true, &error) == QN_OK);
  FUZZ_PROMISE(qn_container_map("restored.qrn", 0, &plain, &error) == QN_OK);
  FUZZ_PROMISE(qn_container_verify(plain, &error) == QN_OK);
  fuzz_walk_container(plain);
  qn_container_unmap(plain);
  unlink("restored.qrn");
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  struct qn_error error;
  struct qn_container *archive;
  size_t bytes;
  (void)kind;
  const uint8_t *container = fuzz_expand(data, size, 0, &bytes);
  if (!container || qn_container_map(fuzz_file(container, bytes), QN_MAP_ARCHIVE, &archive, &error))
    return false;
  bool packed = qn_container_info(archive)->incompatible_features & QN_FEATURE_ARCHIVE;
  bool decodes = packed && !qn_archive_check(archive, &error);
  FUZZ_PROMISE(!packed || decodes || error.message[0] != '\0');
  if (decodes && fuzz_sometimes(data, size))
    restore(archive);
  qn_container_unmap(archive);
  return decodes;
}

static const char *const KINDS[] = {"", NULL};
const struct fuzz_family fuzz_archive = {"archive", KINDS, run};
