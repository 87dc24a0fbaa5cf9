/* Betweenness centrality on blocked CSR (kernels/cpu/loop/brandes.h; GraphCage, section 3.3): rows
 * take where the blocks have the right direction, else they give to their columns.
 *
 * A kernel of its own because it has two phases. */
#include "kernels/cpu/blocked_csr/block_sums.h"
#include <quern/blocked_csr.h>

struct brandes_edges {
  struct qn_block_sums forwards; /* from a level to the next */
  struct qn_block_sums backwards;
};

static enum qn_status brandes_collect(const struct brandes_edges *edges,
                                      const struct brandes_step *step, struct qn_error *error) {
  (void)error;
  qn_block_sums_collect(step->is_forwards ? &edges->forwards : &edges->backwards, step);
  return QN_OK;
}

#include "kernels/cpu/loop/brandes.h"

extern const struct qn_kernel qn_kernel_bc_blocked_csr_cpu;

/* Rows of pull blocks are destinations, so they receive forwards; those of push blocks receive
 * backwards; those of an undirected graph do both. */
static enum qn_status choose_blocks(const struct qn_blocked_csr *view, struct brandes_edges *edges,
                                    struct qn_error *error) {
  bool undirected = view->directedness == QN_UNDIRECTED;
  const struct qn_blocking *forwards = view->has_pull ? &view->pull : &view->push;
  const struct qn_blocking *backwards = view->has_push ? &view->push : &view->pull;
  enum qn_status status =
      qn_block_sums_create(&edges->forwards, forwards, view->has_pull || undirected, error);
  return status ? status
                : qn_block_sums_create(&edges->backwards, backwards, view->has_push || undirected,
                                       error);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct qn_blocked_csr view = *(const struct qn_blocked_csr *)request->view;
  struct qn_graph derived = {0};
  struct work work = {
      .search = qn_kernel_find("bfs", QN_LAYOUT_BLOCKED_CSR, QN_CPU, view.out.weights.type),
      .view = &view};
  double begin = qn_seconds();
  enum qn_status status = QN_OK;
  *result = (struct qn_run_result){0};
  if (!view.has_out) { /* once for all searches */
    status = qn_blocked_csr_out_edges(&view, &derived, error);
    view.out = derived.out;
    view.has_out = true;
  }
  if (!status)
    status = choose_blocks(&view, &work.edges, error);
  if (!status)
    status = brandes_run(request, view.num_vertices, &work, begin, result, error);
  qn_block_sums_destroy(&work.edges.forwards);
  qn_block_sums_destroy(&work.edges.backwards);
  qn_graph_unmap(&derived);
  return status;
}

const struct qn_kernel qn_kernel_bc_blocked_csr_cpu =
    QN_BC_KERNEL("TOCAB Brandes", QN_LAYOUT_BLOCKED_CSR, QN_CPU, 0, run);
