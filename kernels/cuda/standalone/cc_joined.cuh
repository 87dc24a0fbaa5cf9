/* Weakly connected components over any engine: cc_program.cuh, once. */
#pragma once

#include "kernels/cuda/standalone/cc_program.cuh"

#include "kernels/cuda/standalone/cc_trees.cuh"
#include "kernels/cuda/standalone/visit.cuh"
#include "kernels/standalone_kernel.h"

namespace {

/* Every vertex alone, on the device; the program's `shared`. */
inline enum qn_status prepare_trees(struct qn_cuda_memory *memory, uint64_t num_vertices,
                                    bool both_ways, void **shared, struct qn_error *error) {
  struct cc_trees trees = {NULL, both_ways};
  enum qn_status status = qn_cuda_alloc(memory, &trees.parent, num_vertices, sizeof *trees.parent,
                                        "parents in trees", error);
  if (!status)
    status = qn_cuda_alloc(memory, shared, 1, sizeof trees, "trees", error);
  if (!status)
    status = qn_cuda_upload(memory, *shared, &trees, 1, sizeof trees, "trees", error);
  if (status)
    return status;
  QN_LAUNCH(begin_alone, qn_run_blocks(memory, num_vertices), QN_QUEUE_THREADS, 0, NULL,
            trees.parent, num_vertices);
  return qn_cuda_launched("beginning trees", error);
}

template <class View, class Engine>
enum qn_status cc_joined_run(Engine engine, const struct qn_run_request *request,
                             struct qn_run_result *result, struct qn_error *error) {
  const View *view = (const View *)request->view;
  auto prepare = [&](struct qn_cuda_memory *memory, void **shared, struct qn_error *failure) {
    return prepare_trees(memory, view->num_vertices, view->directedness == QN_UNDIRECTED, shared,
                         failure);
  };
  return visit_run(engine, request, prepare, result, error);
}

} /* namespace */

/* The kernel of a layout. `view_type` has num_vertices and directedness; run_resident(request,
 * result, &too_large, error) is tried first, as cc_run_resident (cc_sampled.cuh) makes it. */
#define QN_DEFINE_CC_JOINED(symbol, name, layout, view_type)                                       \
  namespace {                                                                                      \
  enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,           \
                     struct qn_error *error) {                                                     \
    bool too_large = false;                                                                        \
    const enum qn_status status = run_resident(request, result, &too_large, error);                \
    return too_large ? cc_joined_run<struct view_type>(engine_run, request, result, error)         \
                     : status;                                                                     \
  }                                                                                                \
  }                                                                                                \
  extern "C" const struct qn_kernel symbol;                                                        \
  const struct qn_kernel symbol = QN_CC_JOINED_KERNEL(name, layout, QN_CUDA, run)
