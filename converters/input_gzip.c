#include "converters/input_gzip.h"

#include <pthread.h>
#include <string.h>

/* CRC-32, eight bytes at a time: table k is for a byte that k others follow. */
static uint32_t crc_tables[8][256];

static void fill_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
    crc_tables[0][byte] = crc;
  }
  for (unsigned k = 1; k < 8; k++)
    for (unsigned byte = 0; byte < 256; byte++) {
      uint32_t before = crc_tables[k - 1][byte];
      crc_tables[k][byte] = before >> 8 ^ crc_tables[0][before & 0xff];
    }
}

static uint32_t load_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t crc_update(uint32_t crc, const uint8_t *p, uint64_t bytes) {
  crc = ~crc;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint32_t low = load_u32(p) ^ crc, high = load_u32(p + 4);
    crc = crc_tables[7][low & 0xff] ^ crc_tables[6][low >> 8 & 0xff] ^
          crc_tables[5][low >> 16 & 0xff] ^ crc_tables[4][low >> 24] ^ crc_tables[3][high & 0xff] ^
          crc_tables[2][high >> 8 & 0xff] ^ crc_tables[1][high >> 16 & 0xff] ^
          crc_tables[0][high >> 24];
  }
  for (; bytes > 0; bytes--, p++)
    crc = crc >> 8 ^ crc_tables[0][(crc ^ *p) & 0xff];
  return ~crc;
}

void qn_gzip_check_content(struct qn_gzip_check *check, const void *data, uint64_t bytes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_tables);
  check->crc = crc_update(check->crc, data, bytes);
  check->content_bytes += bytes;
}

void qn_gzip_check_file(struct qn_gzip_check *check, const void *data, uint64_t bytes) {
  const uint8_t *p = data;
  uint64_t taken = bytes < QN_GZIP_TRAILER ? bytes : QN_GZIP_TRAILER;
  memmove(check->tail, check->tail + taken, QN_GZIP_TRAILER - taken);
  memcpy(check->tail + (QN_GZIP_TRAILER - taken), p + bytes - taken, taken);
  check->file_bytes += bytes;
}

bool qn_gzip_check_end(const struct qn_gzip_check *check, const void *whole_file) {
  enum { HEADER = 10 };
  static const char mark[] = {'\x1f', '\x8b', '\x08'};
  if (check->file_bytes < HEADER + QN_GZIP_TRAILER)
    return false;
  if (load_u32(check->tail + 4) == (uint32_t)check->content_bytes)
    return load_u32(check->tail) == check->crc;
  /* Another length: either there are more members before the last one, or it is damaged. */
  return !whole_file || memmem((const char *)whole_file + HEADER, check->file_bytes - HEADER, mark,
                               sizeof mark) != NULL;
}
