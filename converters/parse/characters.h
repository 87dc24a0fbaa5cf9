/* An input character after character, whatever its blocks, for formats that nest: what they hold is
 * read word after word, with the place at hand for messages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/text/string_map.h"
#include "support/input/input.h"
#include <quern/error.h>
#include <quern/inline.h>

struct qn_characters {
  struct qn_input *input;
  struct qn_input_block block;
  const char *next, *end;
  uint64_t line;          /* from 1 */
  const char *line_begin; /* in the block, or before it */
  enum qn_status status;  /* of the input, when nothing more comes */
  struct qn_error error;
};

/* A word: as long as a name may be, with a NUL behind it. */
struct qn_word {
  uint64_t length;
  bool quoted;
  char text[QN_MAX_NAME_BYTES + 2];
};

void qn_characters_begin(struct qn_characters *characters, struct qn_input *input);

/* Get the next block; false at the end or if there is an error. */
bool qn_characters_refill(struct qn_characters *characters);

/* The next character, not taken; -1 at the end. */
QN_ALWAYS_INLINE int qn_character(struct qn_characters *characters) {
  if (characters->next == characters->end && !qn_characters_refill(characters))
    return -1;
  return (unsigned char)*characters->next;
}

/* Take it; there must be one. */
QN_ALWAYS_INLINE void qn_character_take(struct qn_characters *characters) {
  if (*characters->next++ == '\n') {
    characters->line++;
    characters->line_begin = characters->next;
  }
}

/* Take all up to `to`, in the block. */
void qn_characters_take_to(struct qn_characters *characters, const char *to);

/* Pass over white space. The next character, not taken; -1 at the end. */
int qn_characters_skip_space(struct qn_characters *characters);
void qn_characters_skip_line(struct qn_characters *characters);

/* Add to a word; false if it is too long, or NUL. */
bool qn_word_add(struct qn_word *word, int c);
void qn_word_clear(struct qn_word *word);

/* Take the characters that go on a word, whatever blocks they are in, and add them; `goes_on` is
 * false for NUL. False if the word gets too long, before the first one too many. */
bool qn_characters_take_run(struct qn_characters *characters, const bool goes_on[256],
                            struct qn_word *word);

/* QN_INVALID at the place of the next character, or what the input failed with. */
enum qn_status qn_characters_fail(struct qn_characters *characters, struct qn_error *error,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* `status`, with the place of the next character if it is about the input's content. */
enum qn_status qn_characters_fail_here(struct qn_characters *characters, enum qn_status status,
                                       struct qn_error *error);
