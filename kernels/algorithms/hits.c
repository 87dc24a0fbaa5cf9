#include <stddef.h>

#include "kernels/programs/algorithm.h"

static const struct qn_parameter parameters[] = {
    QN_TOLERANCE_PARAMETER(1e-8),
    QN_ITERATIONS_PARAMETER(100),
};

const struct qn_algorithm qn_algorithm_hits = {
    .name = "hits",
    .aliases = "hubs-and-authorities",
    .title = "hubs and authorities",
    .purpose = QN_FOR_RANKING,
    .parameters = parameters,
    .num_parameters = sizeof parameters / sizeof *parameters,
    .shape = QN_SHAPE_COLUMNS,
    .values = QN_VALUES_RANKED,
    .iterations = 100,
    .tolerance = 1e-8,
};
