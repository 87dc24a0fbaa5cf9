/* Betweenness centrality from given sources (Brandes 2001) over an engine of sweeps, for layouts
 * other than plain CSR: not normalised; parallel edges are different paths. A kernel includes
 * bc_program.h, its layout's engine, and this header, and adds what walks the out-edges of a level.
 *
 * Forwards the engine runs the program: levels, and how many shortest paths lead to each vertex.
 * Backwards, level by level from the deepest, a vertex sums up what its out-neighbours one level
 * down offer,
 *
 *   share(v) = paths(v) x sum of offer(w),   offer(v) = (1 + share(v)) / paths(v)
 *
 * always by reading its own edges, so sums of real numbers have one order. Offers lie in two
 * arrays, of even and of odd levels: who reads those of level d + 1 is not disturbed by who writes
 * those of level d, and finds 0 at vertices of level d - 1, which have not written yet; out-edges
 * lead to no other levels of that array.
 *
 * Bytes: forwards as the engine says, with 8 bytes of message; backwards each edge moves what the
 * layout stores of it and one random double (a sector of L2), each level 4 bytes a vertex to find
 * its own. */
#pragma once

#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/cuda/standalone/bc_state.cuh"
#include "kernels/cuda/sweep/loop.cuh"

namespace {

struct bc_state {
  uint32_t *levels; /* [V] UINT32_MAX: not reached */
  double *even;     /* [V] offers of even levels */
  double *odd;      /* [V] offers of odd levels */
  double *scores;   /* [V] the result */
};

/* What vertices of the next level offer to those of `level`. */
QN_DEVICE_INLINE const double *bc_offers_to(const struct bc_state &bc, uint32_t level) {
  return level % 2 ? bc.even : bc.odd;
}

/* All offers to a vertex of `level` are known. */
QN_DEVICE_INLINE void bc_take(const struct sweep_state &state, const struct bc_state &bc,
                              uint32_t level, uint32_t vertex, double offers) {
  const double paths = state.values[vertex].paths;
  const double share = paths * offers;
  if (level > 0)
    bc.scores[vertex] += share;
  double *offers_here = level % 2 ? bc.odd : bc.even;
  offers_here[vertex] = (1 + share) / paths;
}

__global__ void bc_begin_backwards(const struct sweep_state state,
                                   const struct qn_program_context context,
                                   const struct bc_state bc) {
  sweep_words(context.num_vertices, [&](uint32_t v, bool valid) {
    if (!valid)
      return;
    bc.levels[v] = state.values[v].level;
    bc.even[v] = bc.odd[v] = 0;
  });
}

/* ---- The host's side ---------------------------------------------------------- */

inline enum qn_status bc_create(struct sweep_run *run, struct bc_state *bc,
                                struct qn_error *error) {
  const uint64_t num_vertices = run->context.num_vertices;
  double **const arrays[] = {&bc->even, &bc->odd, &bc->scores};
  enum qn_status status =
      qn_cuda_alloc(&run->memory, &bc->levels, num_vertices, sizeof *bc->levels, "levels", error);
  for (int i = 0; i < 3 && !status; i++)
    status = qn_cuda_alloc_zeroed(&run->memory, arrays[i], num_vertices, sizeof(double),
                                  "vertex values", error);
  return status;
}

/* Add one source's dependencies to the scores. `walk_level(run, bc, level, error)` launches what
 * calls bc_take for every vertex of a level. */
template <class WalkLevel>
enum qn_status bc_add_source(struct sweep_run *run, const struct bc_state *bc, uint32_t source,
                             WalkLevel walk_level, struct qn_error *error) {
  run->context.source = source;
  run->context.iteration = 0;
  enum qn_status status = sweep_iterations(run, error);
  if (status)
    return status;
  SWEEP_LAUNCH(run, bc_begin_backwards, *bc);
  for (uint32_t level = run->context.iteration; level-- > 0 && !status;)
    status = walk_level(run, bc, level, error);
  return status;
}

/* Device memory of what the algorithm has beside the sweeps. */
inline uint64_t bc_bytes(uint64_t num_vertices) {
  return qn_cuda_rounded(num_vertices * sizeof(uint32_t)) +
         3 * qn_cuda_rounded(num_vertices * sizeof(double));
}

/* The sweeps' iterations, of which users are not told: a source is one. */
inline void bc_add_moved(void *moved, const struct qn_iteration *iteration) {
  qn_stream_figures_add((struct qn_stream_figures *)moved, &iteration->device->moved);
}

/* Tell of a source, which began at `begin`; forget what it moved. */
inline void bc_tell(const struct qn_run_request *request, uint64_t source,
                    struct qn_stream_figures *moved, double begin) {
  const struct qn_device_iteration device = {*moved, NULL, NULL};
  struct qn_iteration report = {};
  report.iteration = (uint32_t)source;
  report.mode = "source";
  report.num_active = 1;
  report.seconds = qn_seconds() - begin;
  report.device = &device;
  if (request->hooks.on_iteration && moved->active_units > 0)
    request->hooks.on_iteration(request->hooks.user, &report);
  memset(moved, 0, sizeof *moved);
}

/* A run whole. `source` and `upload(run, error)` as for sweep_run_units; NULL: the topology is
 * resident. The source's fixed_bytes and resident_bytes count bc_bytes, too. */
template <class Upload, class WalkLevel>
enum qn_status bc_run(const struct qn_run_request *request, uint64_t num_vertices,
                      uint64_t num_edges, const struct qn_unit_source *source, Upload upload,
                      WalkLevel walk_level, struct qn_run_result *result, struct qn_error *error) {
  struct qn_run_request forwards = *request;
  struct qn_stream_figures moved;
  struct sweep_run run;
  struct bc_state bc;
  memset(&moved, 0, sizeof moved);
  memset(&run, 0, sizeof run);
  memset(&bc, 0, sizeof bc);
  forwards.positions = NULL; /* sources are vertices of the graph, and so are results */
  forwards.hooks.on_iteration = bc_add_moved;
  forwards.hooks.user = &moved;
  forwards.hooks.checkpointing = NULL;
  forwards.limits.max_iterations = UINT32_MAX;
  run.request = &forwards;
  run.result = result;
  run.context = qn_run_begin(&forwards, num_vertices, num_edges, result);
  sweep_hold_all(&run);
  auto prepare = [&](struct qn_error *failure) {
    enum qn_status status = source ? sweep_plan_memory(&run, NULL, source, failure) : QN_OK;
    if (!status && run.source && request->device->report.plan.pin_bytes > 0)
      status = sweep_begin_pins(&run, failure);
    if (!status)
      status = upload(&run, failure);
    if (!status)
      status = sweep_create(&run, NULL, failure);
    if (!status && run.source)
      status = sweep_stream_create(&run, failure);
    return status ? status : bc_create(&run, &bc, failure);
  };
  auto algorithm = [&](struct qn_error *failure) {
    enum qn_status status = bc_resume(request, &run.memory, bc.scores, num_vertices, failure);
    for (uint64_t i = qn_state_iterations(request); i < request->inputs.num_sources && !status;
         i++) {
      const double begin = qn_seconds();
      status = bc_add_source(&run, &bc, request->inputs.sources[i], walk_level, failure);
      if (!status)
        bc_tell(request, i, &moved, begin);
      if (!status && i + 1 < request->inputs.num_sources)
        status = bc_keep(request, &run.memory, i + 1, bc.scores, num_vertices, failure);
    }
    return status;
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    sweep_stream_destroy(&run);
    result->stats.iterations = request->inputs.num_sources;
    result->stats.converged = true;
    return status ? status
                  : qn_run_download(&run.memory, QN_RESULT_F64, bc.scores, num_vertices, result,
                                    failure);
  };
  return qn_run_whole(request, &run.memory, prepare, algorithm, finish, result, error);
}

} /* namespace */
