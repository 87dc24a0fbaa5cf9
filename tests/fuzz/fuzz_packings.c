/* Compressed files and archives of any bytes, unpacked as inputs are. libarchive does most of it;
 * the checks that it leaves out, the choice of a member and the bounds of expansion are ours. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/input/source.h"
#include "support/input/zip_members.h"

enum { UNPACK, MEMBERS };
static const char *const KINDS[] = {[UNPACK] = "unpack", [MEMBERS] = "zip-members", NULL};

static const struct qn_input_options OPTIONS = {.max_bytes = 1 << 20,
                                                .max_expansion = QN_INPUT_MAX_EXPANSION};

static bool unpack(const uint8_t *data, size_t size, const char *member) {
  struct qn_error error = {0};
  struct qn_archive *archive;
  char buffer[4096];
  uint64_t got = 1, total = 0;
  if (!qn_archive_recognise((const char *)data, size))
    return false;
  enum qn_status status = qn_archive_create((const char *)data, size, NULL, "packed", &OPTIONS,
                                            member, &archive, &error);
  FUZZ_PROMISE(!status || error.message[0]);
  if (status)
    return false;
  FUZZ_PROMISE(qn_archive_packing(archive)[0] != '\0');
  while (!status && got) {
    status = qn_archive_read(archive, buffer, sizeof buffer, &got, &error);
    total += status ? 0 : got;
  }
  FUZZ_PROMISE(total <= OPTIONS.max_bytes);
  FUZZ_PROMISE(!status || error.message[0]);
  qn_archive_destroy(archive);
  return !status;
}

static bool list_members(const uint8_t *data, size_t size) {
  struct qn_error error = {0};
  struct qn_zip zip = {0};
  enum qn_status status = qn_zip_open("packed", (const char *)data, size, &OPTIONS, &zip, &error);
  for (uint32_t i = 0; !status && i < zip.num_members; i++) {
    FUZZ_PROMISE(qn_zip_find(&zip, zip.members[i].name) == &zip.members[i]);
    zip.members[i].wanted = true;
  }
  if (!status)
    status = qn_zip_load(&zip, &error);
  unsigned sum = 0;
  for (uint32_t i = 0; !status && i < zip.num_members; i++)
    sum += fuzz_choices((const uint8_t *)zip.members[i].data, zip.members[i].bytes);
  FUZZ_PROMISE(!status || error.message[0]);
  qn_zip_close(&zip);
  return !status && sum != 1;
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  if (kind == MEMBERS)
    return list_members(data, size);
  return unpack(data, size, NULL) || unpack(data, size, "a");
}

const struct fuzz_family fuzz_packings = {"packings", KINDS, run};
