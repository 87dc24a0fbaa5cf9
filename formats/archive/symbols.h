/* Symbols behind adaptive models, by a range asymmetric numeral system (Duda: Asymmetric numeral
 * systems, arXiv:1311.2540; specs/archive.md, "Symbols"). A model gives 16 symbols frequencies that
 * follow what came; numbers are their lengths as symbols, then bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define QN_SYMBOL_BITS 15 /* frequencies of a model add up to 2^15 */
#define QN_STATE_LEAST ((uint64_t)1 << 31)
#define QN_LONGEST_SYMBOL 15 /* as a length: so long, or longer */
#define QN_RAW_LENGTH 30     /* numbers as long as this, or longer, are 32 plain bits */

/* Of symbol s the range [starts[s], starts[s + 1]), the last up to 2^15. */
struct qn_symbol_model {
  int16_t starts[16] __attribute__((aligned(16)));
  uint16_t seen; /* symbols, as far as it matters */
};

/* What numbers of a kind share: the second symbol of long ones, and bits below the highest one. */
struct qn_number_models {
  struct qn_symbol_model longer;
  struct qn_symbol_model below[QN_RAW_LENGTH];
};

static inline void qn_symbol_models_reset(struct qn_symbol_model *models, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    for (int symbol = 0; symbol < 16; symbol++)
      models[i].starts[symbol] = (int16_t)(symbol << (QN_SYMBOL_BITS - 4));
    models[i].seen = 0;
  }
}

static inline unsigned qn_symbol_frequency(const struct qn_symbol_model *model, unsigned symbol) {
  const int end = symbol == 15 ? 1 << QN_SYMBOL_BITS : model->starts[symbol + 1];
  return (unsigned)(end - model->starts[symbol]);
}

/* How fast a model follows: fast at first, then ever slower. */
static inline int qn_symbol_model_rate(struct qn_symbol_model *model) {
  const unsigned seen = model->seen;
  model->seen = (uint16_t)(seen + (seen < 40));
  return seen < 8 ? 3 : seen < 40 ? 4 : 6;
}

/* Starts move towards those of a model that expects `symbol` alone. Each frequency stays at least
 * 1, as targets differ by at least 1. The symbol whose range holds `slot` is the last that starts
 * there or before. */
#ifdef __SSE2__
static inline __m128i qn_starts_moved(__m128i starts, __m128i numbers, unsigned symbol, int rate) {
  const __m128i above = _mm_cmpgt_epi16(numbers, _mm_set1_epi16((int16_t)symbol));
  const __m128i raised = _mm_and_si128(above, _mm_set1_epi16((1 << QN_SYMBOL_BITS) - 16));
  const __m128i way = _mm_sub_epi16(_mm_add_epi16(numbers, raised), starts);
  return _mm_add_epi16(starts, _mm_sra_epi16(way, _mm_cvtsi32_si128(rate)));
}

static inline void qn_symbol_model_update(struct qn_symbol_model *model, unsigned symbol) {
  const int rate = qn_symbol_model_rate(model);
  const __m128i numbers = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
  __m128i *halves = (__m128i *)(void *)model->starts;
  halves[0] = qn_starts_moved(halves[0], numbers, symbol, rate);
  halves[1] = qn_starts_moved(halves[1], _mm_add_epi16(numbers, _mm_set1_epi16(8)), symbol, rate);
}

static inline unsigned qn_symbol_at(const struct qn_symbol_model *model, int16_t slot) {
  const __m128i *halves = (const __m128i *)(const void *)model->starts;
  const __m128i at = _mm_set1_epi16(slot);
  const __m128i later =
      _mm_packs_epi16(_mm_cmpgt_epi16(halves[0], at), _mm_cmpgt_epi16(halves[1], at));
  return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(later) | 1u << 16) - 1;
}
#else
static inline void qn_symbol_model_update(struct qn_symbol_model *model, unsigned symbol) {
  const int rate = qn_symbol_model_rate(model);
  for (int i = 0; i < 16; i++) {
    const int16_t target = (int16_t)(i > (int)symbol ? (1 << QN_SYMBOL_BITS) - 16 + i : i);
    model->starts[i] = (int16_t)(model->starts[i] + ((int16_t)(target - model->starts[i]) >> rate));
  }
}

static inline unsigned qn_symbol_at(const struct qn_symbol_model *model, int16_t slot) {
  int16_t reached = 0;
  for (int i = 0; i < 16; i++)
    reached = (int16_t)(reached + (model->starts[i] <= slot));
  return (unsigned)reached - 1;
}
#endif

/* The bits of a number without leading zeros. */
static inline unsigned qn_number_length(uint32_t number) {
  return number ? 32 - (unsigned)__builtin_clz(number) : 0;
}

/* ---- Writing ------------------------------------------------------------------ */

/* What is written, in order; the coder goes through it from the end. A symbol is its start in the
 * upper 16 bits and its frequency below, plain bits are QN_PLAIN, their number, and they. */
struct qn_symbols_out {
  uint32_t *items;
  uint64_t count;
};

#define QN_PLAIN ((uint32_t)1 << 31)
#define QN_ITEMS_OF_NUMBER 5

static inline void qn_put_symbol(struct qn_symbols_out *out, struct qn_symbol_model *model,
                                 unsigned symbol) {
  out->items[out->count++] =
      (uint32_t)model->starts[symbol] << 16 | qn_symbol_frequency(model, symbol);
  qn_symbol_model_update(model, symbol);
}

/* At most 32 bits, the upper ones first where there are more than 16. */
static inline void qn_put_plain(struct qn_symbols_out *out, uint32_t bits, unsigned count) {
  if (count > 16)
    out->items[out->count++] = QN_PLAIN | (count - 16) << 16 | bits >> 16;
  count = count > 16 ? 16 : count;
  if (count)
    out->items[out->count++] = QN_PLAIN | count << 16 | (bits & ((1u << count) - 1));
}

static inline void qn_put_number(struct qn_symbols_out *out, struct qn_symbol_model *lengths,
                                 struct qn_number_models *models, uint32_t number) {
  const unsigned length = qn_number_length(number);
  qn_put_symbol(out, lengths, length < QN_LONGEST_SYMBOL ? length : QN_LONGEST_SYMBOL);
  if (length >= QN_LONGEST_SYMBOL)
    qn_put_symbol(out, &models->longer,
                  (length < QN_RAW_LENGTH ? length : QN_RAW_LENGTH) - QN_LONGEST_SYMBOL);
  if (length >= QN_RAW_LENGTH) {
    qn_put_plain(out, number, 32);
  } else if (length > 1) {
    const unsigned bits = length - 1, upper = bits < 3 ? bits : 3, lower = bits - upper;
    const uint32_t below = number & (((uint32_t)1 << bits) - 1);
    qn_put_symbol(out, &models->below[length], below >> lower);
    qn_put_plain(out, below & (((uint32_t)1 << lower) - 1), lower);
  }
}

/* What a number would cost now, in parts of 1 / 256 of a bit, about. */
static inline uint32_t qn_symbol_cost(const struct qn_symbol_model *model, unsigned symbol) {
  const unsigned frequency = qn_symbol_frequency(model, symbol);
  const unsigned log = 31 - (unsigned)__builtin_clz(frequency);
  return (QN_SYMBOL_BITS - log) * 256 - ((frequency << 8 >> log) - 256);
}

static inline uint32_t qn_number_cost(const struct qn_symbol_model *lengths,
                                      const struct qn_number_models *models, uint32_t number) {
  const unsigned length = qn_number_length(number);
  uint32_t cost = qn_symbol_cost(lengths, length < QN_LONGEST_SYMBOL ? length : QN_LONGEST_SYMBOL);
  if (length >= QN_LONGEST_SYMBOL)
    cost += qn_symbol_cost(&models->longer,
                           (length < QN_RAW_LENGTH ? length : QN_RAW_LENGTH) - QN_LONGEST_SYMBOL);
  if (length >= QN_RAW_LENGTH)
    return cost + 32 * 256;
  if (length > 1) {
    const unsigned bits = length - 1, upper = bits < 3 ? bits : 3, lower = bits - upper;
    cost += qn_symbol_cost(&models->below[length], (number & (((uint32_t)1 << bits) - 1)) >> lower);
    cost += 256 * lower;
  }
  return cost;
}

/* Code all items; returns the bytes in `bytes`, or 0 if there is no room. */
static inline uint64_t qn_symbols_finish(const struct qn_symbols_out *out, uint8_t *bytes,
                                         uint64_t room) {
  uint8_t *next = bytes + room;
  uint64_t state = QN_STATE_LEAST;
  for (uint64_t i = out->count; i-- > 0;) {
    const uint32_t item = out->items[i];
    const bool plain = item & QN_PLAIN;
    const unsigned bits = plain ? item >> 16 & 31 : QN_SYMBOL_BITS;
    const uint64_t frequency = plain ? 1 : item & 0xffff;
    if (state >= frequency << (63 - bits)) {
      const uint32_t word = (uint32_t)state;
      if (next - bytes < 4 + 8)
        return 0;
      memcpy(next -= 4, &word, 4);
      state >>= 32;
    }
    state = plain ? state << bits | (item & 0xffff)
                  : ((state / frequency) << bits) + state % frequency + (item >> 16);
  }
  memcpy(next -= 8, &state, 8);
  const uint64_t size = (uint64_t)(bytes + room - next);
  memmove(bytes, next, size);
  return size;
}

/* ---- Reading ------------------------------------------------------------------ */

/* Where bytes end, zeros come, and it is known in the end. */
struct qn_symbols_in {
  uint64_t state;
  const uint8_t *next, *end;
  bool over; /* more was read than there is */
};

static inline bool qn_symbols_begin(struct qn_symbols_in *in, const uint8_t *bytes,
                                    uint64_t length) {
  if (length < 8 || length % 4)
    return false;
  memcpy(&in->state, bytes, 8);
  in->next = bytes + 8;
  in->end = bytes + length;
  in->over = false;
  return in->state >= QN_STATE_LEAST && in->state >> 63 == 0;
}

/* Is all read, and nothing more? */
static inline bool qn_symbols_at_end(const struct qn_symbols_in *in) {
  return !in->over && in->next == in->end && in->state == QN_STATE_LEAST;
}

static inline void qn_symbols_refill(struct qn_symbols_in *in) {
  uint32_t word = 0;
  if (in->state >= QN_STATE_LEAST)
    return;
  if (in->next < in->end) {
    memcpy(&word, in->next, 4);
    in->next += 4;
  } else {
    in->over = true;
  }
  in->state = in->state << 32 | word;
}

static inline unsigned qn_get_symbol(struct qn_symbols_in *in, struct qn_symbol_model *model) {
  const int16_t slot = (int16_t)(in->state & ((1 << QN_SYMBOL_BITS) - 1));
  const unsigned symbol = qn_symbol_at(model, slot);
  in->state = qn_symbol_frequency(model, symbol) * (in->state >> QN_SYMBOL_BITS) +
              (uint64_t)(slot - model->starts[symbol]);
  qn_symbol_model_update(model, symbol);
  qn_symbols_refill(in);
  return symbol;
}

static inline uint32_t qn_get_plain(struct qn_symbols_in *in, unsigned count) {
  uint32_t upper = 0;
  if (count > 16) {
    upper = qn_get_plain(in, count - 16) << 16;
    count = 16;
  }
  const uint32_t bits = (uint32_t)(in->state & ((1u << count) - 1));
  in->state >>= count;
  qn_symbols_refill(in);
  return upper | bits;
}

static inline uint32_t qn_get_number(struct qn_symbols_in *in, struct qn_symbol_model *lengths,
                                     struct qn_number_models *models) {
  unsigned length = qn_get_symbol(in, lengths);
  if (length < 2)
    return length;
  if (length == QN_LONGEST_SYMBOL)
    length += qn_get_symbol(in, &models->longer);
  if (length == QN_RAW_LENGTH)
    return qn_get_plain(in, 32);
  const unsigned bits = length - 1, upper = bits < 3 ? bits : 3, lower = bits - upper;
  const uint32_t above =
      (uint32_t)1 << upper | (qn_get_symbol(in, &models->below[length]) & ((1u << upper) - 1));
  return above << lower | qn_get_plain(in, lower);
}
