#include <stddef.h>

#include "kernels/programs/algorithm.h"

const struct qn_algorithm qn_algorithm_tc = {
    .name = "tc",
    .aliases = "triangles,triangle-count",
    .title = "triangles of the simple undirected graph",
    .purpose = QN_FOR_STRUCTURE,
    .shape = QN_SHAPE_NUMBER,
    .counts = "triangles",
    .iterations = UINT32_MAX,
};
