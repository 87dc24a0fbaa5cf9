/* The iterations of all-active programs whose engine finishes a vertex's row, applies, and computes
 * its next message in one go, so that values are read and written once an iteration. The global
 * sums are added up in a fixed order, and whether it was the last iteration is decided, on
 * the device, so that the host can stay one iteration ahead. An engine defines
 *
 *   struct pull_layout                                            what its kernels walk, and
 *   uint64_t pull_layout_out_degree(const struct pull_layout &, vertex)
 *
 * includes this header, and then defines
 *
 *   inline void pull_launch(const struct pull_state *state, int turn)
 *
 * whose kernels return at once if state.control->finished; otherwise they call a pull_apply for
 * every vertex, and each of num_parts blocks leaves its sums by pull_leave_sums.
 *
 * Beside what the walk costs, an iteration moves per vertex the value (twice), the next message
 * and, where the program looks at it, the out-degree. */
#pragma once

#include "kernels/cuda/device/memory.cuh"
#include "kernels/cuda/device/ranges.cuh"
#include "kernels/cuda/edges/initial_values.cuh"
#include "kernels/cuda/edges/keep.cuh"
#include "kernels/engine.h"
#include "support/memory.h"
#include "support/threads.h"

namespace {

/* On the device, one of each a run. */
struct pull_control {
  struct qn_program_context context;
  double change;
  uint32_t iterations; /* done */
  uint32_t finished;   /* no more iterations, whatever the host still launches */
  uint32_t converged;
};

struct pull_state {
  struct pull_layout layout;
  program_value *values;        /* [V] */
  program_message *messages[2]; /* [V] this iteration's and the next one's, in turn */
  double *changes;              /* [num_parts] of an iteration's blocks */
  double *aggregates;           /* the same */
  uint32_t num_parts;
  uint32_t max_iterations;
  struct pull_control *control;
};

QN_DEVICE_INLINE uint64_t pull_out_degree(const struct pull_state &state, uint32_t vertex) {
#if PROGRAM_USES_OUT_DEGREE
  return pull_layout_out_degree(state.layout, vertex);
#else
  (void)state, (void)vertex;
  return 0;
#endif
}

/* A vertex's message and its part of the aggregate. */
QN_DEVICE_INLINE void pull_send(const struct pull_state &state,
                                const struct qn_program_context &context, uint32_t vertex,
                                program_value value, program_message *messages, double *aggregate) {
  const uint64_t out_degree = pull_out_degree(state, vertex);
  messages[vertex] = program_send(&context, value, out_degree);
#if PROGRAM_AGGREGATE
  *aggregate += program_aggregate(&context, value, out_degree);
#else
  (void)aggregate;
#endif
}

/* Leave the block's parts of the global sums. */
QN_DEVICE_INLINE void pull_leave_sums(const struct pull_state &state, uint32_t part, double change,
                                      double aggregate) {
  change = PROGRAM_CONVERGES ? qn_block_sum(change) : 0;
  aggregate = PROGRAM_AGGREGATE ? qn_block_sum(aggregate) : 0;
  if (threadIdx.x == 0) {
    state.changes[part] = change;
    state.aggregates[part] = aggregate;
  }
}

/* Every vertex's first value, unless the run goes on from values that are there; what it sends. */
__global__ void pull_init(const struct pull_state state, const uint32_t *positions, bool resumed) {
  const struct qn_program_context context = state.control->context;
  double aggregate = 0;
  for (uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; v < context.num_vertices;
       v += (uint64_t)gridDim.x * blockDim.x) {
    const uint32_t vertex = (uint32_t)v;
#if PROGRAM_HAS_INITIAL /* the host makes it: given.cuh */
    (void)resumed, (void)positions;
#else
    if (!resumed)
      state.values[vertex] = program_init(&context, positions ? positions[vertex] : vertex,
                                          pull_out_degree(state, vertex));
#endif
    pull_send(state, context, vertex, state.values[vertex], state.messages[context.iteration % 2],
              &aggregate);
  }
  pull_leave_sums(state, blockIdx.x, 0, aggregate);
}

/* What a finished row does: apply, and send for the next iteration. */
struct pull_apply {
  const struct pull_state &state;
  const struct qn_program_context &context;
  program_message *next;
  double &change, &aggregate;

  __device__ void operator()(uint32_t row, program_accumulator total) const {
    const program_value old_value = state.values[row];
    const program_value value = program_apply(&context, old_value, total);
    state.values[row] = value;
#if PROGRAM_CONVERGES
    change += program_change(&context, old_value, value);
#endif
    pull_send(state, context, row, value, next, &aggregate);
  }
};

/* One block: the sums over all parts, in a fixed order. */
QN_DEVICE_INLINE double pull_total(const double *parts, uint32_t count) {
  double sum = 0;
  for (uint32_t part = threadIdx.x; part < count; part += blockDim.x)
    sum += parts[part];
  return qn_block_sum(sum);
}

/* One block: end the iteration (the sends, if it is the first call) and begin the next. */
__global__ void pull_finish(const struct pull_state state, uint32_t num_parts, bool first) {
  struct pull_control *control = state.control;
  const bool finished = control->finished;
  __syncthreads(); /* everyone has read it before it is written */
  if (finished)
    return;
  const double change = PROGRAM_CONVERGES ? pull_total(state.changes, num_parts) : 0;
  const double aggregate = PROGRAM_AGGREGATE ? pull_total(state.aggregates, num_parts) : 0;
  if (threadIdx.x > 0)
    return;
  if (!first) {
    control->change = change;
    control->context.iteration = ++control->iterations;
    control->converged |= PROGRAM_CONVERGES && change < control->context.tolerance;
  }
  control->finished = (PROGRAM_CONVERGES && control->converged) ||
                      (!first && engine_has_diverged(change)) ||
                      control->iterations >= state.max_iterations;
  control->context.aggregate = aggregate;
#if PROGRAM_BEGINS
  program_begin(&control->context);
#endif
}

/* ---- The host's side ---------------------------------------------------------- */

inline void pull_launch(const struct pull_state *state, int turn);

/* How the host learns how far the device is, one iteration behind. */
struct pull_monitor {
  struct pull_control *pinned; /* [2] */
  cudaEvent_t reached[2];
};

struct pull_run {
  const struct qn_run_request *request;
  struct qn_run_result *result;
  struct qn_cuda_memory *memory;
  const uint32_t *positions; /* on the device; NULL: vertices are in original order */
  struct pull_state state;
  struct qn_program_context context; /* of the first iteration */
  struct pull_monitor monitor;
};

inline enum qn_status pull_monitor_create(struct pull_monitor *monitor, struct qn_error *error) {
  enum qn_status status = qn_cuda_status(
      cudaHostAlloc((void **)&monitor->pinned, 2 * sizeof *monitor->pinned, cudaHostAllocDefault),
      "allocating pinned memory", error);
  for (int i = 0; i < 2 && !status; i++)
    status = qn_cuda_status(cudaEventCreate(&monitor->reached[i]), "creating a CUDA event", error);
  return status;
}

/* A zeroed run is allowed. */
inline void pull_destroy(struct pull_run *run) {
  const struct pull_monitor *monitor = &run->monitor;
  if (monitor->pinned)
    cudaDeviceSynchronize(); /* it may be written to */
  for (int i = 0; i < 2; i++)
    if (monitor->reached[i])
      cudaEventDestroy(monitor->reached[i]);
  if (monitor->pinned)
    cudaFreeHost(monitor->pinned);
}

/* Enqueue one iteration, and the report that it is over. */
inline enum qn_status pull_enqueue(const struct pull_run *run, uint32_t iteration,
                                   struct qn_error *error) {
  const struct pull_state *state = &run->state;
  const struct pull_monitor *monitor = &run->monitor;
  const struct qn_range range("iteration");
  const int turn = (int)(iteration % 2);
  pull_launch(state, turn);
  QN_LAUNCH(pull_finish, 1, 1024, 0, NULL, *state, state->num_parts, false);
  enum qn_status status = qn_cuda_launched("launching the pull kernels", error);
  if (!status)
    status = qn_cuda_status(cudaMemcpyAsync(&monitor->pinned[turn], state->control,
                                            sizeof *state->control, cudaMemcpyDeviceToHost, NULL),
                            "copying the state of the run", error);
  if (!status)
    status = qn_cuda_status(cudaEventRecord(monitor->reached[turn], NULL), "recording a CUDA event",
                            error);
  return status;
}

/* Wait for an iteration; tell the user; *finished if it was the last. */
inline enum qn_status pull_await(const struct pull_run *run, uint32_t iteration, double *begin,
                                 bool *finished, struct qn_error *error) {
  const struct pull_monitor *monitor = &run->monitor;
  const struct pull_control *control = &monitor->pinned[iteration % 2];
  enum qn_status status = qn_cuda_status(cudaEventSynchronize(monitor->reached[iteration % 2]),
                                         "an iteration on the device", error);
  if (status)
    return status;
  const double now = qn_seconds();
  struct qn_iteration report = {iteration,       "pull",       control->context.num_vertices,
                                control->change, now - *begin, NULL};
  if (run->request->hooks.on_iteration)
    run->request->hooks.on_iteration(run->request->hooks.user, &report);
  *begin = now;
  *finished = control->finished;
  run->result->stats.iterations = control->iterations;
  run->result->stats.change = control->change;
  run->result->stats.converged = control->converged;
  return QN_OK;
}

/* The device is one iteration ahead of the host, but where a checkpoint is due, which needs the
 * values as they are between two. */
inline enum qn_status pull_iterations(const struct pull_run *run, uint32_t first,
                                      struct qn_error *error) {
  const uint32_t most = run->request->limits.max_iterations;
  double begin = qn_seconds();
  bool finished = first >= most;
  enum qn_status status = QN_OK;
  if (!finished)
    status = pull_enqueue(run, first, error);
  for (uint32_t iteration = first; !status && !finished; iteration++) {
    const bool is_last = iteration + 1 >= most;
    const bool pauses = !is_last && qn_state_is_due(run->request, iteration + 1);
    if (!is_last && !pauses)
      status = pull_enqueue(run, iteration + 1, error);
    if (!status)
      status = pull_await(run, iteration, &begin, &finished, error);
    if (status || finished || !pauses)
      continue;
    const struct pull_control *control = &run->monitor.pinned[iteration % 2];
    const struct qn_state_parts parts =
        keep_parts(control->context.num_vertices, sizeof *run->state.values, &control->context);
    status = keep_values_now(run->request, iteration + 1, run->result->stats.change, &parts,
                             run->memory, run->state.values, error);
    if (!status)
      status = pull_enqueue(run, iteration + 1, error);
  }
  return status;
}

/* Blocks of pull_init, each of which leaves its sums too. */
inline unsigned pull_init_blocks(const struct pull_run *run, uint64_t num_vertices) {
  const unsigned blocks = qn_grid(num_vertices, 256, run->memory->device.multiprocessors, 8);
  return blocks < 4096 ? blocks : 4096;
}

/* What the iterations need beside the layout, values and num_parts, which run->state has. Owned
 * until pull_destroy, also after a failure. */
inline enum qn_status pull_create(struct pull_run *run, const struct qn_program_context *context,
                                  struct qn_error *error) {
  struct qn_cuda_memory *memory = run->memory;
  struct pull_state *state = &run->state;
  struct pull_control control;
  memset(&control, 0, sizeof control);
  control.context = run->context = *context;
  control.iterations = context->iteration;
  control.finished = engine_is_finished(run->request, context);
  control.converged = !PROGRAM_CONVERGES; /* then so many iterations are what the result is */
  state->max_iterations = run->request->limits.max_iterations;
  const unsigned init_blocks = pull_init_blocks(run, context->num_vertices);
  const uint64_t room = state->num_parts < init_blocks ? init_blocks : state->num_parts;
  enum qn_status status = QN_OK;
  for (int turn = 0; turn < 2 && !status; turn++)
    status = qn_cuda_alloc(memory, &state->messages[turn], context->num_vertices,
                           sizeof(program_message), "messages", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->changes, room, sizeof(double), "sums", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->aggregates, room, sizeof(double), "sums", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &state->control, &control, 1, 0, sizeof control,
                             "the state of the run", error);
  return status ? status : pull_monitor_create(&run->monitor, error);
}

/* The first messages. A state that the run goes on from has the sums over all vertices, which were
 * added up in another order. */
inline enum qn_status pull_begin(struct pull_run *run, uint64_t num_vertices,
                                 const struct qn_run_state *resumed, struct qn_error *error) {
  const unsigned blocks = pull_init_blocks(run, num_vertices);
  enum qn_status status = QN_OK;
  if (resumed)
    status = qn_cuda_upload(run->memory, run->state.values, resumed->values, num_vertices,
                            sizeof *run->state.values, "vertex values", error);
  else
    status = upload_initial_values(run->memory, run->request, &run->context, NULL, 0, num_vertices,
                                   run->state.values, error);
  if (status)
    return status;
  QN_LAUNCH(pull_init, blocks, 256, 0, NULL, run->state, run->positions, resumed != NULL);
  if (!resumed)
    QN_LAUNCH(pull_finish, 1, 1024, 0, NULL, run->state, blocks, true);
  return qn_cuda_launched("launching the first kernels", error);
}

/* The algorithm itself, after pull_create. */
inline enum qn_status pull_execute(struct pull_run *run, uint64_t num_vertices,
                                   struct qn_error *error) {
  enum qn_status status = pull_begin(run, num_vertices, qn_state_resumed(run->request), error);
  const uint32_t first = (uint32_t)qn_state_iterations(run->request);
  return status ? status : pull_iterations(run, first, error);
}

} /* namespace */
