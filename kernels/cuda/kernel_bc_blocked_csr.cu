/* Betweenness centrality on blocked CSR (GraphCage, section 3.3): forwards the engine's push along
 * the plain out-edges and TOCAB pull, backwards the plain out-edges, see brandes.cuh. */
#include "kernels/cuda/bc_program.h"

#include "kernels/cuda/blocked_csr_engine.cuh"

#include "kernels/cuda/brandes.cuh"

namespace {

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_level_rows(const struct sweep_state state, const struct qn_program_context context,
                    const struct bc_state bc, uint32_t level) {
  const struct qn_csr &out = state.layout.out;
  const double *offers = bc_offers_to(bc, level);
  sweep_words(context.num_vertices, [&](uint32_t v, bool valid) {
    const bool is_here = valid && bc.levels[v] == level;
    const uint64_t begin = is_here ? out.row_offsets[v] : 0;
    const uint64_t end = is_here ? out.row_offsets[v + 1] : 0;
    warp_combine_rows(
        is_here, v, begin, end,
        [&](uint64_t edge, double *sum) {
          *sum += offers[out.column_indices[edge]];
          return true;
        },
        [&](uint32_t row, double sum, bool) { bc_take(state, bc, level, row, sum); });
  });
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  auto upload = [view](struct sweep_run *sweep, struct qn_error *failure) {
    return upload_layout(view, sweep, failure);
  };
  auto walk_level = [](struct sweep_run *sweep, const struct bc_state *bc, uint32_t level,
                       struct qn_error *failure) {
    SWEEP_LAUNCH(sweep, walk_level_rows, *bc, level);
    return qn_cuda_launched("spreading shares", failure);
  };
  return bc_run(request, view->num_vertices, view->num_edges, upload, walk_level, result, error);
}

} /* namespace */

extern "C" const struct qn_kernel qn_kernel_bc_blocked_csr_cuda;
const struct qn_kernel qn_kernel_bc_blocked_csr_cuda = {
    "bc",
    "betweenness centrality from given sources",
    "TOCAB Brandes",
    QN_LAYOUT_BLOCKED_CSR,
    QN_CUDA,
    QN_ALL_WEIGHT_TYPES,
    QN_KERNEL_SOURCES | QN_KERNEL_RANKS,
    QN_RESULT_F64,
    UINT32_MAX,
    0,
    run,
    NULL,
    0,
};
