/* Some types of a set as kernels see them: the rows of each edge type where they lie, and vertices
 * numbered as if the others were not there. */
#pragma once

#include "formats/set/project.h"
#include "formats/set/project_vertices.h"
#include "runtime/sets/run_set.h"

/* The rows of an edge type. */
struct qn_run_type {
  struct qn_set_open_part part; /* open, if the type is chosen */
  uint32_t *columns;  /* [E] counted from the first vertex of the target; NULL: as in the file */
  struct qn_graph in; /* in-edges, if they were made; sources count from the first of theirs */
  struct qn_csr rows; /* that are walked */
};

struct qn_run_types {
  struct qn_set_chosen chosen;
  enum qn_weight_type weights; /* of all chosen types */
  uint64_t num_vertices, num_edges;
  uint64_t *begins;          /* [num_ranges] numbers of chosen vertices in the graph */
  struct qn_run_type *types; /* [num_edge_types] */
  struct qn_projected_ids ids;
  uint32_t *degrees; /* [num_vertices] out-degrees */
  uint64_t longest;
  uint64_t *none;       /* [longest + 1] offsets of rows without edges, */
  struct qn_csr *empty; /* [num_ranges] of vertices that no chosen edges leave or enter */
};

/* Can the chosen types be walked where they lie? If not, `*reason` says why; `*weights` are those
 * of the graph. QN_USAGE names a type that is not there. */
enum qn_status qn_run_types_suit(const struct qn_set *set, const struct qn_set_selection *selection,
                                 enum qn_weight_type *weights, const char **reason,
                                 struct qn_error *error);

/* Open them, and fill in what the run knows of them; with `trust` rows are not checked. Owned by
 * the run, which closes it, also after a failure. */
enum qn_status qn_run_types_open(struct qn_run_set *run, const struct qn_set_selection *selection,
                                 bool trust, struct qn_error *error);
/* What kernels see. */
void qn_run_types_view(struct qn_run_set *run, struct qn_set_view *view);
enum qn_status qn_run_types_verify_weights(const struct qn_run_set *run, struct qn_error *error);
/* NULL is allowed. */
void qn_run_types_close(const struct qn_set *set, struct qn_run_types *types);
