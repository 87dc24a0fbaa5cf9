#include <stddef.h>

#include "kernels/programs/algorithm.h"

const struct qn_algorithm qn_algorithm_lcc = {
    .name = "lcc",
    .aliases = "clustering,clustering-coefficient",
    .title = "how many of its neighbours are linked",
    .purpose = QN_FOR_STRUCTURE,
    .shape = QN_SHAPE_VALUES,
    .iterations = UINT32_MAX,
};
