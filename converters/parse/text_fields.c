#include "converters/parse/text_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/text/text_numbers.h"
#include "support/progress.h"

void qn_text_skip_mark(struct qn_input_block *block) {
  if (block->bytes < 3 || memcmp(block->data, "\xef\xbb\xbf", 3) != 0)
    return;
  block->data += 3;
  block->bytes -= 3;
}

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

enum qn_status qn_text_take_header(struct qn_input *input, struct qn_input_block *block,
                                   bool (*is_before)(const char *line, const char *end),
                                   const char *expected, uint64_t *number, const char **line,
                                   const char **end, struct qn_error *error) {
  do {
    enum qn_status status = block->bytes ? QN_OK : qn_input_next(input, block, error);
    if (status)
      return status;
    if (++*number == 1)
      qn_text_skip_mark(block);
    if (!qn_text_take_line(block, line, end)) {
      qn_fail(error, QN_INVALID, "the file ends before %s", expected);
      return qn_error_at_line(error, qn_input_name(input), *number, 1);
    }
  } while (is_before(*line, *end));
  return QN_OK;
}

enum qn_status qn_text_each_line(struct qn_input *input,
                                 enum qn_status (*take)(void *context, const char *line,
                                                        const char *end, struct qn_error *error),
                                 void *context, struct qn_error *error) {
  struct qn_input_block block, rest;
  const char *line, *end;
  uint64_t number = 0;
  enum qn_status status;
  while (!(status = qn_input_next(input, &block, error)) && block.bytes) {
    rest = block;
    if (number == 0)
      qn_text_skip_mark(&rest);
    while (!status && qn_text_take_line(&rest, &line, &end)) {
      number++;
      status = take(context, line, end, error);
    }
    if (status == QN_INVALID || status == QN_UNSUPPORTED)
      qn_error_at_line(error, qn_input_name(input), number, 1);
    if (status)
      return status;
    qn_input_done(input, block.data, block.bytes);
    qn_progress_add(block.bytes);
  }
  return status;
}

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
    snprintf(fault, QN_FAULT_BYTES, "expected a weight, a whole number %s; found %s",
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
