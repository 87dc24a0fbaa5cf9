/* Bundles: tars of any bytes, and tars that are sound around any members. These are listed as u8
 * length of the name, the name, u32 length, and content, which is a container in compact form where
 * the length's highest bit is set. */
#include <quern/bundle.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <quern/archive.h>

#include "formats/bundle/afar.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"

enum { TAR, MEMBERS };
static const char *const KINDS[] = {[TAR] = "tar", [MEMBERS] = "members", NULL};

enum { BLOCK = 512, MOST = 4 << 20 };
static uint8_t tar[MOST];

static bool use_members(const struct qn_bundle *bundle) {
  struct qn_error error;
  bool sound = true;
  for (uint32_t i = 0; i < qn_bundle_count(bundle); i++) {
    const struct qn_bundle_member *member = qn_bundle_member(bundle, i), *found;
    struct qn_container *container;
    FUZZ_PROMISE(qn_bundle_find(bundle, member->name, &found, &error) == QN_OK && found == member);
    if (qn_bundle_map(bundle, member, QN_MAP_RECTANGULAR, &container, &error)) {
      FUZZ_PROMISE(error.message[0] != '\0');
      sound = false;
      continue;
    }
    if (qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE)
      sound &= qn_archive_check(container, &error) == QN_OK;
    qn_container_unmap(container);
  }
  return sound;
}

struct bytes {
  const uint8_t *data;
  size_t size;
};

static enum qn_status give(void *user, const struct qn_part *parts, uint64_t count,
                           struct qn_error *error) {
  const struct bytes *bytes = user;
  (void)error;
  for (uint64_t i = 0; i < count; i++) {
    FUZZ_PROMISE(parts[i].bytes <= bytes->size && parts[i].offset <= bytes->size - parts[i].bytes);
    memcpy(parts[i].into, bytes->data + parts[i].offset, parts[i].bytes);
  }
  return QN_OK;
}

/* As from a server: what comes lies where it does in the bundle. */
static bool bring(const uint8_t *data, size_t size) {
  struct bytes bytes = {data, size};
  struct qn_error error = {0};
  const uint8_t *content;
  const struct qn_bundle_source source = {.name = "b.tar",
                                          .bytes = size,
                                          .head = data,
                                          .head_bytes = size < 700 ? size : 700,
                                          .read = give,
                                          .user = &bytes};
  if (qn_bundle_bring_from(&source, &content, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return false;
  }
  for (size_t i = 0; i < size; i++)
    FUZZ_PROMISE(content[i] == data[i] || content[i] == 0);
  munmap((void *)content, size);
  return true;
}

static bool open_bundle(const uint8_t *data, size_t size, bool has_plain_headers) {
  const char *path = fuzz_file(data, size);
  const bool brought = bring(data, size);
  struct qn_error error = {0};
  struct qn_bundle *bundle;
  if (!qn_bundle_recognise(path))
    return false;
  if (qn_bundle_open(path, &bundle, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return false;
  }
  FUZZ_PROMISE(brought || !has_plain_headers);
  bool sound = use_members(bundle);
  qn_bundle_close(bundle);
  return sound;
}

static void write_header(uint8_t *header, const uint8_t *name, size_t name_bytes, size_t bytes) {
  unsigned sum = 0;
  memset(header, 0, BLOCK);
  memcpy(header, name, name_bytes < 100 ? name_bytes : 100);
  snprintf((char *)header + 100, 8, "0000644");
  snprintf((char *)header + 108, 8, "0000000");
  snprintf((char *)header + 116, 8, "0000000");
  snprintf((char *)header + 124, 12, "%011zo", bytes);
  snprintf((char *)header + 136, 12, "00000000000");
  memset(header + 148, ' ', 8);
  header[156] = '0';
  memcpy(header + 257, "ustar\00000", 8);
  for (unsigned i = 0; i < BLOCK; i++)
    sum += header[i];
  snprintf((char *)header + 148, 8, "%06o", sum);
}

/* Bytes of the tar, or 0 if the list ends too early or is too long. */
static size_t write_tar(const uint8_t *data, size_t size) {
  size_t at = 0;
  while (size > 0) {
    const size_t name_bytes = data[0];
    uint32_t bytes;
    if (size < 1 + name_bytes + 4)
      return 0;
    const uint8_t *name = data + 1;
    memcpy(&bytes, name + name_bytes, 4);
    const bool compact = bytes >> 31;
    bytes &= UINT32_MAX >> 1;
    data += 1 + name_bytes + 4;
    size -= 1 + name_bytes + 4;
    if (bytes > size)
      return 0;
    size_t content_bytes = bytes;
    const uint8_t *content = compact ? fuzz_expand(data, bytes, 0, &content_bytes) : data;
    if (!content || at + content_bytes + 5 * BLOCK > MOST)
      return 0;
    write_header(tar + at, name, name_bytes, content_bytes);
    memcpy(tar + at + BLOCK, content, content_bytes);
    const size_t padded = (content_bytes + BLOCK - 1) / BLOCK * BLOCK;
    memset(tar + at + BLOCK + content_bytes, 0, padded - content_bytes);
    at += BLOCK + padded;
    data += bytes;
    size -= bytes;
  }
  memset(tar + at, 0, 2 * BLOCK);
  return at + 2 * BLOCK;
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  if (kind == TAR)
    return open_bundle(data, size, false);
  const size_t bytes = write_tar(data, size);
  return bytes && open_bundle(tar, bytes, true);
}

const struct fuzz_family fuzz_bundle = {"bundle", KINDS, run};
