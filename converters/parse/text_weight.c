#include "converters/parse/text_weight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"

static void note_rounded(struct qn_edge_list *list, const char *field, const char *field_end,
                         uint64_t bits) {
  char text[512];
  double rounded;
  memcpy(&rounded, &bits, sizeof rounded);
  snprintf(text, sizeof text, "%.*s", (int)(field_end - field), field); /* the rest is too small */
  qn_edge_list_note_rounded(list, strtold(text, NULL), rounded);
}

bool qn_parse_wanted_weight(enum qn_weight_choice wanted, struct qn_edge_list *list,
                            const char *field, const char *field_end, enum qn_weight_type *type,
                            uint64_t *bits, char fault[QN_FAULT_BYTES]) {
  char text[QN_QUOTE_BYTES];
  enum qn_weight_kind kind = qn_parse_weight(field, field_end, type, bits);
  if (kind == QN_WEIGHT_ROUNDED) {
    note_rounded(list, field, field_end, *bits);
    kind = QN_WEIGHT_FINE;
  }
  if (kind == QN_WEIGHT_FINE && qn_weights_take(wanted, *type))
    return true;
  const char *found = qn_text_quote(field, field_end, text);
  if (kind == QN_WEIGHT_FINE)
    snprintf(fault, QN_FAULT_BYTES, "expected a weight, an integer %s; found %s",
             wanted == QN_WEIGHTS_U32 ? "up to 2^32-1 (--weights=u32)"
                                      : "of 64 bits (--weights=i64)",
             found);
  else if (kind == QN_WEIGHT_NOT_FINITE)
    snprintf(fault, QN_FAULT_BYTES,
             "expected a finite weight; found %s (--weights=none drops weights)", found);
  else if (kind == QN_WEIGHT_TOO_LARGE || kind == QN_WEIGHT_TOO_SMALL)
    snprintf(fault, QN_FAULT_BYTES, "weight %s is too %s for a 64-bit float", found,
             kind == QN_WEIGHT_TOO_LARGE ? "large" : "small");
  else
    snprintf(fault, QN_FAULT_BYTES, "expected a weight, a number; found %s", found);
  return false;
}

bool qn_text_weight(struct qn_text_part *part, enum qn_weight_choice wanted, const char *line,
                    const char *field, const char *field_end, enum qn_weight_type *type,
                    uint64_t *bits) {
  char fault[QN_FAULT_BYTES];
  if (qn_parse_wanted_weight(wanted, part->stream.list, field, field_end, type, bits, fault))
    return true;
  qn_text_reject(part, line, field, "%s", fault);
  return false;
}
