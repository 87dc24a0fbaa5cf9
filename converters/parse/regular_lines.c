/* In two steps that hardly branch: a vector comparison finds every byte of some kilobytes
 * that is no digit; then two (or three) such places after the other make a line, if
 * they are a separator and a line end, and the numbers between are converted from registers. */
#include "converters/parse/regular_lines.h"

#include <string.h>

#include "converters/parse/real_lines.h"
#include <quern/inline.h>

/* Bytes looked at in one go, and the fewest after a line that was not regular: looking far
 * ahead is in vain where such lines are many. */
#define MOST_BYTES 4096
#define LEAST_BYTES 128

/* Bytes that may be read after the last mark: the longest number, and the vectors' width. */
#define SLACK_BYTES 64

/* Places are found by dozens, the last of them perhaps in vain. */
#define DOZEN 12

/* The places in [0, bytes) of `text` that are no digits; returns how many. `bytes` is a multiple of
 * 64; `places` has room for that many and a dozen. */
static inline uint32_t find_marks(const char *text, uint32_t bytes, uint16_t *places) {
  const uint64_t top = (uint64_t)1 << 63; /* so that there always is a lowest bit */
  uint32_t count = 0;
  for (uint32_t base = 0; base < bytes; base += 64) {
    uint64_t marks = qn_marks_of_64(text + base);
    uint32_t here = (uint32_t)__builtin_popcountll(marks);
    uint16_t *out = places + count;
    for (uint32_t done = 0; done < here; done += DOZEN)
      for (uint32_t k = 0; k < DOZEN; k++) {
        *out++ = (uint16_t)(base + (uint32_t)__builtin_ctzll(marks | top));
        marks &= marks - 1;
      }
    count += here;
  }
  return count;
}

/* `length` digits at `p`, 1 to 16. */
static inline uint64_t number_at(const char *p, uint32_t length) {
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  if (__builtin_expect(length <= 8, 1))
    return qn_eight_digits((qn_load_bytes(p) ^ zeros) << (64 - 8 * length));
  uint64_t high = qn_eight_digits((qn_load_bytes(p) ^ zeros) << (128 - 8 * length));
  uint64_t low = qn_eight_digits(qn_load_bytes(p + length - 8) ^ zeros);
  return high * 100000000 + low;
}

static inline bool separates(struct qn_separators separators, char c) {
  return (c == separators.one) | (c == separators.other);
}

/* Parse the lines that end at the marks, from text[0] on. Returns the bytes parsed; `*all` if no
 * line was irregular. */
QN_ALWAYS_INLINE uint32_t parse_marked(struct qn_text_part *part, const char *text,
                                       const uint16_t *places, uint32_t count, bool weighted,
                                       struct qn_separators separators, bool *all) {
  const uint32_t columns = weighted ? 3 : 2;
  uint32_t begin = 0, used = 0;
  uint64_t edges = 0;
  for (; used + columns <= count; used += columns) {
    uint32_t first = places[used], second = places[used + 1],
             third = weighted ? places[used + 2] : 0;
    uint32_t length1 = first - begin, length2 = second - first - 1, length3 = third - second - 1;
    bool regular =
        (length1 - 1 < 16) & (length2 - 1 < 16) & separates(separators, text[first]) &
        (weighted ? (length3 - 1 < 16) & separates(separators, text[second]) & (text[third] == '\n')
                  : text[second] == '\n');
    if (__builtin_expect(!regular, 0))
      break;
    uint64_t source = number_at(text + begin, length1);
    uint64_t destination = number_at(text + first + 1, length2);
    if (weighted) {
      uint64_t weight = number_at(text + second + 1, length3);
      if (__builtin_expect(weight > UINT32_MAX, 0))
        break;
      qn_edge_push_u32(&part->stream, source, destination, (uint32_t)weight);
    } else {
      qn_edge_push(&part->stream, source, destination);
    }
    edges++;
    begin = (weighted ? third : second) + 1;
  }
  part->edges += edges;
  *all = used + columns > count;
  return begin;
}

/* Where a line's columns begin and how long they are; false if it is not regular. */
struct columns_found {
  uint32_t begin[QN_MOST_REGULAR_COLUMNS], length[QN_MOST_REGULAR_COLUMNS];
};

static inline bool find_columns(const char *text, uint32_t begin, const uint16_t *places,
                                uint32_t num_columns, struct qn_separators separators,
                                struct columns_found *found) {
  bool regular = true;
  for (uint32_t c = 0; c < num_columns; c++) {
    found->begin[c] = begin;
    found->length[c] = places[c] - begin;
    regular &= places[c] > begin;
    regular &=
        c + 1 < num_columns ? separates(separators, text[places[c]]) : text[places[c]] == '\n';
    begin = places[c] + 1u;
  }
  return regular;
}

/* As parse_marked. */
static uint32_t parse_marked_columns(struct qn_text_part *part, const char *text,
                                     const uint16_t *places, uint32_t count,
                                     const struct qn_regular_columns *columns, bool *all) {
  const uint32_t n = columns->num_columns, u = columns->source, v = columns->destination;
  const bool weighted = columns->weight != UINT32_MAX;
  const struct qn_separators separators = columns->separators;
  const uint32_t w = weighted ? columns->weight : u;
  struct columns_found found;
  uint32_t begin = 0, used = 0;
  uint64_t edges = 0;
  for (; used + n <= count; used += n) {
    bool regular = find_columns(text, begin, places + used, n, separators, &found);
    if (!regular || found.length[u] > 16 || found.length[v] > 16 || found.length[w] > 16)
      break;
    uint64_t source = number_at(text + found.begin[u], found.length[u]);
    uint64_t destination = number_at(text + found.begin[v], found.length[v]);
    uint64_t weight = weighted ? number_at(text + found.begin[w], found.length[w]) : 0;
    if (weight > UINT32_MAX)
      break;
    if (weighted)
      qn_edge_push_u32(&part->stream, source, destination, (uint32_t)weight);
    else
      qn_edge_push(&part->stream, source, destination);
    edges++;
    begin = places[used + n - 1] + 1u;
  }
  part->edges += edges;
  *all = used + n > count;
  return begin;
}

/* Digits of real weights that are exact in a double. */
#define REAL_DIGITS 15

/* As parse_marked_columns: the point of the weight is one more mark, between two runs of digits. */
QN_ALWAYS_INLINE uint32_t parse_marked_reals(struct qn_text_part *part, const char *text,
                                             const uint16_t *places, uint32_t count,
                                             const struct qn_regular_columns *columns, bool *all) {
  static const uint64_t powers[REAL_DIGITS] = {
      1,           10,           100,           1000,           10000,
      100000,      1000000,      10000000,      100000000,      1000000000,
      10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000};
  const uint32_t w = columns->weight, n = columns->num_columns + 1;
  const uint32_t u = columns->source + (columns->source > w);
  const uint32_t v = columns->destination + (columns->destination > w);
  const struct qn_separators separators = columns->separators;
  uint32_t begin = 0, used = 0;
  uint64_t edges = 0;
  for (; used + n <= count; used += n) {
    const uint16_t *ends = places + used;
    bool regular = text[ends[n - 1]] == '\n';
    for (uint32_t c = 0; c < n; c++) {
      uint32_t from = c ? ends[c - 1] + 1u : begin;
      regular &= ends[c] > from;
      regular &= c == w ? text[ends[c]] == '.' : c + 1 == n || separates(separators, text[ends[c]]);
    }
    uint32_t from_u = u ? ends[u - 1] + 1u : begin, from_v = v ? ends[v - 1] + 1u : begin;
    uint32_t from_w = w ? ends[w - 1] + 1u : begin;
    uint32_t whole = ends[w] - from_w, fraction = ends[w + 1] - ends[w] - 1u;
    if (!regular || ends[u] - from_u > 16 || ends[v] - from_v > 16 ||
        whole + fraction > REAL_DIGITS)
      break;
    uint64_t digits = number_at(text + from_w, whole) * powers[fraction] +
                      number_at(text + ends[w] + 1, fraction);
    enum qn_weight_type type;
    uint64_t weight;
    if (!qn_round_decimal(digits, fraction, &type, &weight))
      break;
    qn_edge_push_weighted(&part->stream, number_at(text + from_u, ends[u] - from_u),
                          number_at(text + from_v, ends[v] - from_v), type, weight);
    edges++;
    begin = ends[n - 1] + 1u;
  }
  part->edges += edges;
  *all = used + n > count;
  return begin;
}

enum weights { NO_WEIGHTS, WHOLE_WEIGHTS, REAL_WEIGHTS };

/* `columns` is NULL for two columns, or three with a weight, in this order. */
QN_ALWAYS_INLINE void parse_regular(struct qn_text_part *part, enum weights weights,
                                    struct qn_separators separators,
                                    const struct qn_regular_columns *columns) {
  uint16_t places[MOST_BYTES + DOZEN];
  uint64_t window = LEAST_BYTES;
  bool all = true;
  while (all) {
    const char *text = part->cursor;
    uint64_t left = (uint64_t)(part->end - text);
    uint64_t readable = (uint64_t)(part->readable_end - text);
    if (left > readable - SLACK_BYTES)
      left = readable < SLACK_BYTES ? 0 : readable - SLACK_BYTES;
    uint32_t bytes = (uint32_t)((left < window ? left : window) & ~(uint64_t)63);
    if (bytes == 0)
      break;
    uint32_t count = find_marks(text, bytes, places), parsed;
    if (columns && weights == REAL_WEIGHTS)
      parsed = parse_marked_reals(part, text, places, count, columns, &all);
    else if (columns)
      parsed = parse_marked_columns(part, text, places, count, columns, &all);
    else
      parsed = weights ? parse_marked(part, text, places, count, true, separators, &all)
                       : parse_marked(part, text, places, count, false, separators, &all);
    if (parsed == 0)
      break;
    part->cursor += parsed;
    window = window < MOST_BYTES ? 2 * window : window;
  }
}

void qn_parse_regular_lines(struct qn_text_part *part, bool weighted,
                            struct qn_separators separators) {
  parse_regular(part, weighted ? WHOLE_WEIGHTS : NO_WEIGHTS, separators, NULL);
}

void qn_parse_regular_columns(struct qn_text_part *part, const struct qn_regular_columns *columns) {
  parse_regular(part, WHOLE_WEIGHTS, columns->separators, columns);
}

/* Sources, destinations and weights, and perhaps times, which KONECT's lists have. */
QN_ALWAYS_INLINE void parse_real_lines(struct qn_text_part *part, bool times,
                                       struct qn_separators separators) {
  const char *p = part->cursor;
  struct qn_real_line line;
  uint64_t edges = 0;
  while (p < part->end && part->readable_end - p >= QN_REAL_LINE_BYTES &&
         qn_parse_real_line(p, times, &line) && separates(separators, line.separators[0]) &&
         separates(separators, line.separators[1]) &&
         (!times || separates(separators, line.separators[2]))) {
    qn_edge_push_weighted(&part->stream, (uint32_t)line.numbers, line.numbers >> 32, line.type,
                          line.weight);
    p += line.bytes;
    edges++;
  }
  part->cursor = p;
  part->edges += edges;
}

void qn_parse_regular_reals(struct qn_text_part *part, const struct qn_regular_columns *columns) {
  bool usual = columns->source == 0 && columns->destination == 1 && columns->weight == 2;
  if (usual && columns->num_columns == 3)
    parse_real_lines(part, false, columns->separators);
  else if (usual && columns->num_columns == 4)
    parse_real_lines(part, true, columns->separators);
  parse_regular(part, REAL_WEIGHTS, columns->separators, columns);
}
