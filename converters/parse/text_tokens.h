/* Reading formats that are one long sequence of numbers, separated by any white space, in
 * parallel: a block of the input is cut into parts whose tokens are counted, so that a part knows
 * which number of the sequence its first one is.
 *
 *   struct qn_tokens tokens;
 *   qn_tokens_begin(&tokens, input, &block);         block: what is left of the first one
 *   do {
 *     qn_tokens_cut(&tokens, &error);
 *     for (i = 0; i < tokens.num_parts; i++)         by any number of threads
 *       while (there is one in tokens.parts[i])      qn_token_number or qn_token_text
 *     qn_tokens_advance(&tokens, &error);
 *   } while (tokens.block.bytes);
 *   qn_tokens_end(&tokens);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/text/text_numbers.h"
#include "support/input/input.h"
#include <quern/error.h>
#include <quern/inline.h>

/* Whole tokens of a block. */
struct qn_token_part {
  const char *cursor;       /* before the next token, perhaps in white space */
  const char *end;          /* of the part */
  const char *readable_end; /* bytes up to here may be read */
  uint64_t next;            /* number of the next token, from 0 */
  uint64_t last;            /* that of the next part's first token */
  uint64_t lines;           /* line ends in the part */
};

struct qn_tokens {
  struct qn_input *input;
  struct qn_input_block block;
  struct qn_token_part *parts;
  uint64_t num_parts;
  uint64_t first;   /* number of the block's first token */
  uint64_t count;   /* tokens up to the block's end */
  uint64_t lines;   /* line ends before the block */
  const char *line; /* where the line begins that the block begins in */
};

static inline bool qn_is_token_space(char c) {
  return c == ' ' || (unsigned char)(c - '\t') <= '\r' - '\t';
}

/* Take tokens of `input` from `block` on, which may lack what was taken of its content: `lines`
 * line ends; the line that is left began at `line`. */
void qn_tokens_begin(struct qn_tokens *tokens, struct qn_input *input,
                     const struct qn_input_block *block, uint64_t lines, const char *line);

/* Cut the block into parts. */
enum qn_status qn_tokens_cut(struct qn_tokens *tokens, struct qn_error *error);

/* On to the next block, which is empty at the end. */
enum qn_status qn_tokens_advance(struct qn_tokens *tokens, struct qn_error *error);

/* Free what qn_tokens_cut took. */
void qn_tokens_end(struct qn_tokens *tokens);

/* Where token `number` is, which must be in the block: for messages. */
struct qn_token_place {
  const char *begin, *end;
  uint64_t line, column; /* from 1 */
};
struct qn_token_place qn_tokens_find(const struct qn_tokens *tokens, uint64_t number);

/* QN_INVALID at the line and column of token `number`, which is in the block: the message, and what
 * is found there. */
enum qn_status qn_tokens_fail(const struct qn_tokens *tokens, uint64_t number,
                              struct qn_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* QN_INVALID after the last line, when the block is empty. */
enum qn_status qn_tokens_fail_at_end(const struct qn_tokens *tokens, struct qn_error *error,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The next token as text; there must be one. */
QN_ALWAYS_INLINE const char *qn_token_text(struct qn_token_part *part, const char **end) {
  const char *p = part->cursor;
  while (qn_is_token_space(*p))
    p++;
  const char *begin = p;
  while (p < part->end && !qn_is_token_space(*p))
    p++;
  part->cursor = *end = p;
  part->next++;
  return begin;
}

/* The next token as a whole number; there must be one. False if it is none, or above UINT64_MAX;
 * then it counts as not taken. */
QN_ALWAYS_INLINE bool qn_token_number(struct qn_token_part *part, uint64_t *number) {
  enum { READ_BYTES = 24 }; /* by qn_parse_short_number */
  const char *p = part->cursor, *end;
  while (qn_is_token_space(*p))
    p++;
  if (__builtin_expect(part->readable_end - p > READ_BYTES && qn_parse_short_number(&p, number) &&
                           (p == part->end || qn_is_token_space(*p)),
                       1)) {
    part->cursor = p;
    part->next++;
    return true;
  }
  const char *before = part->cursor, *begin = qn_token_text(part, &end);
  if (qn_parse_whole(begin, end, number) == QN_NUMBER_FINE)
    return true;
  part->cursor = before;
  part->next--;
  return false;
}
