#include <stddef.h>

#include "kernels/programs/algorithm.h"

static const struct qn_parameter parameters[] = {
    {QN_PARAMETER_CHOICE, "measure", NULL, 0, 0, 2, QN_RANGE_CLOSED, "jaccard|overlap|cosine",
     "What the number of common neighbours is divided by: the number of all neighbours, that of "
     "the "
     "vertex with fewer, or the geometric mean of both"},
};

const struct qn_algorithm qn_algorithm_similarity = {
    .name = "similarity",
    .aliases = "jaccard",
    .title = "common neighbours of pairs",
    .purpose = QN_FOR_STRUCTURE,
    .parameters = parameters,
    .num_parameters = sizeof parameters / sizeof *parameters,
    .inputs = QN_INPUT_PAIRS,
    .shape = QN_SHAPE_PAIRS,
    .values = QN_VALUES_RANKED,
    .iterations = UINT32_MAX,
};
