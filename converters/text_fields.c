#include "converters/text_fields.h"

#include <string.h>

#include "converters/text_numbers.h"

bool qn_text_take_line(struct qn_input_block *block, const char **line, const char **end) {
  if (block->bytes == 0)
    return false;
  const char *newline = memchr(block->data, '\n', block->bytes);
  *line = block->data;
  *end = newline ? newline : block->data + block->bytes;
  uint64_t taken = (uint64_t)(*end - block->data) + (newline ? 1 : 0);
  if (*end > *line && (*end)[-1] == '\r')
    --*end;
  block->data += taken;
  block->offset += taken;
  block->bytes -= taken;
  return true;
}

bool qn_text_weight(struct qn_text_part *part, enum qn_weight_choice wanted, const char *line,
                    const char *field, const char *field_end, enum qn_weight_type *type,
                    uint32_t *bits) {
  char text[QN_QUOTE_BYTES];
  enum qn_weight_kind kind = qn_parse_weight(field, field_end, type, bits);
  if (kind == QN_WEIGHT_FINE && (wanted != QN_WEIGHTS_U32 || *type == QN_WEIGHT_U32))
    return true;
  const char *found = qn_text_quote(field, field_end, text);
  if (kind == QN_WEIGHT_FINE)
    qn_text_reject(part, line, field,
                   "expected a weight, a whole number up to 2^32-1 (--weights=u32); found %s",
                   found);
  else if (kind == QN_WEIGHT_NOT_FINITE)
    qn_text_reject(part, line, field,
                   "expected a finite weight; found %s (--weights=none drops weights)", found);
  else if (kind == QN_WEIGHT_TOO_LARGE)
    qn_text_reject(part, line, field, "weight %s is too large for a 32-bit float", found);
  else
    qn_text_reject(part, line, field, "expected a weight, a number; found %s", found);
  return false;
}
