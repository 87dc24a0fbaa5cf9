/* Files of CSV with a header, of vertices or of edges, as GraphFrames and Neo4j read them. */
#pragma once

#include "converters/output/writer.h"
#include <quern/properties.h>

/* What a file of edges or of vertices looks like: how its header begins, and of Neo4j's, whose
 * header says of what type properties are, the column of kinds, and that of all where they have
 * none, or where all are of one. */
struct qn_csv_form {
  const char *name, *header, *kind, *all;
  bool of_one_kind; /* whatever a property is called */
};

enum qn_status qn_csv_write_edges(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  const struct qn_csv_form *form, struct qn_text_output *output,
                                  uint64_t *written, struct qn_error *error);
enum qn_status qn_csv_write_vertices(const struct qn_graph *graph,
                                     const struct qn_write_options *options,
                                     const struct qn_csv_form *form, struct qn_text_output *output,
                                     struct qn_error *error);

/* What Neo4j's header says of weights; "" of none. */
const char *qn_neo4j_weight_column(enum qn_weight_type type);
/* Say which properties are text there. */
enum qn_status qn_neo4j_lose_types(const struct qn_property_table *table,
                                   const struct qn_write_options *options, struct qn_error *error);
