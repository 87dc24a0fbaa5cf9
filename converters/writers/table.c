/* The formats that quern-export writes. A new one is a file beside this one and a
 * line here. */
#include <stdio.h>
#include <string.h>

#include "converters/writer.h"

extern const struct qn_graph_writer qn_graph_writer_adjacency;
extern const struct qn_graph_writer qn_graph_writer_dimacs;
extern const struct qn_graph_writer qn_graph_writer_edges;
extern const struct qn_graph_writer qn_graph_writer_galois;
extern const struct qn_graph_writer qn_graph_writer_gapbs;
extern const struct qn_graph_writer qn_graph_writer_matrix_market;
extern const struct qn_graph_writer qn_graph_writer_metis;
extern const struct qn_graph_writer qn_graph_writer_npy;

const struct qn_graph_writer *const qn_graph_writers[] = {
    &qn_graph_writer_edges,
    &qn_graph_writer_matrix_market,
    &qn_graph_writer_metis,
    &qn_graph_writer_dimacs,
    &qn_graph_writer_gapbs,
    &qn_graph_writer_galois,
    &qn_graph_writer_npy,
    &qn_graph_writer_adjacency,
    NULL,
};

enum qn_status qn_graph_writer_by_name(const char *name, const struct qn_graph_writer **out,
                                       struct qn_error *error) {
  char names[256] = "";
  for (int i = 0; qn_graph_writers[i]; i++) {
    *out = qn_graph_writers[i];
    if (strcmp(qn_graph_writers[i]->name, name) == 0)
      return QN_OK;
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", qn_graph_writers[i]->name);
  }
  return qn_fail(error, QN_USAGE, "unknown format '%s'; known are %s", name, names);
}
