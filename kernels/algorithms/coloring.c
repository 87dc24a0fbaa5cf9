#include <stddef.h>

#include "kernels/programs/algorithm.h"

const struct qn_algorithm qn_algorithm_coloring = {
    .name = "coloring",
    .aliases = "greedy-coloring",
    .title = "colours that neighbours don't share",
    .purpose = QN_FOR_STRUCTURE,
    .shape = QN_SHAPE_VALUES,
    .values = QN_VALUES_LEVELS,
    .iterations = UINT32_MAX,
};
