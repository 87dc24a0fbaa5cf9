#include <stddef.h>

#include "kernels/programs/algorithm.h"

const struct qn_algorithm qn_algorithm_scc = {
    .name = "scc",
    .aliases = "strongly-connected-components",
    .title = "strongly connected components",
    .purpose = QN_FOR_STRUCTURE,
    .shape = QN_SHAPE_VALUES,
    .values = QN_VALUES_VERTICES,
    .iterations = UINT32_MAX,
};
