/* Decoding archives of any bytes, as they are and with checksums made to fit: what is encoded is
 * reached behind them. What decodes to the checksums of the decoded bytes can be restored. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/fuzz_seal.h"
#include <quern/archive.h>

static void open_and_decode(const uint8_t *data, size_t size) {
  struct qn_error error;
  struct qn_container *archive, *plain;
  if (qn_container_map(fuzz_file(data, size), QN_MAP_ARCHIVE, &archive, &error))
    return;
  bool packed = qn_container_info(archive)->incompatible_features & QN_FEATURE_ARCHIVE;
  if (packed && qn_archive_check(archive, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
  } else if (packed) {
    FUZZ_PROMISE(qn_archive_restore(archive, "restored.qrn", true, &error) == QN_OK);
    FUZZ_PROMISE(qn_container_map("restored.qrn", 0, &plain, &error) == QN_OK);
    FUZZ_PROMISE(qn_container_verify(plain, &error) == QN_OK);
    qn_container_unmap(plain);
    unlink("restored.qrn");
  }
  qn_container_unmap(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  open_and_decode(data, size);
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    exit(5);
  memcpy(copy, data, size);
  if (fuzz_seal(copy, size))
    open_and_decode(copy, size);
  free(copy);
  return 0;
}
