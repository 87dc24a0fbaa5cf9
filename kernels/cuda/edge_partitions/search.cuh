/* Searches on resident edge partitions. As the edges of a partition are sorted by source, where the
 * rows begin stands in for the sources: 8 bytes a vertex for 4 an edge. Active vertices push along
 * their rows (sweep/push.cuh); in an undirected graph, where they have many edges, the vertices
 * that are still open look for one of them along theirs (sweep/bottom_up.cuh). No partition is
 * walked whole, so that nobody asks for flags of partitions. */
#pragma once

#include "kernels/cuda/edge_partitions/device.cuh"
#include "kernels/cuda/sweep/bottom_up.cuh"
#include "kernels/cuda/sweep/push.cuh"

namespace {

struct search_partition_edge {
  QN_DEVICE_INLINE void visit(const struct sweep_state &state,
                              const struct qn_program_context &context, uint32_t sender,
                              uint64_t edge) {
    const struct engine_device &device = state.layout;
    sweep_collect(state, context, state.messages[sender], streamed_weight(device.out.weights, edge),
                  locate(device, __ldcs(&device.out.column_indices[edge])).dense);
  }
};

struct search_partition_rows {
  struct row {
    uint64_t first_edge, num_edges;
  };
  struct engine_device device;

  __device__ struct row row_of(uint32_t vertex) const {
    const uint64_t begin = device.out.row_offsets[vertex];
    return {begin, device.out.row_offsets[vertex + 1] - begin};
  }
  __device__ uint32_t sender(const struct row &row, uint64_t edge) const {
    return locate(device, device.out.column_indices[row.first_edge + edge]).dense;
  }
  __device__ program_weight weight(const struct row &row, uint64_t edge) const {
    return engine_weight(&device.out.weights, row.first_edge + edge);
  }
};

/* ---- The host's side ---------------------------------------------------------------------- */

inline enum qn_status search_collect(struct sweep_run *run, struct qn_error *error) {
  const struct qn_edge_partitions *view = (const struct qn_edge_partitions *)run->request->view;
  const struct search_partition_rows rows = {run->state.layout};
  bool push = true;
  enum qn_status status = view->directedness == QN_UNDIRECTED ? sweep_choose(run, &push, error)
                                                              : sweep_queue_active(run, error);
  if (status || push)
    return status ? status : sweep_push_queued<search_partition_edge>(run, error);
  SWEEP_LAUNCH(run, (search_rows<struct search_partition_rows>), rows);
  return qn_cuda_launched("searching partitions", error);
}

/* Bytes of what search_upload brings. */
inline uint64_t search_bytes(const struct qn_edge_partitions *view) {
  const uint64_t num_vertices = view->num_vertices;
  const bool weighted = PROGRAM_USES_WEIGHTS && view->weights.type != QN_WEIGHT_NONE;
  return (weighted ? 2 : 1) * qn_cuda_rounded(sizeof(uint32_t) * view->num_edges) +
         qn_cuda_rounded((num_vertices + 1) * sizeof(uint64_t)) +
         2 * qn_cuda_rounded(num_vertices * sizeof(uint32_t)) +
         qn_cuda_rounded(sizeof(qn_queue_size));
}

inline enum qn_status search_upload(const struct qn_edge_partitions *view, struct sweep_run *run,
                                    struct qn_error *error) {
  struct qn_csr *out = &run->state.layout.out;
  struct qn_cuda_memory *memory = &run->memory;
  out->num_vertices = view->num_vertices;
  out->num_edges = view->num_edges;
  enum qn_status status = upload_row_offsets(memory, view, &out->row_offsets, error);
  if (!status)
    status = qn_cuda_copy_of(memory, &out->column_indices, view->destinations, view->num_edges, 0,
                             sizeof *view->destinations, "destinations", error);
  if (!status && PROGRAM_USES_WEIGHTS)
    status = qn_cuda_weights_upload(memory, &view->weights, view->num_edges, &out->weights, error);
  return status ? status : sweep_push_create(run, error);
}

} /* namespace */
