/* What the bits of a list are is said in bv_graph.c. */
#include "converters/arrays/bv_encode.h"

#include "support/memory.h"
#include "support/multiversion.h"

void qn_bv_encoder_free(struct qn_bv_encoder *encoder) {
  qn_free(encoder->flips);
  qn_free(encoder->others);
  qn_free(encoder->ends);
}

static enum qn_status reserve(uint32_t **numbers, uint64_t *capacity, uint64_t count,
                              struct qn_error *error) {
  if (count <= *capacity)
    return QN_OK;
  enum qn_status status =
      qn_realloc(numbers, count + count / 2, sizeof **numbers, "parts of a list", error);
  if (!status)
    *capacity = count + count / 2;
  return status;
}

/* Copying flips at most twice for each successor that is copied, and once before. */
static enum qn_status reserve_all(struct qn_bv_encoder *encoder, uint64_t count, uint64_t reference,
                                  struct qn_error *error) {
  uint64_t least = count < reference ? count : reference;
  enum qn_status status = reserve(&encoder->flips, &encoder->flips_capacity, 2 * least + 2, error);
  if (!status)
    status = reserve(&encoder->others, &encoder->others_capacity, count + 1, error);
  if (!status)
    status = reserve(&encoder->ends, &encoder->ends_capacity,
                     2 * (count / QN_BV_LEAST_INTERVAL) + 2, error);
  return status;
}

/* ---- The parts of a list -------------------------------------------------- */

/* What of the reference is copied, and what is not of it. Most branches here could not be
 * predicted, so there are none. */
QN_SCALAR_CLONES
static void compare(struct qn_bv_encoder *encoder, const struct qn_bv_list *list,
                    const struct qn_bv_list *reference) {
  uint32_t *flips = encoder->flips, *others = encoder->others;
  uint64_t i = 0, j = 0, num_flips = 0, num_others = 0, copying = 1;
  while (i < list->count && j < reference->count) {
    uint32_t id = list->ids[i], theirs = reference->ids[j];
    uint64_t flip = (theirs <= id) & ((theirs == id) ^ copying);
    others[num_others] = id;
    num_others += id < theirs;
    flips[num_flips] = (uint32_t)j;
    num_flips += flip;
    copying ^= flip;
    i += id <= theirs;
    j += theirs <= id;
  }
  if (i < list->count)
    memcpy(others + num_others, list->ids + i, (list->count - i) * sizeof *others);
  if (j < reference->count && copying)
    flips[num_flips++] = (uint32_t)j;
  encoder->num_flips = num_flips;
  encoder->num_others = num_others + list->count - i;
}

/* Take intervals out of `count` ids; the others are left. The ids ascend: the first and the last of
 * an interval tell that it is one. */
QN_SCALAR_CLONES
static void split(struct qn_bv_encoder *encoder, const uint32_t *ids, uint64_t count) {
  const uint64_t more = QN_BV_LEAST_INTERVAL - 1;
  uint32_t *others = encoder->others, *ends = encoder->ends;
  uint64_t num_others = 0, num_ends = 0, i = 0;
  while (i < count) {
    uint32_t first = ids[i];
    if (i + more < count && ids[i + more] - first == more) {
      uint64_t begin = i;
      for (i += more + 1; i < count && ids[i] - first == i - begin; i++) {
      }
      ends[num_ends++] = first;
      ends[num_ends++] = (uint32_t)(i - begin);
    } else {
      others[num_others++] = first;
      i++;
    }
  }
  encoder->num_others = num_others;
  encoder->num_ends = num_ends;
}

/* ---- Codes ---------------------------------------------------------------- */

/* Numbers of either sign are folded: 0, -1, 1, -2, ... */
static inline uint64_t fold(uint64_t to, uint64_t from) {
  return to >= from ? 2 * (to - from) : 2 * (from - to) - 1;
}

static inline uint64_t gamma_of(struct qn_bit_writer *writer, uint64_t number) {
  if (writer)
    qn_put_gamma(writer, number);
  return qn_gamma_bits(number);
}

static inline uint64_t zeta_of(struct qn_bit_writer *writer, uint64_t number) {
  if (writer)
    qn_put_zeta(writer, number, QN_BV_ZETA);
  return qn_zeta_bits(number, QN_BV_ZETA);
}

/* Lengths of the parts copied and skipped, but for the last; all but the first less 1. */
static inline uint64_t code_blocks(const struct qn_bv_encoder *encoder,
                                   struct qn_bit_writer *writer) {
  uint64_t bits = gamma_of(writer, encoder->num_flips);
  for (uint64_t i = 0; i < encoder->num_flips; i++)
    bits += gamma_of(writer, i ? encoder->flips[i] - encoder->flips[i - 1] - 1 : encoder->flips[0]);
  return bits;
}

static inline uint64_t code_others(const struct qn_bv_encoder *encoder, uint64_t node,
                                   struct qn_bit_writer *writer) {
  const uint32_t *ends = encoder->ends, *others = encoder->others;
  uint64_t bits = gamma_of(writer, encoder->num_ends / 2);
  for (uint64_t i = 0; i < encoder->num_ends; i += 2) {
    bits += gamma_of(writer, i ? ends[i] - ends[i - 2] - ends[i - 1] - 1 : fold(ends[0], node));
    bits += gamma_of(writer, ends[i + 1] - QN_BV_LEAST_INTERVAL);
  }
  if (encoder->num_others)
    bits += zeta_of(writer, fold(others[0], node));
  for (uint64_t i = 1; i < encoder->num_others; i++)
    bits += zeta_of(writer, others[i] - others[i - 1] - 1);
  return bits;
}

/* The out-degree, which is not 0, and the reference. */
static inline uint64_t code_head(uint64_t count, unsigned back, struct qn_bit_writer *writer) {
  if (writer)
    qn_put_gamma(writer, count), qn_put_unary(writer, back);
  return qn_gamma_bits(count) + qn_unary_bits(back);
}

QN_SCALAR_CLONES
static uint64_t measure_others(const struct qn_bv_encoder *encoder, uint64_t node) {
  return code_others(encoder, node, NULL);
}

static uint64_t measure_alone(struct qn_bv_encoder *encoder, uint64_t node,
                              const struct qn_bv_list *list) {
  split(encoder, list->ids, list->count);
  return code_head(list->count, 0, NULL) + measure_others(encoder, node);
}

static bool are_apart(const struct qn_bv_list *one, const struct qn_bv_list *other) {
  return one->count == 0 || other->count == 0 || one->ids[one->count - 1] < other->ids[0] ||
         other->ids[other->count - 1] < one->ids[0];
}

/* UINT64_MAX unless that is less than `alone`. */
static uint64_t measure_reference(struct qn_bv_encoder *encoder, uint64_t node,
                                  const struct qn_bv_list *list, unsigned back, uint64_t alone) {
  const struct qn_bv_list *reference = list - back;
  if (are_apart(list, reference))
    return UINT64_MAX;
  compare(encoder, list, reference);
  if (encoder->num_others == list->count)
    return UINT64_MAX;
  uint64_t bits = code_head(list->count, back, NULL) + code_blocks(encoder, NULL);
  if (bits >= alone)
    return UINT64_MAX;
  if (encoder->num_others) {
    split(encoder, encoder->others, encoder->num_others);
    bits += measure_others(encoder, node);
  }
  return bits < alone ? bits : UINT64_MAX;
}

/* ---- Lists ---------------------------------------------------------------- */

enum qn_status qn_bv_measure(struct qn_bv_encoder *encoder, uint64_t node,
                             const struct qn_bv_list *list, unsigned back, uint64_t *bits,
                             struct qn_error *error) {
  enum qn_status status = reserve_all(encoder, list->count, 0, error);
  if (list->count == 0) {
    bits[0] = qn_gamma_bits(0);
    for (unsigned r = 1; r <= back; r++)
      bits[r] = UINT64_MAX;
    return status;
  }
  if (!status)
    bits[0] = measure_alone(encoder, node, list);
  for (unsigned r = 1; r <= back && !status; r++) {
    status = reserve_all(encoder, list->count, (list - r)->count, error);
    if (!status)
      bits[r] = measure_reference(encoder, node, list, r, bits[0]);
  }
  return status;
}

enum qn_status qn_bv_put(struct qn_bv_encoder *encoder, uint64_t node,
                         const struct qn_bv_list *list, unsigned back, struct qn_bit_writer *writer,
                         struct qn_error *error) {
  enum qn_status status = reserve_all(encoder, list->count, (list - back)->count, error);
  if (status)
    return status;
  if (list->count == 0) {
    qn_put_gamma(writer, 0);
    return QN_OK;
  }
  code_head(list->count, back, writer);
  if (back) {
    compare(encoder, list, list - back);
    code_blocks(encoder, writer);
    if (!encoder->num_others)
      return QN_OK;
    split(encoder, encoder->others, encoder->num_others);
  } else {
    split(encoder, list->ids, list->count);
  }
  code_others(encoder, node, writer);
  return QN_OK;
}
