#include <stddef.h>

#include "kernels/programs/algorithm.h"

const struct qn_algorithm qn_algorithm_mis = {
    .name = "mis",
    .aliases = "maximal-independent-set",
    .title = "a maximal independent set, as 1",
    .purpose = QN_FOR_STRUCTURE,
    .shape = QN_SHAPE_VALUES,
    .values = QN_VALUES_LEVELS,
    .iterations = UINT32_MAX,
};
