/* How to build a graph container from edges, by the names of the tools' options. */
#pragma once

#include <jansson.h>

#include "converters/build/build.h"
#include "support/options.h"

/* "undirected", "transpose", "self-loops", "duplicates": fields of a struct qn_build. */
extern const struct qn_setting qn_build_settings[];

/* Record the same options in a container's provenance. */
enum qn_status qn_provenance_build(json_t *provenance, const struct qn_build *build,
                                   struct qn_error *error);
