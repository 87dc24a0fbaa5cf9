/* Betweenness centrality on blocked CSR (GraphCage, section 3.3): forwards the engine's push along
 * the plain out-edges and TOCAB pull, see brandes.cuh; backwards sums along the plain out-edges, in
 * equal pieces, or, of a level at which many edges begin, through the blocks, so that what is
 * offered stays in the cache. Blocks have in-edges, which are out-edges in undirected graphs. */
#define BC_CHOOSES
#include "kernels/cuda/own/bc_program.h"

#include "kernels/cuda/blocked_csr/engine.cuh"

#include "kernels/cuda/edges/row_sums.cuh"
#include "kernels/cuda/own/brandes.cuh"
#include "kernels/own_kernel.h"

/* One edge in so many, or more, must begin at a level for it to be pulled through the blocks. */
#ifndef BC_PULL_EDGES
#define BC_PULL_EDGES 8
#endif

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

/* Through the blocks: rows of other levels are left out. All that is offered lies in bc_offers_to,
 * as along the plain out-edges. */
__global__ void __launch_bounds__(SWEEP_THREADS)
    pull_level_block(const struct sweep_state state, const struct bc_state bc,
                     const struct device_block block, uint32_t level) {
  const struct engine_device &device = state.layout;
  const double *offers = bc_offers_to(bc, level);
  each_row(block, [&](bool valid, uint32_t row) {
    uint64_t begin = 0, end = 0;
    if (valid && bc.levels[block.id_map[row]] == level) {
      begin = block.first_edge + block.offsets[row];
      end = block.first_edge + block.offsets[row + 1];
    }
    warp_combine_rows(
        valid, row, begin, end,
        [&](uint32_t, uint64_t edge, program_accumulator *total) {
          const double offer = offers[device.blocking.columns[edge]];
          *total += offer;
          return offer > 0;
        },
        [&](uint32_t local, program_accumulator total, bool any) {
          device.partials[block.first_row + local] = tile_store(total);
          device.collected[block.first_row + local] = any;
        });
  });
}

/* What the blocks' rows came to; as after any iteration nothing is left of it. */
__global__ void take_reduced(const struct sweep_state state,
                             const struct qn_program_context context, const struct bc_state bc,
                             uint32_t level) {
  sweep_words(context.num_vertices, [&](uint32_t v, bool valid) {
    if (valid && bc.levels[v] == level)
      bc_take(state, bc, level, v, state.sums[v]);
    if (valid)
      state.sums[v] = program_identity();
    if (sweep_writes_word(valid))
      state.received[v / 32] = 0;
  });
}

enum qn_status pull_level(struct sweep_run *run, const struct bc_state *bc, uint32_t level,
                          struct qn_error *error) {
  for (uint64_t index = 0; index < run->state.layout.blocking.num_blocks; index++) {
    const struct device_block block = block_of(run, index);
    if (block.num_rows > 0)
      QN_LAUNCH(pull_level_block, row_blocks(run, block.num_rows), SWEEP_THREADS, 0, NULL,
                run->state, *bc, block, level);
  }
  launch_reduction(run);
  SWEEP_LAUNCH(run, take_reduced, *bc, level);
  return qn_cuda_launched("spreading shares", error);
}

/* Is a level, which is queued, for the blocks? */
bool is_for_blocks(const struct sweep_run *run, qn_queue_size queued) {
  const struct qn_blocked_csr *view = (const struct qn_blocked_csr *)run->request->view;
  const uint64_t edges = (uint64_t)qn_queue_units(queued) * QN_UNIT_EDGES;
  return run->state.layout.pulls && view->directedness == QN_UNDIRECTED &&
         (run->request->direction == QN_DIRECTION_PULL || edges > view->num_edges / BC_PULL_EDGES);
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
  if (is_for_blocks(run, queued))
    return pull_level(run, bc, level, error);
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
