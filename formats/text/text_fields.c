#include "formats/text/text_fields.h"

#include <stdio.h>
#include <string.h>

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

const char *qn_text_quote(const char *begin, const char *end, char *text) {
  enum { SHOWN = 40 };
  if (begin >= end)
    return "the end of the line";
  char *out = text;
  *out++ = '\'';
  for (const char *p = begin; p < end && p < begin + SHOWN; p++) {
    unsigned char byte = (unsigned char)*p;
    if (byte < 0x20 || byte == 0x7f || byte == '\\')
      out += sprintf(out, byte == '\\' ? "\\\\" : "\\x%02x", byte);
    else
      *out++ = (char)byte;
  }
  strcpy(out, end - begin > SHOWN ? "...'" : "'");
  return text;
}

const char *qn_text_field_end(const char *begin, const char *end) {
  while (begin < end && *begin != ' ' && *begin != '\t' && *begin != ',' && *begin != ';')
    begin++;
  return begin;
}
