/* Betweenness centrality on blocked CSR (GraphCage, section 3.3): forwards the engine's push along
 * the plain out-edges and TOCAB pull, see brandes.cuh; backwards sums along the plain out-edges, in
 * equal pieces. */
#define BC_CHOOSES
#include "kernels/cuda/standalone/bc_program.h"

#include "kernels/cuda/blocked_csr/engine.cuh"

#include "kernels/cuda/edges/row_sums.cuh"
#include "kernels/cuda/standalone/brandes.cuh"
#include "kernels/standalone_kernel.h"

namespace {

/* The vertices of a level, with at least one unit each, as all must learn what they are offered. */
__global__ void queue_level(const struct sweep_state state, const struct qn_program_context context,
                            const struct bc_state bc, uint32_t level) {
  const uint64_t *offsets = state.layout.out.row_offsets;
  qn_block_steps(context.num_vertices, [&](uint64_t v, bool there) {
    const bool is_here = there && bc.levels[v] == level;
    if (!__syncthreads_or(is_here))
      return;
    const uint32_t units = is_here ? qn_units_of(offsets[v + 1] - offsets[v]) : 0;
    qn_queue_put(state.layout.queue, state.layout.queued, is_here && units == 0 ? 1 : units,
                 (uint32_t)v);
  });
}

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    sum_level(const struct sweep_state state, const struct bc_state bc, struct qn_unit_sums sums,
              uint32_t level) {
  const double *offers = bc_offers_to(bc, level);
  qn_unit_sum_tiles(
      sums, state.layout.out, [](uint32_t) { return true; }, [&](uint32_t w) { return offers[w]; },
      [&](uint32_t v, double sum) { bc_take(state, bc, level, v, sum); });
}

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    sum_rest(const struct sweep_state state, const struct bc_state bc, struct qn_unit_sums sums,
             uint32_t level) {
  qn_unit_sum_rest(sums, [&](uint32_t v, double sum) { bc_take(state, bc, level, v, sum); });
}

enum qn_status walk_level_rows(struct sweep_run *run, const struct bc_state *bc, double *partials,
                               uint32_t level, struct qn_error *error) {
  const struct engine_device *layout = &run->state.layout;
  qn_queue_size queued;
  enum qn_status status = sweep_clear(layout->queued, 0, error);
  if (status)
    return status;
  QN_LAUNCH(queue_level, qn_run_blocks(&run->memory, run->context.num_vertices), QN_QUEUE_THREADS,
            0, NULL, run->state, run->context, *bc, level);
  status = sweep_read(run, &queued, layout->queued, 1, sizeof queued, error);
  if (status)
    return status;
  const struct qn_unit_sums sums = {layout->queue, qn_queue_entries(queued), qn_queue_units(queued),
                                    partials};
  QN_LAUNCH(sum_level, qn_run_blocks(&run->memory, sums.num_units), QN_QUEUE_THREADS, 0, NULL,
            run->state, *bc, sums, level);
  QN_LAUNCH(sum_rest, qn_run_blocks(&run->memory, sums.num_rows), QN_QUEUE_THREADS, 0, NULL,
            run->state, *bc, sums, level);
  return qn_cuda_launched("spreading shares", error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)request->view;
  const uint64_t most_units = view->num_edges / QN_UNIT_EDGES + view->num_vertices;
  double *partials = NULL;
  auto upload = [&](struct sweep_run *sweep, struct qn_error *failure) {
    enum qn_status status = upload_layout(view, sweep, failure);
    return status ? status
                  : qn_cuda_alloc(&sweep->memory, &partials, most_units, sizeof *partials, "sums",
                                  failure);
  };
  auto walk_level = [&](struct sweep_run *sweep, const struct bc_state *bc, uint32_t level,
                        struct qn_error *failure) {
    return walk_level_rows(sweep, bc, partials, level, failure);
  };
  return bc_run(request, view->num_vertices, view->num_edges, NULL, upload, walk_level, result,
                error);
}

} /* namespace */

extern "C" const struct qn_kernel qn_kernel_bc_blocked_csr_cuda;
const struct qn_kernel qn_kernel_bc_blocked_csr_cuda =
    QN_BC_KERNEL("TOCAB Brandes", QN_LAYOUT_BLOCKED_CSR, QN_CUDA, QN_KERNEL_DIRECTION, run);
