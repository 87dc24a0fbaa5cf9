#include "converters/parse/shaped_lines.h"

#include <string.h>

#include "converters/parse/real_lines.h"
#include "formats/text/exact_numbers.h"
#include "formats/text/text_vectors.h"
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

/* A line of which all is looked at: longer ones have no shape. With more marks the three of a
 * weight could be in neither word. */
#define LINE_BYTES 64
#define MOST_MARKS 14

/* Bytes looked at in one go, and the fewest after lines of another shape. */
#define MOST_BYTES 2048
#define LEAST_BYTES 128

/* Of eight marks, the first in the lowest byte. */
struct word {
  uint64_t marks, mask; /* what they are, and which bytes count */
  uint64_t least, most; /* how far each is behind the one before, at least, at most */
};

/* Words of a line: its first eight marks, and its last eight if it has more. */
enum { WORDS = 2, WORD_MARKS = 8 };

struct shape {
  uint8_t marks[MOST_MARKS], least[MOST_MARKS], most[MOST_MARKS]; /* as in words */
  struct word words[WORDS];
  uint32_t num_marks;
  uint32_t first[WORDS];    /* marks of words; of the second 0 if there is none */
  uint32_t weight_word;     /* has the three below */
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
  uint16_t ends[QN_SHAPED_LINES + 16];     /* of lines, in the text: where "\n" is */
  uint64_t places[WORDS][QN_SHAPED_LINES]; /* of marks, in the line */
  uint64_t marks[WORDS][QN_SHAPED_LINES];
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

/* The next mark is `c`, with `least` to `most` digits before it. */
static void add_mark(struct shape *shape, char c, uint32_t least, uint32_t most) {
  uint32_t mark = shape->num_marks++;
  uint32_t step = mark ? 1 : 0; /* from the mark before; the first one counts from the begin */
  shape->marks[mark] = (unsigned char)c;
  shape->least[mark] = (uint8_t)(least + step);
  shape->most[mark] = (uint8_t)(most + step);
}

/* The word of marks from `first` on. Where the one before its first is, it does not know: that
 * step is judged by the word before. */
static struct word word_of(const struct shape *shape, uint32_t first) {
  struct word word = {0};
  for (uint32_t i = 0; i < WORD_MARKS && first + i < shape->num_marks; i++) {
    const uint32_t mark = first + i, shift = 8 * i;
    const bool known = first == 0 || i > 0;
    word.marks |= (uint64_t)shape->marks[mark] << shift;
    word.mask |= (uint64_t)0xff << shift;
    word.least |= (uint64_t)(known ? shape->least[mark] : 0) << shift;
    word.most |= (uint64_t)(known ? shape->most[mark] : LINE_BYTES) << shift;
  }
  return word;
}

static void make_words(struct shape *shape) {
  shape->first[1] = shape->num_marks > WORD_MARKS ? shape->num_marks - WORD_MARKS : 0;
  shape->weight_word = shape->weight_end >= WORD_MARKS;
  for (uint32_t i = 0; i < WORDS; i++)
    shape->words[i] = word_of(shape, shape->first[i]);
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
  make_words(shape);
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

QN_VBMI2 static inline void store_word(uint64_t *word, __m512i bytes) {
  _mm_storel_epi64((__m128i *)word, _mm512_castsi512_si128(bytes));
}

/* In each line, `digits` are brought to bytes where those of a number end with its last one: byte i
 * of `at` says which. What would be before the number is 0; what is before a point moves over it.
 */
QN_VBMI2 QN_ALWAYS_INLINE void convert_marked_lines(const char *text, const struct shape *shape,
                                                    bool two_words, struct raw_lines *raw,
                                                    uint64_t *pairs) {
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
  const __m512i last = _mm512_add_epi8(iota, _mm512_set1_epi8((char)shape->first[1]));
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
    __m512i characters = _mm512_maskz_compress_epi8(marks, bytes);
    store_word(raw->places[0] + i, places);
    store_word(raw->marks[0] + i, characters);
    if (two_words) {
      store_word(raw->places[1] + i, _mm512_permutexvar_epi8(last, places));
      store_word(raw->marks[1] + i, _mm512_permutexvar_epi8(last, characters));
    }
    line = text + raw->ends[i] + 1;
  }
}

QN_VBMI2 static void convert_lines(const char *text, const struct shape *shape,
                                   struct raw_lines *raw, uint64_t *pairs) {
  if (shape->first[1])
    convert_marked_lines(text, shape, true, raw, pairs);
  else
    convert_marked_lines(text, shape, false, raw, pairs);
}

/* ---- Judging -------------------------------------------------------------- */

/* Anything but 0 for a line that has another shape. */
static inline uint64_t other_shape(const struct word *word, uint64_t places, uint64_t marks) {
  const uint64_t tops = UINT64_C(0x8080808080808080);
  places &= word->mask;
  uint64_t steps = (places - (places << 8)) & word->mask; /* they ascend: nothing is borrowed */
  uint64_t fits = (steps + (tops - word->least)) & (word->most + (tops - steps));
  return ((marks ^ word->marks) & word->mask) | (~fits & tops & word->mask);
}

QN_VECTOR_CLONES
static bool all_have_shape(const struct word *word, uint32_t count, const uint64_t *places,
                           const uint64_t *marks) {
  const struct word own = *word;
  uint64_t other = 0;
  for (uint32_t i = 0; i < count; i++)
    other |= other_shape(&own, places[i], marks[i]);
  return other == 0;
}

/* How many lines, of `count`, have the shape in one word, from the first one on. */
static uint32_t count_shaped_words(const struct word *word, uint32_t count, const uint64_t *places,
                                   const uint64_t *marks) {
  if (all_have_shape(word, count, places, marks))
    return count;
  uint32_t shaped = 0;
  while (shaped < count && !other_shape(word, places[shaped], marks[shaped]))
    shaped++;
  return shaped;
}

static uint32_t count_shaped(const struct shape *shape, const struct raw_lines *raw) {
  uint32_t count = raw->count;
  for (uint32_t i = 0; i < (shape->first[1] ? WORDS : 1); i++)
    count = count_shaped_words(&shape->words[i], count, raw->places[i], raw->marks[i]);
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

/* Real weights are rounded eight at a time: digits / 10^fraction. */
#define AT_ONCE 8

/* Where a real weight's parts are among a line's places of a word: each brings its byte to where a
 * word of its own begins. */
struct real_places {
  uint32_t word;
  __m512i end, point, before;
};

QN_VBMI2 static inline struct real_places real_places_of(const struct shape *shape) {
  const __m512i none = _mm512_set1_epi64(INT64_C(-0x7f7f7f7f7f7f7f80)); /* bytes of 0x80 */
  const __m512i words = _mm512_set4_epi64(8, 0, 8, 0), first = _mm512_set1_epi64(0xff);
  __m512i base = _mm512_mask_mov_epi8(none, _mm512_test_epi8_mask(first, first), words);
  const uint32_t begin = shape->first[shape->weight_word];
  return (struct real_places){
      shape->weight_word, _mm512_add_epi64(base, _mm512_set1_epi64(shape->weight_end - begin)),
      _mm512_add_epi64(base, _mm512_set1_epi64(shape->point - begin)),
      _mm512_add_epi64(base, _mm512_set1_epi64(shape->weight_before - begin))};
}

struct reals {
  __m512i digits, length; /* with the mark before them, and the point */
  __m512i behind;         /* the point: the fraction's digits, and one */
};

QN_VBMI2 static inline struct reals
load_reals(const struct real_places *at, const struct raw_lines *raw, uint32_t i, __mmask8 lanes) {
  __m512i places = _mm512_maskz_loadu_epi64(lanes, raw->places[at->word] + i);
  __m512i halves = _mm512_maskz_loadu_epi64(lanes, raw->halves + i);
  __m512i high = _mm512_mul_epu32(halves, _mm512_set1_epi64(100000000));
  __m512i end = _mm512_shuffle_epi8(places, at->end);
  return (struct reals){_mm512_add_epi64(high, _mm512_srli_epi64(halves, 32)),
                        _mm512_sub_epi64(end, _mm512_shuffle_epi8(places, at->before)),
                        _mm512_sub_epi64(end, _mm512_shuffle_epi8(places, at->point))};
}

/* Of 16 elements the one that `behind` means, of which the least is 1. */
QN_VBMI2 static inline __m512d look_up(const double table[QN_MOST_FRACTION + 1], __m512i behind) {
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), behind, _mm512_loadu_pd(table + 8));
}

QN_VBMI2 static inline __m512d power_of(__m512i behind) {
  static const double powers[QN_MOST_FRACTION + 1] = {1e15, 1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,
                                                      1e7,  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
  return look_up(powers, behind);
}

QN_VBMI2 static inline __m512d part_of(__m512i behind) {
  static const double parts[QN_MOST_FRACTION + 1] = {1e-15, 1,     1e-1,  1e-2, 1e-3, 1e-4,
                                                     1e-5,  1e-6,  1e-7,  1e-8, 1e-9, 1e-10,
                                                     1e-11, 1e-12, 1e-13, 1e-14};
  return look_up(parts, behind);
}

/* Distances from floats to the next larger ones; of 0 it is less than any. */
QN_VBMI2 static inline __m512d step_of(__m512d floats) {
  const __m512d exponent = _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff0000000000000));
  return _mm512_mul_pd(_mm512_and_pd(floats, exponent), _mm512_set1_pd(0x1p-23));
}

/* Which come back from floats, and which do not. Of others that is not known. */
struct verdict {
  __mmask8 kept, changed;
};

/* In units of the last decimal place let the float be x, and the step to the next one `step`, which
 * is at least 1. If it is below 10, the float prints as the multiple of ten units that has this
 * float, or else, if there is none, as the nearest unit. Beyond, it prints with fewer digits, so
 * that odd ones are changed. x is known to 1e-7, and the neighbours of a power of two are not
 * equally far. */
QN_VBMI2 static inline struct verdict judge(const struct reals *reals, __m512d floats) {
  const __m512d half = _mm512_set1_pd(0.5), near_tie = _mm512_set1_pd(1e-6);
  const __m512d round = _mm512_set1_pd(0x1.8p52); /* to be added, and taken away again */
  const __m512i mantissa = _mm512_set1_epi64(0xfffffffffffff);
  __m512d power = power_of(reals->behind), digits = _mm512_cvtepi64_pd(reals->digits);
  __m512d x = _mm512_mul_pd(floats, power), step = _mm512_mul_pd(step_of(floats), power);
  __m512d tens = _mm512_sub_pd(_mm512_fmadd_pd(x, _mm512_set1_pd(0.1), round), round);
  __m512d ten = _mm512_mul_pd(tens, _mm512_set1_pd(10));
  __m512d from_ten = _mm512_abs_pd(_mm512_sub_pd(ten, x));
  __m512d from_unit = _mm512_abs_pd(_mm512_sub_pd(digits, x));
  __m512d margin =
      _mm512_min_pd(_mm512_fnmadd_pd(step, half, from_ten), _mm512_sub_pd(half, from_unit));
  __mmask8 is_ten = _mm512_cmp_pd_mask(ten, digits, _CMP_EQ_OQ);
  __mmask8 below = _mm512_cmp_pd_mask(step, _mm512_set1_pd(9.999), _CMP_LT_OQ);
  __mmask8 even = _mm512_testn_epi64_mask(reals->digits, _mm512_set1_epi64(1));
  __mmask8 sure = _mm512_test_epi64_mask(_mm512_castpd_si512(floats), mantissa) & ~is_ten;
  __mmask8 right = _mm512_cmp_pd_mask(margin, near_tie, _CMP_GT_OQ);
  __mmask8 wrong = _mm512_cmp_pd_mask(margin, _mm512_set1_pd(-1e-6), _CMP_LT_OQ);
  return (struct verdict){(is_ten & below) | (right & sure & below),
                          wrong & sure & (below | ~even)};
}

/* The nearest floats, from a product that is wrong by less than two units in the double's last
 * place, where that is not near to the middle between two. If the last decimal place is wider than
 * the step to the next float, no other number of so few digits has this one. */
QN_VBMI2 static inline struct verdict round_to_floats(const struct reals *reals, float *narrow,
                                                      __mmask8 lanes) {
  const __m512i dropped = _mm512_set1_epi64(0x1fffffff), middle = _mm512_set1_epi64(0x0ffffff8);
  __m512d part = part_of(reals->behind);
  __m512d product = _mm512_mul_pd(_mm512_cvtepi64_pd(reals->digits), part);
  __m256 rounded = _mm512_cvtpd_ps(product);
  __m512d floats = _mm512_cvtps_pd(rounded);
  __m512i from_middle =
      _mm512_sub_epi64(_mm512_and_si512(_mm512_castpd_si512(product), dropped), middle);
  __mmask8 nearest = _mm512_cmpge_epu64_mask(from_middle, _mm512_set1_epi64(16));
  struct verdict verdict = {_mm512_cmp_pd_mask(step_of(floats), part, _CMP_LT_OQ), 0};
  _mm256_mask_storeu_ps(narrow, lanes, rounded);
  if (lanes & ~verdict.kept) {
    struct verdict other = judge(reals, floats);
    verdict.changed = other.changed & ~verdict.kept & nearest;
    verdict.kept |= other.kept;
  }
  verdict.kept &= nearest;
  return verdict;
}

static inline __mmask8 lanes_from(uint32_t i, uint32_t count) {
  return (__mmask8)(count - i < AT_ONCE ? (1u << (count - i)) - 1 : 0xff);
}

/* As qn_round_decimal has them. */
QN_VBMI2 static void round_to_doubles(const struct real_places *at, const struct raw_lines *raw,
                                      uint32_t count, double *wide) {
  for (uint32_t i = 0; i < count; i += AT_ONCE) {
    const __mmask8 lanes = lanes_from(i, count);
    struct reals reals = load_reals(at, raw, i, lanes);
    __m512d digits = _mm512_cvtepi64_pd(reals.digits);
    _mm512_mask_storeu_pd(wide + i, lanes, _mm512_div_pd(digits, power_of(reals.behind)));
  }
}

/* The floats nearest to doubles: do all come back from them? But for `*unsure`. */
QN_VECTOR_CLONES
static bool come_back(const double *wide, uint32_t count, float *narrow, uint64_t *unsure) {
  uint64_t changed = 0, others = 0;
  for (uint32_t i = 0; i < count; i++) {
    narrow[i] = (float)wide[i];
    struct qn_quick_decimal decimal = qn_quick_decimal_of_f32(narrow[i]);
    uint64_t differs = decimal.value != wide[i], sure = decimal.unsure == 0;
    changed += differs & sure;
    others += 1 - sure;
  }
  *unsure = others;
  return changed == 0;
}

static bool all_come_back(const double *wide, uint32_t count, float *narrow) {
  uint64_t unsure;
  if (!come_back(wide, count, narrow, &unsure))
    return false;
  for (uint32_t i = 0; i < count && unsure; i++)
    if (qn_decimal_of_f32(narrow[i]) != wide[i])
      return false;
  return true;
}

/* Weights of the first `count` lines as the narrower type that holds them all. False if they cannot
 * be had at once: digits that a double does not hold, or more than QN_MOST_FRACTION behind the
 * point. */
QN_VBMI2 static bool convert_reals(const struct shape *shape, const struct raw_lines *raw,
                                   uint32_t count, struct qn_shaped_lines *lines) {
  const struct real_places at = real_places_of(shape);
  float *narrow = (float *)lines->weights;
  double wide[QN_SHAPED_LINES];
  __mmask8 changed = 0, unsure = 0;
  __m512i most = _mm512_setzero_si512(), longest = most;
  for (uint32_t i = 0; i < count; i += AT_ONCE) {
    const __mmask8 lanes = lanes_from(i, count);
    const struct reals reals = load_reals(&at, raw, i, lanes);
    most = _mm512_max_epu64(most, reals.digits);
    longest = _mm512_max_epu64(longest, reals.length);
    if (changed)
      continue;
    struct verdict verdict = round_to_floats(&reals, narrow + i, lanes);
    changed = verdict.changed & lanes;
    unsure |= lanes & ~verdict.kept;
  }
  const uint64_t digits = _mm512_reduce_max_epu64(most);
  if (digits >> 53 || _mm512_reduce_max_epu64(longest) > QN_MOST_FRACTION + 3)
    return false;
  lines->weight_type = QN_WEIGHT_F32;
  if (!changed && !unsure)
    return true;
  /* Numbers of 16 digits may be the same double as shorter ones. */
  round_to_doubles(&at, raw, count, wide);
  if (!(changed && digits < 1000000000000000) && all_come_back(wide, count, narrow))
    return true;
  lines->weight_type = QN_WEIGHT_F64;
  memcpy(lines->weights, wide, count * sizeof *wide);
  return true;
}

/* The same of weights of any kind. */
static bool convert_some(const struct shape *shape, const struct raw_lines *raw, uint32_t count,
                         struct qn_shaped_lines *lines) {
  if (shape->type != QN_WEIGHT_U32)
    return convert_reals(shape, raw, count, lines);
  lines->weight_type = QN_WEIGHT_U32;
  if (whole_weights(raw->halves, count, (uint32_t *)lines->weights))
    return true;
  lines->weight_type = QN_WEIGHT_I64;
  wide_whole_weights(raw->halves, count, lines->weights);
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
