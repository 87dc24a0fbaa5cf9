/* A maximal independent set on CSR, on a device: the one of kernels/cpu/csr/kernel_mis.c. Everyone
 * is in the set until a neighbour before it, which is, says otherwise (by_priority.cuh). */
#include "kernels/cuda/csr/by_priority.cuh"

extern "C" const struct qn_kernel qn_kernel_mis_csr_cuda;

namespace {

__global__ void let_in(uint32_t *is_in, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { is_in[v] = 1; });
}

struct keep_out {
  uint32_t *is_in;
  __device__ bool has_something(uint32_t v) const { return is_in[v]; }
  __device__ void to(uint32_t other) const { is_in[other] = 0; }
};

enum qn_status run_one(const struct qn_run_request *request, struct qn_run_result *result,
                       struct qn_error *error) {
  const uint64_t num_vertices = ((const struct qn_graph *)request->view)->out.num_vertices;
  uint32_t *is_in = NULL;
  auto prepare = [&](struct qn_cuda_memory *memory, struct qn_error *failure) {
    enum qn_status status =
        qn_cuda_alloc(memory, &is_in, num_vertices, sizeof *is_in, "members", failure);
    if (status)
      return status;
    QN_LAUNCH(let_in, qn_run_blocks(memory, num_vertices), QN_QUEUE_THREADS, 0, NULL, is_in,
              num_vertices);
    return qn_cuda_launched("letting all in", failure);
  };
  auto visit = [](const struct priorities &, struct row_steps &, struct qn_error *) {
    return QN_OK;
  };
  return by_priority_run(
      request, "mis", false, 4 * num_vertices, &is_in, prepare, visit,
      [&] { return keep_out{is_in}; }, result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_by_rows(request, false, run_one, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_mis_csr_cuda =
    QN_MIS_KERNEL("csr, greedy by degree", QN_LAYOUT_GRAPH, QN_CUDA, run);
