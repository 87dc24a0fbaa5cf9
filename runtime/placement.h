/* A container placed for many runs: what each of them would prepare anew is prepared once.
 *
 *   struct qn_placement placement;
 *   if (qn_placement_create(&input, NULL, &placement, &error)) ...
 *   options.store = placement.store; ... qn_run_start(&placement.input, &options, ...) ...
 *   qn_placement_destroy(&placement);
 *
 * In-edges are made here if plain CSR lacks them; arrays that a run brings to a device stay there
 * (kernels/store.h). */
#pragma once

#include "runtime/run.h"

struct qn_placement {
  struct qn_run_input input; /* as it was given, with in-edges; borrows what it was made from */
  struct qn_graph graph;     /* its view, where in-edges were added */
  struct qn_graph made;      /* these, in its out-edges */
  struct qn_store *store;
};

/* Of an input that was checked and has its order. `in` are the in-edges, if somebody has made them;
 * NULL: nobody has. `input` and `in` must outlive the placement. */
enum qn_status qn_placement_create(const struct qn_run_input *input, const struct qn_csr *in,
                                   struct qn_placement *placement, struct qn_error *error);
/* A zeroed placement is allowed. */
void qn_placement_destroy(struct qn_placement *placement);
