/* Weakly connected components of directed graphs over any engine: cc_program.cuh, once. */
#ifndef QN_KERNELS_CUDA_OWN_CC_DIRECTED_CUH
#define QN_KERNELS_CUDA_OWN_CC_DIRECTED_CUH

#include "kernels/cuda/own/visit.cuh"
#include "kernels/own_kernel.h"

namespace {

__global__ void begin_trees(uint32_t *parent, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) { parent[v] = (uint32_t)v; });
}

template <class Engine>
enum qn_status cc_directed_run(Engine engine, const struct qn_run_request *request,
                               uint64_t num_vertices, struct qn_run_result *result,
                               struct qn_error *error) {
  auto prepare = [&](struct qn_cuda_memory *memory, void **shared, struct qn_error *failure) {
    uint32_t *parent;
    enum qn_status status =
        qn_cuda_alloc(memory, &parent, num_vertices, sizeof *parent, "trees", failure);
    if (status)
      return status;
    QN_LAUNCH(begin_trees, qn_run_blocks(memory, num_vertices), QN_QUEUE_THREADS, 0, NULL, parent,
              num_vertices);
    *shared = parent;
    return qn_cuda_launched("beginning trees", failure);
  };
  return visit_run(engine, request, prepare, result, error);
}

} /* namespace */

/* The kernel of a layout. `view_type` has num_vertices. */
#define QN_DEFINE_CC_DIRECTED(symbol, name, layout, view_type)                                     \
  namespace {                                                                                      \
  enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,           \
                     struct qn_error *error) {                                                     \
    return cc_directed_run(engine_run, request,                                                    \
                           ((const struct view_type *)request->view)->num_vertices, result,        \
                           error);                                                                 \
  }                                                                                                \
  }                                                                                                \
  extern "C" const struct qn_kernel symbol;                                                        \
  const struct qn_kernel symbol = QN_CC_DIRECTED_KERNEL(name, layout, QN_CUDA, run)

#endif
