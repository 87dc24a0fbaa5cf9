#include "support/input/gzip.h"

#include <string.h>

#include "support/input/crc32.h"

static uint32_t load_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void qn_gzip_check_content(struct qn_gzip_check *check, const void *data, uint64_t bytes) {
  check->crc = qn_crc32(check->crc, data, bytes);
  check->content_bytes += bytes;
}

void qn_gzip_check_file(struct qn_gzip_check *check, const void *data, uint64_t bytes) {
  const uint8_t *p = data;
  uint64_t taken = bytes < QN_GZIP_TRAILER ? bytes : QN_GZIP_TRAILER;
  memmove(check->tail, check->tail + taken, QN_GZIP_TRAILER - taken);
  memcpy(check->tail + (QN_GZIP_TRAILER - taken), p + bytes - taken, taken);
  check->file_bytes += bytes;
}

enum { HEADER = 10 };
static const char mark[] = {'\x1f', '\x8b', '\x08'};

static bool has_mark(const void *data, uint64_t bytes) {
  return memmem(data, bytes, mark, sizeof mark) != NULL;
}

void qn_gzip_check_pieces(struct qn_gzip_check *check, const void *data, uint64_t bytes) {
  enum { OVERLAP = sizeof mark - 1 };
  const char *p = data;
  const uint64_t header = check->file_bytes < HEADER ? HEADER - check->file_bytes : 0;
  char border[2 * OVERLAP] = {0};
  if (header < bytes && !check->has_members)
    check->has_members = has_mark(p + header, bytes - header);
  if (check->file_bytes >= HEADER + OVERLAP) {
    memcpy(border, check->tail + QN_GZIP_TRAILER - OVERLAP, OVERLAP);
    memcpy(border + OVERLAP, p, bytes < OVERLAP ? bytes : OVERLAP);
    check->has_members |= has_mark(border, sizeof border);
  }
  qn_gzip_check_file(check, data, bytes);
}

bool qn_gzip_check_end(const struct qn_gzip_check *check, const void *whole_file) {
  if (check->file_bytes < HEADER + QN_GZIP_TRAILER)
    return false;
  if (load_u32(check->tail + 4) == (uint32_t)check->content_bytes)
    return load_u32(check->tail) == check->crc;
  /* Another length: either there are more members before the last one, or it is damaged. */
  return whole_file ? has_mark((const char *)whole_file + HEADER, check->file_bytes - HEADER)
                    : check->has_members;
}
