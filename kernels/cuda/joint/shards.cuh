/* CPU and GPU side by side on shards (view: struct qn_shards), after Garaph, section 5. Includes
 * shards/engine.cuh, whose program it runs, and needs QN_KERNEL_JOINT and QN_JOINT_CPU, the symbols
 * of the kernel and of the CPU's side (kernels/cpu/joint/cpu.h).
 *
 * Before every iteration the dispatcher compares what the CPU alone, the device alone, and both are
 * expected to take (kernels/joint.h). Alone, either does what it does in a run of its own. Side by
 * side, the device takes stretches of rows from the back, gathered where they are resident or
 * streamed, while a thread that drives the CPU's threads takes them from the front; where they meet
 * is the border of what each has computed. Values are moved only to who needs them: an iteration of
 * one side alone moves nothing unless the other one did the iteration before.
 *
 * In a shared iteration values go both ways while the device gathers (share.cuh); what is left to
 * do at its end is the last batch of either side, and the bits of active vertices. Asynchronously
 * what is received is sent on in the same iteration. */
#pragma once

#include "kernels/cuda/joint/probe.cuh"

/* So many stretches that the last ones, which one thread of the CPU each works on, take next to
 * nothing of an iteration, unless they would have fewer edges and rows than these. */
#define JOINT_STRETCHES 4096
#ifndef JOINT_LEAST_COST
#define JOINT_LEAST_COST 16384
#endif

namespace {

inline void cut_stretches(struct joint_run *joint) {
  const struct qn_sh_units *units = joint->units;
  struct stretch_cut at = {0, 0, 0};
  for (uint64_t stretch = 0; stretch <= joint->num_stretches; stretch++) {
    const uint32_t bound = joint->bounds[stretch];
    const bool ends = stretch == joint->num_stretches;
    while (at.unit < units->num_units && (ends || units->units[at.unit].first_row < bound)) {
      at.segment += units->units[at.unit].segment != QN_SH_NO_SEGMENT;
      at.unit++;
    }
    while (at.hub < units->num_hubs && (ends || units->hubs[at.hub].row < bound))
      at.hub++;
    joint->cuts[stretch] = at;
  }
}

/* Pinned, the CPU's values are exchanged at the full rate; but it works without. */
inline void pin_values(struct joint_run *joint) {
  const uint64_t bytes = joint->run->context.num_vertices * sizeof(program_value);
  if (bytes > 0 &&
      cudaHostRegister(joint->side->values, bytes, cudaHostRegisterDefault) == cudaSuccess)
    joint->pinned = joint->side->values;
  else
    cudaGetLastError();
}

inline enum qn_status joint_create(struct joint_run *joint, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  enum qn_status status = qn_alloc(&joint->cuts, joint->num_stretches + 1, sizeof *joint->cuts,
                                   "stretches of rows", error);
  if (!status)
    status = qn_alloc(&joint->wanted, run->source ? run->source->num_units : 0, 1, "flags of units",
                      error);
  if (!status)
    status = qn_alloc(&joint->share.done, joint->num_stretches, 1, "stretches of rows", error);
  if (!status)
    status = QN_JOINT_CPU.create(run->request, &run->context, joint->bounds, joint->num_stretches,
                                 &joint->side, error);
  if (!status)
    status = qn_joint_worker_create(&joint->worker, error);
  if (status)
    return status;
  cut_stretches(joint);
  pin_values(joint);
  joint->share.kernel = &QN_JOINT_CPU;
  joint->share.side = joint->side;
  joint->share.queue = &joint->queue;
  joint->share.bounds = joint->bounds;
  joint->share.num_stretches = joint->num_stretches;
  joint->gathers = true;
  set_cpu_threads(joint);
  joint->on_host = joint->on_device = true;
  cudaError_t result = cudaStreamCreateWithFlags(&joint->up, cudaStreamNonBlocking);
  if (result == cudaSuccess)
    result = cudaStreamCreateWithFlags(&joint->down, cudaStreamNonBlocking);
  if (result == cudaSuccess)
    result = cudaEventCreateWithFlags(&joint->begun, cudaEventDisableTiming);
  return qn_cuda_status(result, "creating a CUDA stream", error);
}

inline void joint_destroy(struct joint_run *joint) {
  qn_joint_worker_destroy(&joint->worker);
  if (joint->up)
    cudaStreamDestroy(joint->up);
  if (joint->down)
    cudaStreamDestroy(joint->down);
  if (joint->begun)
    cudaEventDestroy(joint->begun);
  if (joint->pinned)
    cudaHostUnregister(joint->pinned);
  QN_JOINT_CPU.destroy(joint->side);
  qn_free(joint->share.done);
  qn_free(joint->wanted);
  qn_free(joint->cuts);
}

/* After the sweep's preparation. The first values are the sweep's on the device. */
inline enum qn_status joint_prepare(struct joint_run *joint, struct qn_error *error) {
  struct sweep_run *run = joint->run;
  qn_load_kernels(); /* before they are measured */
  enum qn_status status = joint_create(joint, error);
  if (!status)
    status = sweep_first_values(run, run, error);
  if (!status)
    status = probe(joint, error);
  return status ? status : sweep_first_values(run, run, error);
}

inline enum qn_status joint_run_program(const struct qn_run_request *request,
                                        struct qn_run_result *result, struct qn_error *error) {
  const struct qn_shards *view = (const struct qn_shards *)request->view;
  struct qn_sh_units units;
  struct streamed_shards streamed;
  struct joint_run joint;
  uint32_t *bounds = NULL;
  memset(result, 0, sizeof *result);
  memset(&units, 0, sizeof units);
  memset(&joint, 0, sizeof joint);
  memset(&streamed, 0, sizeof streamed);
  streamed.units = joint.units = &units;
  streamed.joint = true;
  auto upload = [&streamed](struct sweep_run *run, struct qn_error *failure) {
    run->engine = &streamed;
    return upload_layout(&streamed, run, failure);
  };
  auto prepare = [&joint](struct sweep_run *run, struct qn_error *failure) {
    joint.run = run;
    return joint_prepare(&joint, failure);
  };
  auto algorithm = [&joint](struct sweep_run *run, struct qn_error *failure) {
    enum qn_status ended = iterate(&joint, run, failure);
    return ended ? ended : bring_to_device(&joint, failure);
  };
  enum qn_status status =
      engine_check_weights(&view->in.weights, view->num_edges, view->num_vertices, error);
  if (!status)
    status = qn_sh_stretches_create(view, JOINT_STRETCHES, JOINT_LEAST_COST, &bounds,
                                    &joint.num_stretches, error);
  joint.bounds = bounds;
  if (!status)
    status = qn_sh_units_create(&units, view, TASK_EDGES, QN_TILE_ITEMS, bounds,
                                joint.num_stretches, error);
  if (!status) {
    const struct qn_unit_source source = shards_source(&units, true);
    status = sweep_run_with(request, view->num_vertices, view->num_edges, NULL, &source, upload,
                            prepare, algorithm, result, error);
  }
  joint_destroy(&joint);
  streamed_shards_destroy(&streamed);
  qn_sh_units_destroy(&units);
  qn_free(bounds);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL_AS(QN_KERNEL_JOINT, QN_LAYOUT_SHARDS, QN_JOINT, "shards, CPU and GPU",
                    QN_KERNEL_DELTA, joint_run_program);
