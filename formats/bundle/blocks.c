#include "formats/bundle/blocks.h"

#include <stdio.h>
#include <string.h>

/* Of a header, by POSIX. */
enum { SIZE_AT = 124, SIZE_BYTES = 12, SUM_AT = 148, SUM_BYTES = 8, TYPE_AT = 156 };

/* Six octal digits, a NUL and a blank, as tar has always written it. */
static bool sum_is_right(const uint8_t *header) {
  unsigned sum = 0;
  char text[SUM_BYTES + 1];
  for (unsigned i = 0; i < QN_TAR_BLOCK; i++)
    sum += i >= SUM_AT && i < SUM_AT + SUM_BYTES ? ' ' : header[i];
  snprintf(text, sizeof text, "%06o", sum);
  text[SUM_BYTES - 1] = ' ';
  return memcmp(header + SUM_AT, text, SUM_BYTES) == 0;
}

uint64_t qn_tar_size(const uint8_t *header) {
  uint64_t size = 0;
  for (unsigned i = 0; i < SIZE_BYTES; i++) {
    uint8_t c = header[SIZE_AT + i];
    if (c == 0 || c == ' ')
      break;
    if (c < '0' || c > '7')
      return UINT64_MAX;
    size = size * 8 + (c - '0');
  }
  return size;
}

uint64_t qn_tar_content_at(const uint8_t *tar, uint64_t begin, uint64_t end) {
  while (begin < end && end - begin >= QN_TAR_BLOCK) {
    const uint64_t content = begin + QN_TAR_BLOCK, size = qn_tar_size(tar + begin);
    if (!tar[begin + TYPE_AT] || !strchr("xgXLKA", tar[begin + TYPE_AT]))
      return content; /* these extend the next header: of pax, GNU tar and Solaris */
    if (size > end - content)
      break;
    begin = qn_tar_block_end(content + size);
  }
  return UINT64_MAX;
}

bool qn_tar_is_blank(const uint8_t *tar, uint64_t begin, uint64_t end) {
  return begin >= end ||
         (tar[begin] == 0 && memcmp(tar + begin, tar + begin + 1, end - begin - 1) == 0);
}

bool qn_tar_headers_are_sound(const uint8_t *tar, uint64_t begin, uint64_t end) {
  while (begin < end && end - begin > QN_TAR_BLOCK) {
    uint64_t size = qn_tar_size(tar + begin), room = end - begin - 2 * QN_TAR_BLOCK;
    uint64_t text = begin + QN_TAR_BLOCK;
    if (!sum_is_right(tar + begin) || size > room || size == 0 ||
        !qn_tar_is_blank(tar, text + size, qn_tar_block_end(text + size)))
      return false;
    begin = qn_tar_block_end(text + size);
  }
  return end - begin == QN_TAR_BLOCK && sum_is_right(tar + begin);
}
