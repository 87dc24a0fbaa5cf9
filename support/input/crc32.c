#include "support/input/crc32.h"

#include <pthread.h>

#include "support/threads.h"

#define POLYNOMIAL UINT32_C(0xEDB88320)

/* ---- Bytes ---------------------------------------------------------------- */

/* Eight bytes at a time: table k is for a byte that k others follow. */
static uint32_t tables[8][256];

static void fill_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    tables[0][byte] = crc;
  }
  for (unsigned k = 1; k < 8; k++)
    for (unsigned byte = 0; byte < 256; byte++) {
      uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
}

static uint32_t load_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The next eight bytes into a checksum that is complemented meanwhile. */
static inline uint32_t add_eight(uint32_t crc, const uint8_t *p) {
  uint32_t low = load_u32(p) ^ crc, high = load_u32(p + 4);
  return tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
         tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^
         tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
}

/* Four strands side by side: of one, every step waits for the one before. */
static uint32_t add_strands(uint32_t crc, const uint8_t *p, uint64_t strand) {
  uint32_t sums[4] = {~crc, ~UINT32_C(0), ~UINT32_C(0), ~UINT32_C(0)};
  for (uint64_t i = 0; i < strand; i += 8)
    for (unsigned k = 0; k < 4; k++)
      sums[k] = add_eight(sums[k], p + k * strand + i);
  crc = ~sums[0];
  for (unsigned k = 1; k < 4; k++)
    crc = qn_crc32_join(crc, ~sums[k], strand);
  return crc;
}

uint32_t qn_crc32(uint32_t crc, const void *data, uint64_t bytes) {
  enum { MANY = 64 << 10 };
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const uint8_t *p = data, *end = p + bytes;
  pthread_once(&once, fill_tables);
  if (bytes >= MANY) {
    uint64_t strand = bytes / 32 * 8;
    crc = add_strands(crc, p, strand);
    p += 4 * strand;
  }
  crc = ~crc;
  for (; end - p >= 8; p += 8)
    crc = add_eight(crc, p);
  for (; p < end; p++)
    crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
  return ~crc;
}

/* ---- Joining -------------------------------------------------------------- */

/* Checksums are polynomials over GF(2) modulo the CRC's own; the top bit is the coefficient of
 * x^0. To be followed by n bytes is to be multiplied by x^8n. */
static uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
    product ^= a & bit ? b : 0;
    b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
  }
  return product;
}

uint32_t qn_crc32_join(uint32_t first, uint32_t second, uint64_t bytes) {
  uint32_t power = UINT32_C(1) << 23; /* x^8 */
  for (; bytes; bytes >>= 1) {
    if (bytes & 1)
      first = multiply(first, power);
    power = multiply(power, power);
  }
  return first ^ second;
}

uint32_t qn_crc32_parallel(const void *data, uint64_t bytes) {
  uint64_t threads = qn_threads();
  uint32_t sums[QN_MAX_THREADS], sum = 0;
  uint64_t begin, end;
#pragma omp parallel for schedule(static, 1) private(begin, end)
  for (uint64_t i = 0; i < threads; i++) {
    qn_part_of(bytes, threads, i, &begin, &end);
    sums[i] = qn_crc32(0, (const char *)data + begin, end - begin);
  }
  for (uint64_t i = 0; i < threads; i++) {
    qn_part_of(bytes, threads, i, &begin, &end);
    sum = qn_crc32_join(sum, sums[i], end - begin);
  }
  return sum;
}
