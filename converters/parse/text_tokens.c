#include "converters/parse/text_tokens.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/text_lines.h"
#include "formats/text/text_fields.h"
#include "support/memory.h"
#include "support/threads.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Parts are large enough to fill blocks of edges, and small enough to share work evenly. */
#define MIN_PART_BYTES ((uint64_t)64 << 10)
#define MAX_PART_BYTES ((uint64_t)1 << 20)

/* ---- Counting ------------------------------------------------------------- */

/* Bit i: is p[i] white space, and is it a line end? */
struct marks {
  uint64_t spaces, lines;
};

#ifdef __SSE2__
static inline void mark_16(const char *p, unsigned shift, struct marks *marks) {
  __m128i bytes = _mm_loadu_si128((const __m128i *)p);
  __m128i control = _mm_sub_epi8(bytes, _mm_set1_epi8('\t')); /* tab to carriage return: 0 to 4 */
  __m128i spaces = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(control, _mm_set1_epi8(4)), control),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
  __m128i lines = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
  marks->spaces |= (uint64_t)(uint32_t)_mm_movemask_epi8(spaces) << shift;
  marks->lines |= (uint64_t)(uint32_t)_mm_movemask_epi8(lines) << shift;
}
#else
static inline void mark_16(const char *p, unsigned shift, struct marks *marks) {
  for (unsigned i = 0; i < 16; i++) {
    marks->spaces |= (uint64_t)qn_is_token_space(p[i]) << (shift + i);
    marks->lines |= (uint64_t)(p[i] == '\n') << (shift + i);
  }
}
#endif

/* Count the tokens and line ends of [begin, end), before which white space is. */
static uint64_t count_tokens(const char *begin, const char *end, uint64_t *lines) {
  uint64_t tokens = 0, newlines = 0;
  bool space = true;
  const char *p = begin;
  for (; end - p >= 64; p += 64) {
    struct marks marks = {0, 0};
    for (unsigned shift = 0; shift < 64; shift += 16)
      mark_16(p + shift, shift, &marks);
    uint64_t starts = ~marks.spaces & (marks.spaces << 1 | (uint64_t)space);
    tokens += (uint64_t)__builtin_popcountll(starts);
    newlines += (uint64_t)__builtin_popcountll(marks.lines);
    space = marks.spaces >> 63;
  }
  for (; p < end; p++) {
    tokens += space && !qn_is_token_space(*p);
    newlines += *p == '\n';
    space = qn_is_token_space(*p);
  }
  *lines = newlines;
  return tokens;
}

/* ---- Parts ---------------------------------------------------------------- */

/* The first white space at `offset` or after it. */
static const char *cut_at(const struct qn_input_block *block, uint64_t offset) {
  const char *end = block->data + block->bytes;
  if (offset == 0 || offset >= block->bytes)
    return offset ? end : block->data;
  const char *p = block->data + offset;
  while (p < end && !qn_is_token_space(*p))
    p++;
  return p;
}

void qn_tokens_begin(struct qn_tokens *tokens, struct qn_input *input,
                     const struct qn_input_block *block, uint64_t lines, const char *line) {
  *tokens = (struct qn_tokens){.input = input, .block = *block, .lines = lines, .line = line};
}

enum qn_status qn_tokens_cut(struct qn_tokens *tokens, struct qn_error *error) {
  const struct qn_input_block *block = &tokens->block;
  uint64_t part_bytes = block->bytes / ((uint64_t)qn_threads() * 16);
  part_bytes = part_bytes < MIN_PART_BYTES   ? MIN_PART_BYTES
               : part_bytes > MAX_PART_BYTES ? MAX_PART_BYTES
                                             : part_bytes;
  uint64_t num_parts = (block->bytes + part_bytes - 1) / part_bytes;
  enum qn_status status =
      qn_realloc(&tokens->parts, num_parts, sizeof *tokens->parts, "the parts of the input", error);
  if (status)
    return status;
  tokens->num_parts = num_parts;
  struct qn_token_part *parts = tokens->parts;
  tokens->first = tokens->count;
  const char *begin = block->data; /* a token that is longer than parts is looked through once */
  for (uint64_t i = 0; i < num_parts; i++) {
    const uint64_t offset = (i + 1) * part_bytes;
    const char *end = offset > (uint64_t)(begin - block->data) ? cut_at(block, offset) : begin;
    parts[i] = (struct qn_token_part){
        .cursor = begin, .end = end, .readable_end = block->data + block->bytes};
    begin = end;
  }
#pragma omp parallel for schedule(dynamic)
  for (uint64_t i = 0; i < num_parts; i++) {
    parts[i].last = count_tokens(parts[i].cursor, parts[i].end, &parts[i].lines);
  }
  for (uint64_t i = 0; i < num_parts; i++) {
    parts[i].next = tokens->count;
    tokens->count += parts[i].last;
    parts[i].last = tokens->count;
  }
  return QN_OK;
}

enum qn_status qn_tokens_advance(struct qn_tokens *tokens, struct qn_error *error) {
  for (uint64_t i = 0; i < tokens->num_parts; i++)
    tokens->lines += tokens->parts[i].lines;
  tokens->num_parts = 0;
  enum qn_status status = qn_input_next(tokens->input, &tokens->block, error);
  tokens->line = tokens->block.data;
  return status;
}

void qn_tokens_end(struct qn_tokens *tokens) {
  qn_free(tokens->parts);
  tokens->parts = NULL;
}

/* ---- Messages ------------------------------------------------------------- */

struct qn_token_place qn_tokens_find(const struct qn_tokens *tokens, uint64_t number) {
  struct qn_token_place place = {.line = tokens->lines + 1};
  const char *line = tokens->line, *begin = tokens->block.data;
  struct qn_token_part rest = {.cursor = begin, .end = begin + tokens->block.bytes};
  for (uint64_t n = tokens->first; n <= number; n++)
    place.begin = qn_token_text(&rest, &place.end);
  for (const char *p = begin; p < place.begin; p++)
    if (*p == '\n') {
      place.line++;
      line = p + 1;
    }
  place.column = (uint64_t)(place.begin - line) + 1;
  return place;
}

enum qn_status qn_tokens_fail(const struct qn_tokens *tokens, uint64_t number,
                              struct qn_error *error, const char *format, ...) {
  char message[400], quoted[QN_QUOTE_BYTES];
  struct qn_token_place place = qn_tokens_find(tokens, number);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s; found %s", message,
          qn_text_quote(place.begin, place.end, quoted));
  return qn_error_at_line(error, qn_input_name(tokens->input), place.line, place.column);
}

enum qn_status qn_tokens_fail_at_end(const struct qn_tokens *tokens, struct qn_error *error,
                                     const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_error_at_line(error, qn_input_name(tokens->input), tokens->lines + 1, 1);
}
