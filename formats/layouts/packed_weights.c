#include "formats/layouts/packed_weights.h"

#include <inttypes.h>
#include <string.h>

#include "formats/container/view.h"
#include "support/multiversion.h"

/* ---- Reading ------------------------------------------------------------------------ */

QN_VECTOR_CLONES
static void load_four_bytes(const struct qn_packed_codes *codes, uint64_t first, uint64_t count,
                            uint32_t *restrict weights) {
  const struct qn_packed_codes of = *codes; /* which writing to weights does not change */
  const uint32_t *values = of.values.u32;
  if (of.kind == QN_PACKED_SUMS)
    for (uint64_t i = 0; i < count; i++)
      weights[i] = values[0] + qn_packed_weight_code(&of, first + i);
  else
    for (uint64_t i = 0; i < count; i++)
      weights[i] = values[qn_packed_weight_code(&of, first + i)];
}

QN_VECTOR_CLONES
static void load_eight_bytes(const struct qn_packed_codes *codes, uint64_t first, uint64_t count,
                             uint64_t *restrict weights) {
  const struct qn_packed_codes of = *codes;
  const uint64_t *values = of.values.data;
  if (of.kind == QN_PACKED_SUMS)
    for (uint64_t i = 0; i < count; i++)
      weights[i] = values[0] + qn_packed_weight_code(&of, first + i);
  else
    for (uint64_t i = 0; i < count; i++)
      weights[i] = values[qn_packed_weight_code(&of, first + i)];
}

void qn_packed_load_weights(const struct qn_packed_rows *rows, uint64_t first, uint64_t count,
                            void *weights) {
  const unsigned bytes = qn_weight_bytes(rows->weights.type);
  if (rows->codes.kind != QN_PACKED_PLAIN)
    bytes == 4 ? load_four_bytes(&rows->codes, first, count, weights)
               : load_eight_bytes(&rows->codes, first, count, weights);
  else if (bytes && count)
    memcpy(weights, (const char *)rows->weights.data + first * bytes, count * bytes);
}

uint64_t qn_packed_weight_bytes(const struct qn_packed_rows *rows) {
  if (rows->codes.kind == QN_PACKED_PLAIN)
    return qn_weight_bytes(rows->weights.type) * rows->num_edges;
  return 4 * qn_packed_code_words(rows->num_edges, rows->codes.bits);
}

/* ---- The view ------------------------------------------------------------------------- */

/* Sums: how far the greatest is from the least. False if that is no code. */
static bool find_range(enum qn_weight_type type, const struct qn_weights *values, uint32_t *range) {
  if (type == QN_WEIGHT_U32) {
    *range = values->u32[1] - values->u32[0];
    return values->u32[0] <= values->u32[1];
  }
  const uint64_t far = (uint64_t)values->i64[1] - (uint64_t)values->i64[0];
  *range = (uint32_t)far;
  return values->i64[0] <= values->i64[1] && far <= UINT32_MAX;
}

static bool ascend(const struct qn_weights *values, uint64_t count) {
  const unsigned bytes = qn_weight_bytes(values->type);
  for (uint64_t i = 1; i < count; i++)
    if (qn_weight_load(values->data, bytes, i - 1) >= qn_weight_load(values->data, bytes, i))
      return false;
  return true;
}

static enum qn_status view_values(const struct qn_container *container,
                                  struct qn_packed_codes *codes, enum qn_weight_type type,
                                  struct qn_error *error) {
  const struct qn_section *section;
  enum qn_status status = qn_container_require_any(
      container, QN_PACKED_VALUES, qn_weight_element(type), qn_weight_bytes(type), &section, error);
  if (status)
    return status;
  const bool adds = codes->kind == QN_PACKED_SUMS;
  codes->num_values = section->count;
  codes->values = (struct qn_weights){.type = type, .data = section->data};
  if (adds ? section->count != 2 : section->count == 0 || section->count > QN_PACKED_MOST_VALUES)
    return qn_container_violation(container, error, "PK-14",
                                  "there are %" PRIu64 " values of weights; expected %s",
                                  section->count, adds ? "2" : "1 to 65536");
  codes->most = (uint32_t)(section->count - 1);
  if (adds ? !find_range(type, &codes->values, &codes->most)
           : !ascend(&codes->values, section->count))
    return qn_container_violation(container, error, "PK-14", "the values of weights %s",
                                  adds ? "are not a least and a greatest one" : "do not ascend");
  codes->bits = qn_packed_bits(codes->most);
  return QN_OK;
}

enum qn_status qn_packed_weights_view(const struct qn_container *container,
                                      const struct qn_packed_sections *names,
                                      struct qn_packed_rows *rows, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const uint64_t kind = info->parameters[QN_PACKED_WEIGHTS];
  const enum qn_weight_type type = info->weight_type;
  const bool is_whole = type == QN_WEIGHT_U32 || type == QN_WEIGHT_I64;
  if (kind > QN_PACKED_DICTIONARY || (kind != QN_PACKED_PLAIN && type == QN_WEIGHT_NONE) ||
      (kind == QN_PACKED_SUMS && !is_whole) ||
      (kind == QN_PACKED_PLAIN) != !qn_container_section(container, QN_PACKED_VALUES))
    return qn_container_violation(
        container, error, "PK-13",
        "weights are stored by %" PRIu64 ", which does not suit their type or the sections", kind);
  if (kind == QN_PACKED_PLAIN)
    return qn_weights_view(container, names->weights, &rows->weights, error);
  rows->weights = (struct qn_weights){.type = type};
  rows->codes.kind = (enum qn_packed_weights)kind;
  enum qn_status status = view_values(container, &rows->codes, type, error);
  if (status)
    return status;
  return qn_view_unsigned(container, names->weights, 4,
                          qn_packed_code_words(rows->num_edges, rows->codes.bits),
                          &rows->codes.words, error);
}

/* ---- The rules -------------------------------------------------------------------------- */

/* Is a code larger than there are, or a bit of none set? */
static uint64_t find_wrong_code(const struct qn_packed_rows *rows) {
  struct qn_packed_codes free = rows->codes;
  const uint64_t count = rows->num_edges, words = qn_packed_code_words(count, free.bits);
  const unsigned rest = (unsigned)(count % 32 * free.bits % 32);
  uint64_t bad = UINT64_MAX;
  free.most = UINT32_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t edge = 0; edge < count; edge++)
    if (edge < bad && qn_packed_weight_code(&free, edge) > rows->codes.most)
      bad = edge;
  if (bad == UINT64_MAX &&
      (free.words[words - 1] || free.words[words - 2] || (rest && free.words[words - 3] >> rest)))
    bad = count;
  return bad;
}

enum qn_status qn_packed_weights_check(const struct qn_container *container,
                                       const struct qn_packed_sections *names,
                                       const struct qn_packed_rows *rows, struct qn_error *error) {
  if (rows->codes.kind == QN_PACKED_PLAIN)
    return qn_weights_check(container, "PK-9", names->weights, &rows->weights, rows->num_edges,
                            error);
  const uint64_t bad = find_wrong_code(rows);
  if (bad != UINT64_MAX)
    return qn_container_violation(container, error, "PK-15",
                                  "%s: the code of edge %" PRIu64 " is of no value", names->weights,
                                  bad);
  return qn_weights_check(container, "PK-9", QN_PACKED_VALUES, &rows->codes.values,
                          rows->codes.num_values, error);
}
