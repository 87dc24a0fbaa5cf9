/* Writers of graph formats: one file each in converters/writers/, listed in
 * writers/table.c. A writer turns a graph into the text of its format. */
#ifndef QN_CONVERTERS_WRITER_H
#define QN_CONVERTERS_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "converters/text_output.h"
#include "formats/graph.h"
#include "support/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qn_write_options {
  bool both_directions; /* of undirected graphs: write every edge both ways */
};

struct qn_graph_writer {
  const char *name;        /* as --format takes it, e.g. "edges" */
  const char *description; /* for --help, one line */

  /* Write the out-edges of `graph`, which has been checked, to `output`; `*written` is how many
   * edges the text lists. */
  enum qn_status (*write)(const struct qn_graph *graph, const struct qn_write_options *options,
                          struct qn_text_output *output, uint64_t *written, struct qn_error *error);
};

/* NULL-terminated. */
extern const struct qn_graph_writer *const qn_graph_writers[];

/* The writer called `name`; QN_USAGE with the list of names if there is none. */
enum qn_status qn_graph_writer_by_name(const char *name, const struct qn_graph_writer **out,
                                       struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
