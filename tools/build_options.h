/* The command-line options of every tool that builds a graph container from edges. */
#ifndef QN_TOOLS_BUILD_OPTIONS_H
#define QN_TOOLS_BUILD_OPTIONS_H

#include <argp.h>

#include "converters/build/build.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A child for an argp parser, whose input is a `struct qn_build`: --undirected, --transpose,
 * --self-loops, --duplicates. The child's group is 2. */
extern const struct argp qn_build_argp;

#ifdef __cplusplus
}
#endif
#endif
