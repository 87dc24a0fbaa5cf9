/* Which numbers a narrower type holds, so that nothing is lost. */
#ifndef QN_CONVERTERS_TEXT_EXACT_NUMBERS_H
#define QN_CONVERTERS_TEXT_EXACT_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The double nearest to the shortest decimal that reads back as `value`, which is finite: what a
 * text meant whose number became this f32. Of 0.1f that is 0.1, not 0.100000001490116. */
double qn_decimal_of_f32(float value);

/* Does an f32 hold the finite `value`: is it a multiple of a power of two that fits, or the decimal
 * that the f32 prints as? Either way the number that was written comes back. */
bool qn_f32_holds(double value);

/* Is `real` the number `whole`? */
static inline bool qn_real_is_whole(double real, int64_t whole) {
  return real >= -0x1p63 && real < 0x1p63 && (int64_t)real == whole;
}

#ifdef __cplusplus
}
#endif
#endif
