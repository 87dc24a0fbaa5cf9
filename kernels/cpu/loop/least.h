/* reduction(qn_least : x): the least of real numbers, INFINITY of none. OpenMP's own `min` may
 * begin with the largest finite number, and does where clang compiles. */
#pragma once

#include <math.h>

#pragma omp declare reduction(qn_least:double                                                      \
                              : omp_out = omp_in < omp_out ? omp_in : omp_out)                     \
    initializer(omp_priv = INFINITY)
