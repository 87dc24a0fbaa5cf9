/* Lines of two numbers and a real weight, as edge lists and matrices have them, with few branches:
 * a vector comparison finds what is no digit, and the numbers between are converted two at a time.
 * Internal to the readers. */
#pragma once

#include "formats/text/text_numbers.h"
#include <quern/inline.h>

#if defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#ifdef __SSE2__
static inline uint64_t qn_digits_of_16(const char *p) {
  __m128i values = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
  __m128i clipped = _mm_min_epu8(values, _mm_set1_epi8(9));
  return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(values, clipped));
}

static inline uint64_t qn_marks_of_32(const char *p) {
  return ~(qn_digits_of_16(p) | qn_digits_of_16(p + 16) << 16) & UINT32_MAX;
}

/* Bit i is set if p[i] is no digit. */
static inline uint64_t qn_marks_of_64(const char *p) {
  return ~(qn_digits_of_16(p) | qn_digits_of_16(p + 16) << 16 | qn_digits_of_16(p + 32) << 32 |
           qn_digits_of_16(p + 48) << 48);
}
#else
static inline uint64_t qn_marks_of_64(const char *p) {
  uint64_t marks = 0;
  for (unsigned i = 0; i < 64; i++)
    marks |= (uint64_t)((unsigned char)(p[i] - '0') > 9) << i;
  return marks;
}

static inline uint64_t qn_marks_of_32(const char *p) {
  return qn_marks_of_64(p) & UINT32_MAX;
}
#endif

static inline bool qn_is_separator(char c) {
  const uint64_t separators =
      (uint64_t)1 << ' ' | (uint64_t)1 << '\t' | (uint64_t)1 << ',' | (uint64_t)1 << ';';
  return (unsigned char)c < 64 && (separators >> c & 1);
}

/* Up to eight digits at `p` in the high bytes, as values, zeros below. */
static inline uint64_t qn_short_digits(const char *p, uint32_t length) {
  return (qn_load_bytes(p) ^ UINT64_C(0x3030303030303030)) << (64 - 8 * length);
}

#ifdef __SSE4_1__
/* The values of the first eight and the last eight digits, low and high. */
static inline uint64_t qn_sixteen_digits(__m128i digits) {
  const __m128i tens = _mm_set1_epi16(1 << 8 | 10), hundreds = _mm_set1_epi32(1 << 16 | 100);
  __m128i fours = _mm_madd_epi16(_mm_maddubs_epi16(digits, tens), hundreds);
  __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
  return (uint64_t)_mm_cvtsi128_si64(eights);
}

static inline uint64_t qn_two_numbers(uint64_t first, uint64_t second) {
  return qn_sixteen_digits(_mm_set_epi64x((long long)second, (long long)first));
}

/* The digits before and after the point at p[whole], up to 15 of them, as one number. */
static inline uint64_t qn_digits_around_point(const char *p, uint32_t whole, uint32_t fraction) {
  static const char steps[32] = {[16] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const __m128i places = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  __m128i after_point = _mm_loadu_si128((const __m128i *)(steps + fraction));
  __m128i from =
      _mm_add_epi8(_mm_add_epi8(places, after_point), _mm_set1_epi8((char)(whole + fraction - 16)));
  __m128i digits = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
  uint64_t halves = qn_sixteen_digits(_mm_shuffle_epi8(digits, from));
  return (halves & UINT32_MAX) * 100000000 + (halves >> 32);
}
#else
static inline uint64_t qn_two_numbers(uint64_t first, uint64_t second) {
  return qn_eight_digits(first) | qn_eight_digits(second) << 32;
}

static inline uint64_t qn_digits_around_point(const char *p, uint32_t whole, uint32_t fraction) {
  uint64_t number = 0;
  for (uint32_t i = 0; i <= whole + fraction; i++)
    number = i == whole ? number : number * 10 + (uint64_t)(p[i] - '0');
  return number;
}
#endif

/* What a line must leave readable behind its begin. */
#define QN_REAL_LINE_BYTES 96

struct qn_real_line {
  uint64_t numbers;         /* first | second << 32 */
  enum qn_weight_type type; /* f32 or f64 */
  uint64_t weight;          /* bits */
  uint32_t bytes;           /* of the line, with its end */
  char separators[3];       /* before the second number, the weight and the times */
};

/* The line at `p`: two whole numbers of up to 8 digits and a real, "digits.digits", with one
 * separator between them; then "\n", or, where there are `times`, one more whole number before it.
 * False if it is anything else, or long. */
QN_ALWAYS_INLINE bool qn_parse_real_line(const char *p, bool times, struct qn_real_line *line) {
  uint64_t marks = times ? qn_marks_of_64(p) : qn_marks_of_32(p);
  if (__builtin_popcountll(marks) < 4)
    marks = qn_marks_of_64(p);
  if (__builtin_popcountll(marks) < (times ? 5 : 4))
    return false;
  uint32_t place[5];
  for (int i = 0; i < (times ? 5 : 4); i++, marks &= marks - 1)
    place[i] = (uint32_t)__builtin_ctzll(marks);
  uint32_t length1 = place[0], length2 = place[1] - place[0] - 1;
  uint32_t whole = place[2] - place[1] - 1, fraction = place[3] - place[2] - 1;
  bool regular = (length1 - 1 < 8) & (length2 - 1 < 8) & (whole - 1 < 14) & (fraction - 1 < 14) &
                 (whole + fraction <= 15) & qn_is_separator(p[place[0]]) &
                 qn_is_separator(p[place[1]]) & (p[place[2]] == '.');
  regular &= times
                 ? qn_is_separator(p[place[3]]) & (place[4] > place[3] + 1) & (p[place[4]] == '\n')
                 : p[place[3]] == '\n';
  if (__builtin_expect(!regular, 0))
    return false;
  line->numbers =
      qn_two_numbers(qn_short_digits(p, length1), qn_short_digits(p + place[0] + 1, length2));
  line->bytes = place[times ? 4 : 3] + 1;
  line->separators[0] = p[place[0]];
  line->separators[1] = p[place[1]];
  line->separators[2] = p[place[3]];
  return qn_round_decimal(qn_digits_around_point(p + place[1] + 1, whole, fraction), fraction,
                          &line->type, &line->weight);
}
