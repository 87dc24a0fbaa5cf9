#include <stddef.h>

#include "kernels/programs/algorithm.h"

static const struct qn_parameter parameters[] = {
    {QN_PARAMETER_LIST, "fanouts", "N|all,...", 0, 1, UINT32_MAX, QN_RANGE_OR_ALL, "15,10",
     "Neighbours taken of each vertex, hop by hop"},
    QN_SEED_PARAMETER,
};

const struct qn_algorithm qn_algorithm_sample = {
    .name = "sample",
    .aliases = "neighbor-sampling",
    .title = "neighbours of --sources, hop by hop",
    .purpose = QN_FOR_OTHER,
    .parameters = parameters,
    .num_parameters = sizeof parameters / sizeof *parameters,
    .inputs = QN_INPUT_SOURCES,
    .required = QN_INPUT_SOURCES,
    .shape = QN_SHAPE_SAMPLE,
    .iterations = UINT32_MAX,
};
