#include <stddef.h>

#include "kernels/programs/algorithm.h"

static const struct qn_parameter parameters[] = {
    {QN_PARAMETER_REAL, "resolution", "G", 1, 0, INFINITY,
     QN_RANGE_ABOVE_LEAST | QN_RANGE_BELOW_MOST, NULL,
     "How small communities are: above 1 more and smaller ones"},
    QN_SEED_PARAMETER,
    QN_ITERATIONS_PARAMETER(UINT32_MAX),
};

const struct qn_algorithm qn_algorithm_leiden = {
    .name = "leiden",
    .title = "communities by modularity",
    .purpose = QN_FOR_STRUCTURE,
    .parameters = parameters,
    .num_parameters = sizeof parameters / sizeof *parameters,
    .shape = QN_SHAPE_VALUES,
    .values = QN_VALUES_VERTICES,
    .iterations = UINT32_MAX,
};
