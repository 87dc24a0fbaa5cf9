/* Betweenness centrality on shards (kernels/cpu/loop/brandes.h), by their rows in both directions.
 *
 * A kernel of its own because it has two phases. */
#include "kernels/cpu/csr/brandes_csr.h"

#include "kernels/cpu/loop/brandes.h"
#include <quern/shards.h>

extern const struct qn_kernel qn_kernel_bc_shards_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_shards *view = request->view;
  struct work work = {.edges = brandes_csr_edges(&view->out, &view->in),
                      .search =
                          qn_kernel_find("bfs", QN_LAYOUT_SHARDS, QN_CPU, view->in.weights.type),
                      .view = view};
  return brandes_run(request, view->num_vertices, &work, qn_seconds(), result, error);
}

const struct qn_kernel qn_kernel_bc_shards_cpu =
    QN_BC_KERNEL("shards, Brandes pull", QN_LAYOUT_SHARDS, QN_CPU, 0, run);
