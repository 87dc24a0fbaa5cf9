/* Fields of lines: what readers of text formats share. */
#ifndef QN_CONVERTERS_PARSE_TEXT_FIELDS_H
#define QN_CONVERTERS_PARSE_TEXT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "converters/build/build.h"
#include "converters/parse/text_lines.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Parse a weight that obeys `wanted`; false if it is none, and `fault` says why. One that is
 * rounded is noted in `list`. */
#define QN_FAULT_BYTES 384
bool qn_parse_wanted_weight(enum qn_weight_choice wanted, struct qn_edge_list *list,
                            const char *field, const char *field_end, enum qn_weight_type *type,
                            uint64_t *bits, char fault[QN_FAULT_BYTES]);

/* As a field of a line; rejects the line and returns false if it is none. */
bool qn_text_weight(struct qn_text_part *part, enum qn_weight_choice wanted, const char *line,
                    const char *field, const char *field_end, enum qn_weight_type *type,
                    uint64_t *bits);

#ifdef __cplusplus
}
#endif
#endif
