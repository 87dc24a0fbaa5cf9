#include <stddef.h>

#include "kernels/programs/algorithm.h"

static const struct qn_parameter parameters[] = {
    {QN_PARAMETER_WHOLE, "length", "N", 80, 0, UINT32_MAX - 1, QN_RANGE_CLOSED, NULL,
     "Steps of a walk"},
    {QN_PARAMETER_WHOLE, "walks", "N", 1, 1, UINT32_MAX, QN_RANGE_CLOSED, NULL,
     "Walks from each source"},
    QN_SEED_PARAMETER,
    QN_WEIGHTED_PARAMETER,
};

const struct qn_algorithm qn_algorithm_walk = {
    .name = "walk",
    .aliases = "random-walk",
    .title = "random walks from --sources, or all",
    .purpose = QN_FOR_OTHER,
    .parameters = parameters,
    .num_parameters = sizeof parameters / sizeof *parameters,
    .inputs = QN_INPUT_SOURCES,
    .shape = QN_SHAPE_WALKS,
    .iterations = UINT32_MAX,
};
