#include "converters/parse/characters.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/text/text_fields.h"
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
  do {
    const char *p = characters->next, *end = characters->end;
    for (; p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')); p++)
      if (*p == '\n') {
        characters->line++;
        characters->line_begin = p + 1;
      }
    characters->next = p;
    if (p < end)
      return (unsigned char)*p;
  } while (qn_characters_refill(characters));
  return -1;
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

void qn_word_clear(struct qn_word *word) {
  word->length = 0;
  word->text[0] = '\0';
}

bool qn_characters_take_run(struct qn_characters *characters, const bool goes_on[256],
                            struct qn_word *word) {
  do {
    const char *p = characters->next, *end = characters->end;
    uint64_t room = QN_MAX_NAME_BYTES - word->length;
    char *to = word->text + word->length;
    if ((uint64_t)(end - p) > room)
      end = p + room;
    while (p < end && goes_on[(unsigned char)*p])
      *to++ = *p++;
    *to = '\0';
    word->length = (uint64_t)(to - word->text);
    if (goes_on['\n'])
      qn_characters_take_to(characters, p);
    else
      characters->next = p;
    if (p < characters->end)
      return !goes_on[(unsigned char)*p];
  } while (qn_characters_refill(characters));
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
