/* Parts of a set on the CPU (view: struct qn_set_view), by one process or by several ranks.
 *
 * A rank holds the values of the vertices whose rows it walks. Edges are walked part by part, in
 * the order of their rows, so that a graph larger than memory is read from its files from front to
 * end. Each vertex pulls, so nothing is written twice and sums have one order; small frontiers
 * push. */
#pragma once

#include "kernels/cpu/set/view.h"

#include "kernels/cpu/set/walk.h"
#include "kernels/registry.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/set/all.h"
#else
#include "kernels/cpu/set/frontier.h"
#endif

#include "kernels/cpu/loop/run.h"

/* A rank has the results of its own vertices; afterwards all have all. */
static enum qn_status set_run(const struct qn_run_request *request, struct qn_run_result *result,
                              struct qn_error *error) {
  const engine_view *view = request->view;
  enum qn_status status = engine_run(request, result, error);
  return status ? status
                : share_array(view, view->first_vertices, result->values, sizeof(program_result),
                              error);
}

/* Of 2^32 vertices and more: lists of those that wait have 32 bits a vertex, as do values that are
 * vertices; what users say of each vertex is read by such numbers; and sums of weights are bounded
 * for fewer edges. */
#define SET_IS_WIDE                                                                                \
  (!PROGRAM_ROUNDS && !PROGRAM_PRIORITY && !PROGRAM_HAS_INITIAL &&                                 \
   !(PROGRAM_VALUES & QN_VALUES_VERTICES))

QN_DEFINE_KERNEL_AS(QN_KERNEL, QN_LAYOUT_SET, QN_CPU, "rows of parts",
                    SET_IS_WIDE ? QN_KERNEL_WIDE : 0, set_run);
