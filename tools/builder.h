/* What the tools of all layouts' builders share: the graph's name, -o, --memory and the options of
 * every tool; the plan of memory; the figures of the finished container. */
#ifndef QN_TOOLS_BUILDER_H
#define QN_TOOLS_BUILDER_H

#include <argp.h>

#include "partitioner/builders.h"

/* The whole of the tool of a layout's builder. `table` has the layout's own options, which end with
 * a row of zeros. Returns the exit code. */
int qn_builder_main(enum qn_layout layout, const struct argp_option *table,
                    const char *documentation, int argc, char **argv);

#endif
