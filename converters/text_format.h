/* Numbers as text, fast. Each function writes at `p`, where QN_MAX_NUMBER_TEXT
 * bytes must be free, and returns the end; nothing is NUL-terminated. */
#ifndef QN_CONVERTERS_TEXT_FORMAT_H
#define QN_CONVERTERS_TEXT_FORMAT_H

#include <stdint.h>

#include "formats/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QN_MAX_NUMBER_TEXT 40

char *qn_put_u64(char *p, uint64_t value);

/* The shortest decimal text that reads back as the same f32 (whole numbers below 2^24 in full),
 * always with a '.' or an exponent, so that it reads back as a real number. `value` is finite. */
char *qn_put_f32(char *p, float value);

/* The weight of edge `edge`; nothing if there are no weights. */
static inline char *qn_put_weight(char *p, const struct qn_weights *weights, uint64_t edge) {
  if (weights->type == QN_WEIGHT_U32)
    return qn_put_u64(p, weights->u32[edge]);
  if (weights->type == QN_WEIGHT_F32)
    return qn_put_f32(p, weights->f32[edge]);
  return p;
}

#ifdef __cplusplus
}
#endif
#endif
