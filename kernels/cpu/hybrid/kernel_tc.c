/* Triangles on the hybrid layout, as HPGraph counts them (section 4.4): form neighbour lists
 * of all vertices, orient them without cycles, and intersect.
 *
 * A kernel of its own for the reason that csr/kernel_tc.c tells; the lists are the rows put
 * together again, and from there on it is that kernel's algorithm. Directions do not
 * matter to a triangle, so rows of in-edges do as well as rows of out-edges. */
#include "kernels/own_kernel.h"
#include "support/threads.h"
#include <quern/hybrid.h>

extern const struct qn_kernel qn_kernel_tc_hybrid_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_hybrid *hybrid = request->view;
  struct qn_run_request lists_request = *request;
  struct qn_graph lists;
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status =
      qn_hybrid_unite(hybrid->has_out ? &hybrid->out : &hybrid->in, &lists, error);
  if (status)
    return status;
  double formed = qn_seconds();
  lists.directedness = hybrid->directedness;
  if (lists.directedness == QN_UNDIRECTED) {
    lists.has_transpose = true;
    lists.in = lists.out;
  }
  const struct qn_kernel *count =
      qn_kernel_find("tc", QN_LAYOUT_GRAPH, QN_CPU, lists.out.weights.type);
  lists_request.view = &lists;
  status = count->run(&lists_request, result, error);
  result->prepare_seconds += formed - begin;
  qn_graph_unmap(&lists);
  return status;
}

const struct qn_kernel qn_kernel_tc_hybrid_cpu =
    QN_TC_KERNEL("ELL + COO lists intersected", QN_LAYOUT_HYBRID, QN_CPU, run);
