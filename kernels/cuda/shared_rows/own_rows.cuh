/* The in-edges of a device's own rows, resident, for programs whose vertices are all active: tiles
 * of them (edge_tiles.cuh) are summed up as one device sums up all. Per edge 4 bytes, 8 or 12 with
 * weights, and a gather of what its source sends. */
#pragma once

#include "kernels/cuda/edges/edge_tiles.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

namespace {

struct own_row_sums {
  program_accumulator *sums;

  __device__ void operator()(uint32_t row, program_accumulator total) const { sums[row] = total; }
};

__global__ void count_from(uint64_t *offsets, uint64_t count, uint64_t first) {
  qn_grid_steps(count, [&](uint64_t i) { offsets[i] -= first; });
}

__global__ void __launch_bounds__(QN_TILE_THREADS)
    sum_own_tiles(const struct sweep_state state, const struct qn_program_context context,
                  const struct edge_tiles tiles) {
  tile_run(
      tiles, blockIdx.x,
      [&](uint32_t source, program_weight weight) {
        return program_gather(&context, state.messages[source], weight);
      },
      own_row_sums{state.sums + state.held.begin});
}

__global__ void __launch_bounds__(QN_TILE_THREADS)
    sum_own_spans(const struct sweep_state state, const struct edge_tiles tiles) {
  finish_spans(tiles, own_row_sums{state.sums + state.held.begin});
}

/* Rows of `csr` with the edges [*first, *end). */
inline void own_edges(const struct qn_csr *csr, struct unit_vertices own, uint64_t *first,
                      uint64_t *end) {
  *first = csr->row_offsets[own.begin];
  *end = csr->row_offsets[own.end];
}

/* Device memory that own_rows_upload takes at most, and what sorts out rows without edges. */
inline uint64_t own_rows_bytes(const struct qn_csr *csr, struct unit_vertices own) {
  const uint64_t weight = PROGRAM_USES_WEIGHTS ? qn_weight_bytes(csr->weights.type) : 0;
  const uint64_t rows = own.end - own.begin + 1;
  uint64_t first, end;
  own_edges(csr, own, &first, &end);
  if (first == end)
    return 0;
  return 2 * qn_cuda_rounded(rows * sizeof(uint64_t)) +
         2 * qn_cuda_rounded(rows * sizeof(uint32_t)) + 2 * qn_cuda_rounded(rows) +
         qn_cuda_rounded((end - first) * sizeof(uint32_t)) +
         qn_cuda_rounded((end - first) * weight) + edge_tiles_bytes(end - first) + (64 << 10);
}

inline enum qn_status own_rows_upload(struct qn_cuda_memory *memory, const struct qn_csr *csr,
                                      struct unit_vertices own, struct edge_tiles *tiles,
                                      struct qn_error *error) {
  const uint64_t rows = own.end - own.begin;
  struct qn_csr here = {};
  uint64_t first, end;
  own_edges(csr, own, &first, &end);
  if (first == end)
    return QN_OK;
  here.num_vertices = rows;
  here.num_edges = end - first;
  struct qn_weights weights = csr->weights;
  if (weights.type != QN_WEIGHT_NONE)
    weights.data = qn_cuda_weights_at(&weights, first);
  enum qn_status status =
      qn_cuda_copy_of(memory, &here.row_offsets, csr->row_offsets + own.begin, rows + 1, 0,
                      sizeof *csr->row_offsets, "row offsets", error);
  if (!status)
    status =
        qn_cuda_copy_of(memory, &here.column_indices, csr->column_indices + first, here.num_edges,
                        0, sizeof *csr->column_indices, "column indices", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status = qn_cuda_weights_upload(memory, &weights, here.num_edges, &here.weights, error);
  if (status)
    return status;
  uint64_t *const offsets = const_cast<uint64_t *>(here.row_offsets);
  QN_LAUNCH(count_from, qn_grid(rows + 1, 256, memory->device.multiprocessors, 8), 256, 0, NULL,
            offsets, rows + 1, first);
  status = edge_tiles_of_csr(memory, &here, tiles, error);
  qn_cuda_release(memory, offsets);
  return status;
}

inline enum qn_status own_rows_walk(struct sweep_run *run, const struct edge_tiles *tiles,
                                    struct qn_error *error) {
  QN_LAUNCH(sum_own_tiles, tiles->num_tiles, QN_TILE_THREADS, 0, NULL, run->state, run->context,
            *tiles);
  QN_LAUNCH(sum_own_spans, qn_span_blocks(tiles), QN_TILE_THREADS, 0, NULL, run->state, *tiles);
  return qn_cuda_launched("summing up the device's rows", error);
}

} /* namespace */
