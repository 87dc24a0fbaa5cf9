#include "formats/text/number_runs.h"

#include "formats/text/text_vectors.h"

#if defined(__x86_64__)

#define GROUP 8
#define GROUP_BYTES 64

/* Numbers that begin at some place, and what follows them: bit i is about number i. */
struct group {
  uint64_t places; /* of what follows, a byte each */
  uint32_t regular, newlines;
};

/* Of how many numbers all is well, from the first one on. */
static inline uint32_t count_regular(const struct group *group) {
  return (uint32_t)__builtin_ctz(~group->regular);
}

/* Byte i of number n is the digit that is 8 - i places before the mark behind it, or 0 if that is
 * before the number. */
QN_VBMI2 static inline struct group take_group(const char *text, uint32_t *numbers) {
  const __m512i none = _mm512_set1_epi8(-1);
  const __m512i back = _mm512_set1_epi64(INT64_C(-0x0001020304050608)); /* -8 to -1 */
  const __m512i which = _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505,
                                         0x0404040404040404, 0x0303030303030303, 0x0202020202020202,
                                         0x0101010101010101, 0);
  __m512i bytes = _mm512_loadu_si512(text), digits = _mm512_sub_epi8(bytes, _mm512_set1_epi8('0'));
  __mmask64 marks = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
  __m512i all = _mm512_mask_compress_epi8(none, marks, _mm512_loadu_si512(QN_PLACES));
  __m128i places = _mm512_castsi512_si128(all);
  __m128i before = _mm_alignr_epi8(places, _mm512_castsi512_si128(none), 15);
  __m128i chars = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(marks, bytes));
  __m128i excess = _mm_sub_epi8(_mm_sub_epi8(places, before), _mm_set1_epi8(2)); /* of 1 digit */
  __mmask16 newlines = _mm_cmpeq_epi8_mask(chars, _mm_set1_epi8('\n'));
  __mmask16 blanks = _mm_cmpeq_epi8_mask(chars, _mm_set1_epi8(' ')) |
                     _mm_cmpeq_epi8_mask(chars, _mm_set1_epi8('\t'));
  __mmask16 fits = _mm_cmplt_epu8_mask(excess, _mm_set1_epi8(8));

  __m512i at = _mm512_add_epi8(_mm512_permutexvar_epi8(which, all), back);
  __m512i begins = _mm512_permutexvar_epi8(which, _mm512_castsi128_si512(before));
  __mmask64 inside = _mm512_cmpgt_epi8_mask(at, begins);
  __m512i moved = _mm512_maskz_permutexvar_epi8(inside, at, digits);
  moved = _mm512_maddubs_epi16(moved, _mm512_set1_epi16(1 << 8 | 10));
  moved = _mm512_madd_epi16(moved, _mm512_set1_epi32(1 << 16 | 100));
  moved = _mm512_packus_epi32(moved, moved);
  moved = _mm512_madd_epi16(moved, _mm512_set1_epi32(1 << 16 | 10000));
  moved = _mm512_maskz_compress_epi32(0x3333, moved);
  _mm256_storeu_si256((__m256i *)numbers, _mm512_castsi512_si256(moved));
  return (struct group){.places = (uint64_t)_mm_cvtsi128_si64(places),
                        .regular = fits & (blanks | newlines) & ((1u << GROUP) - 1),
                        .newlines = newlines};
}

QN_VBMI2 static uint32_t take_run(struct qn_number_run *run, uint32_t *numbers, uint32_t most) {
  const char *p = run->cursor;
  uint32_t count = 0;
  while (count < most && !run->ended && run->readable_end - p >= GROUP_BYTES) {
    struct group group = take_group(p, numbers + count);
    uint32_t good = count_regular(&group), left = most - count;
    good = good < left ? good : left;
    uint32_t newlines = run->line ? group.newlines & ((1u << good) - 1) : 0;
    if (newlines) {
      good = (uint32_t)__builtin_ctz(newlines) + 1;
      run->ended = good % run->unit == 0;
    }
    good -= good % run->unit;
    if (good == 0)
      break;
    count += good;
    p += (group.places >> 8 * (good - 1) & 0xff) + 1;
    if (newlines)
      break;
  }
  run->cursor = p;
  return count;
}

uint32_t qn_take_number_run(struct qn_number_run *run, uint32_t *numbers, uint32_t most) {
  run->ended = false;
  return qn_has_vbmi2() ? take_run(run, numbers, most) : 0;
}

#else

uint32_t qn_take_number_run(struct qn_number_run *run, uint32_t *numbers, uint32_t most) {
  (void)numbers;
  (void)most;
  run->ended = false;
  return 0;
}

#endif
