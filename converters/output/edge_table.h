/* Text with an edge or a vertex a line, by original ids: what edge lists and CSV files of all kinds
 * have in common. */
#pragma once

#include "converters/output/edge_runs.h"
#include "formats/text/text_output.h"
#include <quern/properties.h>

/* How lines look. Names are quoted where they must be (formats/text/quoted_names.h). */
struct qn_table_style {
  char separator;
  const char *tail; /* after the last column, e.g. ",EDGE"; "" for nothing */
  const struct qn_property_table *properties; /* of the lines, before the tail; NULL: none */
};

/* Lines "source destination [weight] tail" of the edges listed. `*written` is how many. */
enum qn_status qn_edge_table_write(const struct qn_graph *graph,
                                   const struct qn_listed_edges *listed,
                                   const struct qn_table_style *style,
                                   struct qn_text_output *output, uint64_t *written,
                                   struct qn_error *error);

/* Lines "id tail" of all vertices, in their order. */
enum qn_status qn_vertex_table_write(const struct qn_graph *graph,
                                     const struct qn_table_style *style,
                                     struct qn_text_output *output, struct qn_error *error);
