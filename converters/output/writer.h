/* Writers of graph formats: one file each in converters/writers/, listed in
 * format_table.c. A writer turns a graph into the text of its format. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/parse/record.h"
#include "formats/text/text_output.h"
#include <quern/error.h>
#include <quern/graph.h>

/* What a format has no place for. */
enum qn_format_losses {
  QN_LOSES_IDS = 1 << 0,          /* vertices are numbered from 0 */
  QN_LOSES_IDS_FROM_ONE = 1 << 1, /* from 1 */
  QN_LOSES_NAMES = 1 << 2,        /* ids that are names; numbers are kept */
  QN_LOSES_NUMBER_NAMES = 1 << 3, /* that ids are names where they look like numbers */
  QN_LOSES_ISOLATED = 1 << 4,     /* vertices without edges */
  QN_LOSES_UNDIRECTED = 1 << 5, /* that a graph is; edges are listed once, unless the user wants */
  QN_LOSES_ONE_WAY = 1 << 6,    /* the same; edges are listed both ways */
  QN_LOSES_WEIGHTS = 1 << 7,
  QN_LOSES_PARALLEL = 1 << 8,   /* edges that have the ends of another */
  QN_LOSES_BUT_LABELS = 1 << 9, /* weights that are not whole numbers from 0 on */
};

struct qn_write_options {
  bool both_directions; /* of undirected graphs: write every edge both ways */
  bool header;          /* of edges: begin with what the graph is */
  bool strict;          /* refuse what the format does not keep (converters/output/losses.h) */
  const struct qn_properties *properties; /* of the graph; NULL: none */
  struct qn_record record;                /* of binary edges; unknown: what the graph needs */
  const char *base;                       /* of RDF: stands before names that are no IRIs */
  bool in_part;                           /* only the stored edges [part_begin, part_end) */
  uint64_t part_begin, part_end;
};

struct qn_output_folder; /* converters/output/output_folder.h */
struct qn_properties;    /* quern/properties.h */

struct qn_graph_writer {
  const char *name; /* of its format, e.g. "edges" */
  unsigned losses;  /* of enum qn_format_losses; the caller says them before anything is written */

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

  bool takes_base;                                     /* it heeds options->base */
  bool keeps_edge_properties, keeps_vertex_properties; /* it heeds options->properties */
};
