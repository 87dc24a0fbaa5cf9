#include <stddef.h>

#include "kernels/programs/algorithm.h"

const struct qn_algorithm qn_algorithm_bc = {
    .name = "bc",
    .aliases = "betweenness,betweenness-centrality",
    .title = "betweenness from given sources",
    .purpose = QN_FOR_RANKING,
    .inputs = QN_INPUT_SOURCES,
    .shape = QN_SHAPE_VALUES,
    .values = QN_VALUES_RANKED,
    .iterations = UINT32_MAX,
};
