#include <stddef.h>

#include "kernels/programs/algorithm.h"

const struct qn_algorithm qn_algorithm_cross_edges = {
    .name = "cross-edges",
    .title = "out-edges to other --groups of vertices",
    .purpose = QN_FOR_STRUCTURE,
    .inputs = QN_INPUT_GROUPS,
    .shape = QN_SHAPE_VALUES,
    .iterations = 1,
};
