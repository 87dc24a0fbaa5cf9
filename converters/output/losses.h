/* What an export does not keep of a graph: each thing is noted, or with --strict the whole is
 * refused. */
#pragma once

#include "converters/output/writer.h"

/* Are there weights, and all of them whole numbers from 0 on? Looks at every edge if they are i64.
 */
bool qn_weights_are_labels(const struct qn_csr *csr);

/* Something is lost, as the text says. QN_UNSUPPORTED with --strict. */
enum qn_status qn_loses(const struct qn_write_options *options, struct qn_error *error,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What `graph` has that formats which lose `losses` (enum qn_format_losses) do not keep. Looks at
 * every edge if there might be parallel ones, or vertices without one, and they would be lost. */
enum qn_status qn_loses_of_graph(const struct qn_graph *graph, unsigned losses,
                                 const struct qn_write_options *options, struct qn_error *error);
