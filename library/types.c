/* Version, types and texts of the stable interface. */
#include <stdlib.h>
#include <string.h>

#include "library/sized.h"
#include "support/tool.h"
#include <quern/job.h>

const char *qn_version(void) {
  return QN_VERSION;
}

uint64_t qn_type_bytes(enum qn_type type) {
  static const uint8_t bytes[] = {
      [QN_TYPE_U8] = 1,  [QN_TYPE_U16] = 2, [QN_TYPE_U32] = 4, [QN_TYPE_U64] = 8, [QN_TYPE_I8] = 1,
      [QN_TYPE_I16] = 2, [QN_TYPE_I32] = 4, [QN_TYPE_I64] = 8, [QN_TYPE_F32] = 4, [QN_TYPE_F64] = 8,
  };
  return (unsigned)type < sizeof bytes ? bytes[type] : 0;
}

void qn_text_free(char *text) {
  free(text);
}

void qn_sized_copy(void *to, const void *from, uint64_t bytes) {
  uint64_t known;
  memcpy(&known, to, sizeof known);
  if (known <= sizeof known)
    return;
  uint64_t copied = known < bytes ? known : bytes;
  memcpy((char *)to + sizeof known, (const char *)from + sizeof known, copied - sizeof known);
  memset((char *)to + copied, 0, known - copied);
}

void qn_sized_read(void *to, uint64_t bytes, const void *from) {
  uint64_t known = 0;
  if (from)
    memcpy(&known, from, sizeof known);
  memset(to, 0, bytes);
  if (from)
    memcpy(to, from, known < bytes ? known : bytes);
  memcpy(to, &bytes, sizeof bytes);
}
