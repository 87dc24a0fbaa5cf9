/* Writers of graph formats: one file each in converters/writers/, listed in
 * format_table.c. A writer turns a graph into the text of its format. */
#ifndef QN_CONVERTERS_OUTPUT_WRITER_H
#define QN_CONVERTERS_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "converters/parse/record.h"
#include "converters/text/text_output.h"
#include <quern/error.h>
#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_write_options {
  bool both_directions;    /* of undirected graphs: write every edge both ways */
  struct qn_record record; /* of binary edges; unknown: what the graph needs */
  bool in_part;            /* only the stored edges [part_begin, part_end) */
  uint64_t part_begin, part_end;
};

struct qn_output_folder; /* converters/output/output_folder.h */

struct qn_graph_writer {
  const char *name; /* of its format, e.g. "edges" */

  /* Write the out-edges of `graph`, which has been checked, to `output`; `*written` is how many
   * edges the text lists. NULL: the format is one of several files. */
  enum qn_status (*write)(const struct qn_graph *graph, const struct qn_write_options *options,
                          struct qn_text_output *output, uint64_t *written, struct qn_error *error);

  /* The same into files of a folder; NULL: the format is one file. */
  enum qn_status (*write_folder)(const struct qn_graph *graph,
                                 const struct qn_write_options *options,
                                 struct qn_output_folder *folder, uint64_t *written,
                                 struct qn_error *error);

  /* Files that hold parts of the edges end with this, e.g. ".csv"; NULL: `write` does not heed
   * options->in_part, a graph can only be written whole. */
  const char *file_end;
};

#ifdef __cplusplus
}
#endif
#endif
