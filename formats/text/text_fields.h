/* Lines and their fields: what readers of text share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/input/input.h"

/* What stands in an input, or in memory that someone else owns. */
struct qn_text {
  const char *bytes;
  uint64_t length;
};

static inline struct qn_text qn_text_of(const char *text) {
  return (struct qn_text){text, strlen(text)};
}

static inline bool qn_is_blank(char c) {
  return c == ' ' || c == '\t';
}

static inline bool qn_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline const char *qn_skip_blanks(const char *p, const char *end) {
  while (p < end && qn_is_blank(*p))
    p++;
  return p;
}

/* After the last field: over the line end, or NULL if something else is there. */
static inline const char *qn_skip_line_end(const char *p) {
  if (__builtin_expect(*p == '\n', 1))
    return p + 1;
  return p[0] == '\r' && p[1] == '\n' ? p + 2 : NULL;
}

/* Skip the byte order mark at the beginning of UTF-8 content. */
void qn_text_skip_mark(struct qn_input_block *block);

/* Take the first line, without line end, from a block. False if the block is empty. */
bool qn_text_take_line(struct qn_input_block *block, const char **line, const char **end);

/* Take the lines of an input, counted in `*number`, up to and with the first one that `is_before`
 * does not pass over: the header, which lies at `*line` to `*end` in `block`. That is to begin with
 * zeroed; what is left of it may be nothing. QN_INVALID if the input ends before `expected`. */
enum qn_status qn_text_take_header(struct qn_input *input, struct qn_input_block *block,
                                   bool (*is_before)(const char *line, const char *end),
                                   const char *expected, uint64_t *number, const char **line,
                                   const char **end, struct qn_error *error);

/* Call `take` with every line of an input in their order, without its line end, until one fails:
 * what is QN_INVALID or QN_UNSUPPORTED gets the line's place. */
enum qn_status qn_text_each_line(struct qn_input *input,
                                 enum qn_status (*take)(void *context, const char *line,
                                                        const char *end, struct qn_error *error),
                                 void *context, struct qn_error *error);

/* [begin, end) for messages: in quotes, unprintable bytes as \xNN, cut after 40; "the end of
 * the line" if empty. `text` has QN_QUOTE_BYTES. Returns `text`. */
#define QN_QUOTE_BYTES 192
const char *qn_text_quote(const char *begin, const char *end, char *text);

/* The field at `begin`: up to white space, a comma or a semicolon, or `end`. */
const char *qn_text_field_end(const char *begin, const char *end);
