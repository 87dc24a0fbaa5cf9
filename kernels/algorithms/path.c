#include <stddef.h>

#include "kernels/programs/algorithm.h"

static const struct qn_parameter parameters[] = {
    {QN_PARAMETER_FLAG, "unweighted", NULL, 0, 0, 1, QN_RANGE_CLOSED, NULL,
     "Count every edge as 1, although the graph has weights"},
};

const struct qn_algorithm qn_algorithm_path = {
    .name = "path",
    .aliases = "shortest-path",
    .title = "one shortest path to a --target",
    .purpose = QN_FOR_PATHS,
    .parameters = parameters,
    .num_parameters = sizeof parameters / sizeof *parameters,
    .inputs = QN_INPUT_SOURCE | QN_INPUT_TARGET,
    .required = QN_INPUT_SOURCE | QN_INPUT_TARGET,
    .shape = QN_SHAPE_PATH,
    .iterations = UINT32_MAX,
};
