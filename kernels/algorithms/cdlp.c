#include <stddef.h>

#include "kernels/programs/algorithm.h"

static const struct qn_parameter parameters[] = {
    QN_ITERATIONS_PARAMETER(10),
};

const struct qn_algorithm qn_algorithm_cdlp = {
    .name = "cdlp",
    .aliases = "label-propagation",
    .title = "communities by label propagation",
    .purpose = QN_FOR_STRUCTURE,
    .parameters = parameters,
    .num_parameters = sizeof parameters / sizeof *parameters,
    .shape = QN_SHAPE_VALUES,
    .values = QN_VALUES_VERTICES,
    .iterations = 10,
};
