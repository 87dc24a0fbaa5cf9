/* What the tools of all layouts' builders share: the graph's name, -o, --memory and the options of
 * every tool; the plan of memory; the figures of the finished container. */
#ifndef QN_TOOLS_BUILDER_H
#define QN_TOOLS_BUILDER_H

#include <argp.h>

#include "partitioner/build_common.h"

/* The whole of a builder's tool. `table` and `parser` are the layout's own options, for which
 * `input` is the parser's; `builder` is what they become. Returns the exit code. */
int qn_builder_main(const struct qn_builder *builder, const struct argp_option *table,
                    argp_parser_t parser, void *input, const char *documentation, int argc,
                    char **argv);

#endif
