#include "converters/parse/shaped_lines.h"

#include <string.h>

#include "converters/parse/real_lines.h"
#include "converters/parse/text_vectors.h"
#include "converters/text/exact_numbers.h"
#include "support/multiversion.h"
#include <quern/inline.h>

/* ---- Vertices from 1 ------------------------------------------------------ */

static inline bool is_within(const struct qn_numbered_ends *ends, uint64_t pair) {
  return ((uint32_t)pair - UINT64_C(1) < ends->sources) & ((pair >> 32) - 1 < ends->destinations);
}

QN_VECTOR_CLONES
static bool renumber(const struct qn_numbered_ends *ends, const uint64_t *pairs, uint32_t count,
                     uint64_t *out) {
  const struct qn_numbered_ends own = *ends;
  const uint64_t more = own.first_source - 1 + ((own.first_destination - 1) << 32);
  uint64_t beyond = 0;
  for (uint32_t i = 0; i < count; i++) {
    beyond |= !is_within(&own, pairs[i]);
    out[i] = pairs[i] + more;
  }
  return !beyond;
}

uint32_t qn_push_numbered_lines(struct qn_text_part *part, const struct qn_numbered_ends *ends,
                                const struct qn_shaped_lines *lines) {
  uint64_t pairs[QN_SHAPED_LINES];
  uint32_t count = lines->count;
  if (ends->sources > UINT32_MAX || ends->destinations > UINT32_MAX ||
      ends->first_source + ends->sources > UINT32_MAX ||
      ends->first_destination + ends->destinations > UINT32_MAX)
    return 0;
  if (!renumber(ends, lines->pairs, count, pairs))
    for (count = 0; is_within(ends, lines->pairs[count]);)
      count++;
  qn_edge_push_pairs(&part->stream, pairs, lines->weight_type, lines->weights, count);
  return count;
}

#if defined(__x86_64__)

/* A line of which all is looked at: longer ones have no shape. */
#define LINE_BYTES 64
#define MOST_MARKS 8

/* Bytes looked at in one go, and the fewest after lines of another shape. */
#define MOST_BYTES 2048
#define LEAST_BYTES 128

/* Marks and places are bytes of a word, the first in the lowest. */
struct shape {
  uint64_t marks, mask; /* what they are, and which bytes count */
  uint64_t least, most; /* how far each is behind the one before, at `least`, at most */
  uint32_t num_marks;
  uint32_t point;           /* the mark; 0: there is none */
  uint32_t weight_end;      /* the mark behind the weight */
  uint32_t weight_before;   /* the one before it */
  enum qn_weight_type type; /* none: the weight is not asked for */
  /* Of each byte of two numbers of 8 digits and one of 16: the mark behind the number, before it
   * (NO_MARK: the line begins there), and in it. */
  uint8_t ends[32], begins[32], points[32];
};

/* The place of a mark that there is not: before the line. */
#define NO_MARK 63

/* What is known of lines before it is judged. */
struct raw_lines {
  uint32_t count;
  uint16_t ends[QN_SHAPED_LINES + 16]; /* of lines, in the text: where "\n" is */
  uint64_t places[QN_SHAPED_LINES];    /* of marks, in the line */
  uint64_t marks[QN_SHAPED_LINES];
  uint64_t halves[QN_SHAPED_LINES]; /* the weight's 16 digits, 8 and 8, without the point */
};

/* ---- The shape of a line -------------------------------------------------- */

/* Marks up to the line's end; 0 if they are too many or it is not in sight. */
static uint32_t list_marks(const char *line, uint32_t *places) {
  uint32_t count = 0;
  for (uint64_t marks = qn_marks_of_64(line); marks && count < MOST_MARKS; marks &= marks - 1) {
    places[count] = (uint32_t)__builtin_ctzll(marks);
    if (line[places[count++]] == '\n')
      return count;
  }
  return 0;
}

static uint64_t byte_at(uint32_t mark, uint64_t value) {
  return value << (8 * mark);
}

/* The next mark is `c`, with `least` to `most` digits before it. */
static void add_mark(struct shape *shape, char c, uint32_t least, uint32_t most) {
  uint32_t mark = shape->num_marks++;
  uint32_t step = mark ? 1 : 0; /* from the mark before; the first one counts from the begin */
  shape->marks |= byte_at(mark, (unsigned char)c);
  shape->mask |= byte_at(mark, 0xff);
  shape->least |= byte_at(mark, least + step);
  shape->most |= byte_at(mark, most + step);
}

/* Bytes [first, first + count) are of a number between marks `before` and `end`. */
static void place_number(struct shape *shape, uint32_t first, uint32_t count, uint32_t before,
                         uint32_t end) {
  for (uint32_t i = first; i < first + count; i++) {
    shape->begins[i] = (uint8_t)before;
    shape->ends[i] = (uint8_t)end;
    shape->points[i] = (uint8_t)NO_MARK;
  }
}

static bool ends_column(const struct qn_line_form *form, char mark, bool last) {
  return last ? mark == '\n' || mark == '\r' : mark && strchr(form->separators, mark);
}

/* What all lines have in common with this one; false if it has no shape. */
static bool learn(struct shape *shape, const char *line, const struct qn_line_form *form) {
  enum { MOST_DIGITS = LINE_BYTES - 1 };
  const struct qn_regular_columns *columns = &form->columns;
  const char *prefix = form->prefix;
  uint32_t places[MOST_MARKS], count = list_marks(line, places), next = (uint32_t)strlen(prefix);
  bool real = false;
  memset(shape, 0, sizeof *shape);
  for (uint32_t i = 0; i < next; i++) {
    if (i >= count || places[i] != i || line[i] != prefix[i])
      return false;
    add_mark(shape, prefix[i], 0, 0);
  }
  for (uint32_t c = 0; c < columns->num_columns; c++) {
    bool last = c + 1 == columns->num_columns, is_weight = c == columns->weight;
    bool is_id = c == columns->source || c == columns->destination;
    bool quoted = form->quotes && next < count && line[places[next]] == '"' &&
                  places[next] == (next ? places[next - 1] + 1 : 0);
    if (quoted) {
      add_mark(shape, '"', 0, 0);
      next++;
    }
    uint32_t before = next ? next - 1 : NO_MARK;
    if (is_weight && next + 1 < count && line[places[next]] == '.') {
      real = true;
      add_mark(shape, '.', 1, 15);
      shape->point = next++;
    }
    if (next >= count)
      return false;
    char mark = line[places[next]];
    if (quoted ? mark != '"' : !ends_column(form, mark, last))
      return false;
    add_mark(shape, mark, 1, is_id ? 8 : is_weight ? (real ? 15 : 16) : MOST_DIGITS);
    if (c == columns->source)
      place_number(shape, 0, 8, before, next);
    if (c == columns->destination)
      place_number(shape, 8, 8, before, next);
    if (is_weight) {
      if (before == NO_MARK)
        return false;
      place_number(shape, 16, 16, before, next);
      shape->weight_before = before;
      shape->weight_end = next;
      shape->type = real ? QN_WEIGHT_F32 : QN_WEIGHT_U32;
      if (real)
        memset(shape->points + 16, (int)shape->point, 16);
    }
    next++;
    if (!quoted)
      continue;
    if (next >= count || places[next] != places[next - 1] + 1 ||
        !ends_column(form, line[places[next]], last))
      return false;
    add_mark(shape, line[places[next++]], 0, 0);
  }
  if (line[places[next - 1]] == '\r') {
    if (next >= count || line[places[next]] != '\n')
      return false;
    add_mark(shape, '\n', 0, 0);
  }
  return true;
}

/* ---- Lines into numbers --------------------------------------------------- */

/* Where in `text` lines end. */
QN_VBMI2 static void find_ends(const char *text, uint32_t bytes, struct raw_lines *raw) {
  enum { AT_ONCE = 16, AHEAD = 4096 };
  const __m512i newline = _mm512_set1_epi8('\n'), iota = _mm512_loadu_si512(QN_PLACES);
  uint32_t count = 0;
  for (uint32_t base = 0; base < bytes && count <= QN_SHAPED_LINES - AT_ONCE; base += 64) {
    __mmask64 ends = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text + base), newline);
    __m128i places = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(ends, iota));
    uint32_t here = (uint32_t)_mm_popcnt_u64(ends);
    _mm_prefetch(text + base + AHEAD, _MM_HINT_T0);
    _mm256_storeu_si256(
        (__m256i *)(raw->ends + count),
        _mm256_add_epi16(_mm256_cvtepu8_epi16(places), _mm256_set1_epi16((int16_t)base)));
    if (here > AT_ONCE)
      break;
    count += here;
  }
  raw->count = count;
}

/* In each line, `digits` are brought to bytes where those of a number end with its last one: byte i
 * of `at` says which. What would be before the number is 0; what is before a point moves over it.
 */
QN_VBMI2 static void convert_lines(const char *text, const struct shape *shape,
                                   struct raw_lines *raw, uint64_t *pairs) {
  const __m512i iota = _mm512_loadu_si512(QN_PLACES), none = _mm512_set1_epi8(-1);
  const __m512i ends = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)shape->ends));
  const __m512i begins = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)shape->begins));
  const __m512i points = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)shape->points));
  const __m256i back =
      _mm256_setr_epi8(-8, -7, -6, -5, -4, -3, -2, -1, -8, -7, -6, -5, -4, -3, -2, -1, -16, -15,
                       -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1);
  const __m256i one = _mm256_set1_epi8(1);
  const __m256i tens = _mm256_set1_epi16(1 << 8 | 10), hundreds = _mm256_set1_epi32(1 << 16 | 100);
  const __m256i thousands = _mm256_set1_epi32(1 << 16 | 10000);
  const bool real = shape->point != 0;
  const char *line = text;
  for (uint32_t i = 0; i < raw->count; i++) {
    __m512i bytes = _mm512_loadu_si512(line),
            digits = _mm512_sub_epi8(bytes, _mm512_set1_epi8('0'));
    __mmask64 marks = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
    __m512i places = _mm512_mask_compress_epi8(none, marks, iota);
    __m256i at =
        _mm256_add_epi8(_mm512_castsi512_si256(_mm512_permutexvar_epi8(ends, places)), back);
    __m256i begin = _mm512_castsi512_si256(_mm512_permutexvar_epi8(begins, places));
    if (real) {
      __m256i point = _mm512_castsi512_si256(_mm512_permutexvar_epi8(points, places));
      at = _mm256_sub_epi8(_mm256_sub_epi8(at, one), _mm256_cmpgt_epi8(at, point));
    }
    __m256i inside = _mm256_cmpgt_epi8(at, begin);
    __m512i moved = _mm512_permutexvar_epi8(_mm512_castsi256_si512(at), digits);
    __m256i numbers = _mm256_and_si256(_mm512_castsi512_si256(moved), inside);
    numbers = _mm256_madd_epi16(_mm256_maddubs_epi16(numbers, tens), hundreds);
    numbers = _mm256_madd_epi16(_mm256_packus_epi32(numbers, numbers), thousands);
    _mm_storel_epi64((__m128i *)(pairs + i), _mm256_castsi256_si128(numbers));
    _mm_storel_epi64((__m128i *)(raw->halves + i), _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64((__m128i *)(raw->places + i), _mm512_castsi512_si128(places));
    _mm_storel_epi64((__m128i *)(raw->marks + i),
                     _mm512_castsi512_si128(_mm512_maskz_compress_epi8(marks, bytes)));
    line = text + raw->ends[i] + 1;
  }
}

/* ---- Judging -------------------------------------------------------------- */

/* Anything but 0 for a line that has another shape. */
static inline uint64_t other_shape(const struct shape *shape, uint64_t places, uint64_t marks) {
  const uint64_t tops = UINT64_C(0x8080808080808080);
  places &= shape->mask;
  uint64_t steps = (places - (places << 8)) & shape->mask; /* they ascend: nothing is borrowed */
  uint64_t fits = (steps + (tops - shape->least)) & (shape->most + (tops - steps));
  return ((marks ^ shape->marks) & shape->mask) | (~fits & tops & shape->mask);
}

QN_VECTOR_CLONES
static bool all_have_shape(const struct shape *shape, const struct raw_lines *raw) {
  const struct shape own = *shape;
  uint64_t other = 0;
  for (uint32_t i = 0; i < raw->count; i++)
    other |= other_shape(&own, raw->places[i], raw->marks[i]);
  return other == 0;
}

/* How many lines have the shape, from the first one on. */
static uint32_t count_shaped(const struct shape *shape, const struct raw_lines *raw) {
  if (all_have_shape(shape, raw))
    return raw->count;
  uint32_t count = 0;
  while (count < raw->count && !other_shape(shape, raw->places[count], raw->marks[count]))
    count++;
  return count;
}

static inline uint64_t sixteen_digits(uint64_t halves) {
  return (halves & UINT32_MAX) * 100000000 + (halves >> 32);
}

/* True if all are whole weights of 32 bits. */
QN_VECTOR_CLONES
static bool whole_weights(const uint64_t *halves, uint32_t count, uint32_t *weights) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t weight = sixteen_digits(halves[i]);
    weights[i] = (uint32_t)weight;
    all |= weight;
  }
  return all >> 32 == 0;
}

QN_VECTOR_CLONES
static void wide_whole_weights(const uint64_t *halves, uint32_t count, uint64_t *weights) {
  for (uint32_t i = 0; i < count; i++)
    weights[i] = sixteen_digits(halves[i]);
}

/* Where a real weight's parts are among a line's places. */
struct real_places {
  unsigned end, point, before; /* in bits */
};

static struct real_places real_places_of(const struct shape *shape) {
  return (struct real_places){8 * shape->weight_end, 8 * shape->point, 8 * shape->weight_before};
}

QN_ALWAYS_INLINE uint64_t fraction_of(struct real_places at, uint64_t places) {
  return (places >> at.end & 0xff) - (places >> at.point & 0xff) - 1;
}

/* The floats nearest to real weights, from a product that is wrong by less than two units in the
 * double's last place: `*plain` if all come back from them, since they have six digits at most and
 * none is that near to the middle of two floats. False if some have more than 16 digits. */
QN_VECTOR_CLONES
static bool round_to_floats(struct real_places at, const uint64_t *places, const uint64_t *halves,
                            uint32_t count, float *narrow, bool *plain) {
  static const double parts[QN_MOST_FRACTION + 1] = {1,     1e-1,  1e-2,  1e-3, 1e-4,  1e-5,
                                                     1e-6,  1e-7,  1e-8,  1e-9, 1e-10, 1e-11,
                                                     1e-12, 1e-13, 1e-14, 1e-15};
  uint64_t bad = 0, long_ones = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t length = (places[i] >> at.end & 0xff) - (places[i] >> at.before & 0xff) - 1, bits;
    uint64_t fraction = fraction_of(at, places[i]), digits = sixteen_digits(halves[i]);
    double product = (double)(int64_t)digits * parts[fraction & QN_MOST_FRACTION];
    narrow[i] = (float)product;
    memcpy(&bits, &product, sizeof bits);
    bad |= digits >> 53 | (uint64_t)(length > 17);
    long_ones |= (uint64_t)(digits >= 1000000) | (uint64_t)((bits & 0x1fffffff) - 0x0ffffff8 < 16);
  }
  *plain = long_ones == 0;
  return bad == 0;
}

/* The doubles nearest to real weights, as qn_round_decimal has them. */
QN_VECTOR_CLONES
static void round_to_doubles(struct real_places at, const uint64_t *places, const uint64_t *halves,
                             uint32_t count, double *wide) {
  static const double powers[QN_MOST_FRACTION + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  for (uint32_t i = 0; i < count; i++)
    wide[i] = (double)(int64_t)sixteen_digits(halves[i]) /
              powers[fraction_of(at, places[i]) & QN_MOST_FRACTION];
}

/* Do all come back from the floats? But for `*unsure` of them. */
QN_VECTOR_CLONES
static bool come_back(const float *narrow, const double *wide, uint32_t count, uint64_t *unsure) {
  uint64_t changed = 0, others = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct qn_quick_decimal decimal = qn_quick_decimal_of_f32(narrow[i]);
    uint64_t differs = decimal.value != wide[i], sure = decimal.unsure == 0;
    changed += differs & sure;
    others += 1 - sure;
  }
  *unsure = others;
  return changed == 0;
}

/* The same of those that are unsure, which are few. */
static bool unsure_come_back(const float *narrow, const double *wide, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (qn_decimal_of_f32(narrow[i]) != wide[i])
      return false;
  return true;
}

/* Weights of the first `count` lines, if they can be had at once, as the narrower of the shape's
 * types that holds them all. */
static bool convert_some(const struct shape *shape, const struct raw_lines *raw, uint32_t count,
                         struct qn_shaped_lines *lines) {
  const struct real_places at = real_places_of(shape);
  double wide[QN_SHAPED_LINES];
  uint64_t unsure;
  bool plain;
  if (shape->type == QN_WEIGHT_U32) {
    lines->weight_type = QN_WEIGHT_U32;
    if (whole_weights(raw->halves, count, (uint32_t *)lines->weights))
      return true;
    lines->weight_type = QN_WEIGHT_I64;
    wide_whole_weights(raw->halves, count, lines->weights);
    return true;
  }
  if (!round_to_floats(at, raw->places, raw->halves, count, (float *)lines->weights, &plain))
    return false;
  lines->weight_type = QN_WEIGHT_F32;
  if (plain)
    return true;
  round_to_doubles(at, raw->places, raw->halves, count, wide);
  if (come_back((float *)lines->weights, wide, count, &unsure) &&
      (unsure == 0 || unsure_come_back((float *)lines->weights, wide, count)))
    return true;
  lines->weight_type = QN_WEIGHT_F64;
  memcpy(lines->weights, wide, count * sizeof *wide);
  return true;
}

/* Weights of as many lines as can be had at once; returns how many. */
static uint32_t convert_weights(const struct shape *shape, const struct raw_lines *raw,
                                uint32_t count, struct qn_shaped_lines *lines) {
  lines->weight_type = QN_WEIGHT_NONE;
  if (shape->type == QN_WEIGHT_NONE || convert_some(shape, raw, count, lines))
    return count;
  uint32_t fine = 0;
  for (uint32_t step = count / 2; step; step /= 2) /* those before the first that is long */
    fine += convert_some(shape, raw, fine + step, lines) ? step : 0;
  if (fine)
    convert_some(shape, raw, fine, lines);
  return fine;
}

/* ---- All ------------------------------------------------------------------ */

/* Lines from the cursor on, of the next `bytes`; returns how many of `raw` they are. */
static void parse_lines(const char *text, uint32_t bytes, const struct shape *shape,
                        struct raw_lines *raw, struct qn_shaped_lines *lines) {
  find_ends(text, bytes, raw);
  convert_lines(text, shape, raw, lines->pairs);
  uint32_t count = count_shaped(shape, raw);
  lines->count = convert_weights(shape, raw, count, lines);
}

void qn_take_shaped_lines(struct qn_text_part *part, const struct qn_line_form *form,
                          qn_shaped_taker take, const void *context) {
  struct shape shape;
  struct raw_lines raw;
  struct qn_shaped_lines lines;
  if (part->readable_end - part->cursor < LINE_BYTES || part->cursor >= part->end ||
      !qn_has_vbmi2() || !learn(&shape, part->cursor, form))
    return;
  for (uint64_t window = LEAST_BYTES;; window = window < MOST_BYTES ? 2 * window : window) {
    const char *text = part->cursor;
    uint64_t left = (uint64_t)(part->end - text), readable = (uint64_t)(part->readable_end - text);
    if (readable < 2 * LINE_BYTES)
      return;
    left = left < readable - LINE_BYTES ? left : readable - LINE_BYTES;
    uint32_t bytes = (uint32_t)((left < window ? left : window) & ~(uint64_t)63);
    parse_lines(text, bytes, &shape, &raw, &lines);
    uint32_t taken = lines.count ? take(part, context, &lines) : 0;
    if (taken)
      part->cursor += raw.ends[taken - 1] + 1;
    part->edges += taken;
    if (taken == 0 || taken < raw.count)
      return;
  }
}

#else

void qn_take_shaped_lines(struct qn_text_part *part, const struct qn_line_form *form,
                          qn_shaped_taker take, const void *context) {
  (void)part;
  (void)form;
  (void)take;
  (void)context;
}
#endif
