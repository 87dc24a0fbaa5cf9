#include "converters/parse/characters.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/text_fields.h"
#include "support/progress.h"

void qn_characters_begin(struct qn_characters *characters, struct qn_input *input) {
  *characters = (struct qn_characters){.input = input, .line = 1};
}

bool qn_characters_refill(struct qn_characters *characters) {
  struct qn_input_block *block = &characters->block;
  bool first = !characters->next;
  if (characters->status)
    return false;
  if (!first && block->bytes) {
    qn_input_done(characters->input, block->data, block->bytes);
    qn_progress_add(block->bytes);
  }
  characters->status =
      first || block->bytes ? qn_input_next(characters->input, block, &characters->error) : QN_OK;
  if (characters->status)
    block->bytes = 0;
  if (first)
    qn_text_skip_mark(block);
  characters->next = characters->line_begin = block->bytes ? block->data : "";
  characters->end = characters->next + block->bytes;
  return block->bytes > 0;
}

void qn_characters_take_to(struct qn_characters *characters, const char *to) {
  const char *p = characters->next;
  while ((p = memchr(p, '\n', (size_t)(to - p)))) {
    characters->line++;
    characters->line_begin = ++p;
  }
  characters->next = to;
}

int qn_characters_skip_space(struct qn_characters *characters) {
  int c;
  while ((c = qn_character(characters)) == ' ' || (c >= '\t' && c <= '\r'))
    qn_character_take(characters);
  return c;
}

void qn_characters_skip_line(struct qn_characters *characters) {
  while (qn_character(characters) >= 0) {
    const char *next = characters->next;
    const char *newline = memchr(next, '\n', (size_t)(characters->end - next));
    characters->next = newline ? newline : characters->end;
    if (newline)
      return;
  }
}

bool qn_word_add(struct qn_word *word, int c) {
  if (word->length == QN_MAX_NAME_BYTES || c == 0)
    return false;
  word->text[word->length++] = (char)c;
  word->text[word->length] = '\0';
  return true;
}

enum qn_status qn_characters_fail_here(struct qn_characters *characters, enum qn_status status,
                                       struct qn_error *error) {
  if (characters->status) {
    if (error)
      *error = characters->error;
    return characters->status;
  }
  if (!characters->next)
    qn_character(characters);
  if (status != QN_SYSTEM)
    qn_error_at_line(error, qn_input_name(characters->input), characters->line,
                     (uint64_t)(characters->next - characters->line_begin) + 1);
  return status;
}

enum qn_status qn_characters_fail(struct qn_characters *characters, struct qn_error *error,
                                  const char *format, ...) {
  char message[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_characters_fail_here(characters, QN_INVALID, error);
}
