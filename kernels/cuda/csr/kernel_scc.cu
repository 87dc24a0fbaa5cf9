/* Strongly connected components on CSR, on a device, after Slota, Rajamanickam, Madduri: BFS and
 * Coloring-Based Parallel Algorithms for Strongly Connected Components and Related Problems, IPDPS
 * 2014, in five steps, of which each takes from what is left:
 *
 *   trim      a vertex without in- or without out-edges is alone; without it others may be so, too
 *   the core  what the vertex of most edges reaches and is reached by (Fleischer, Hendrickson,
 *             Pinar: On Identifying Strongly Connected Components in Parallel, 2000)
 *   trim      again
 *   colours   every vertex takes the largest colour of all that reach it; whoever has kept its own
 *             is in one component with those of its colour that reach it (Orzan: On Distributed
 *             Verification and Verified Distribution, 2004); and again, while there are steps left
 *   the rest  on the host (kernels/tarjan.h): long chains, along which a device has little to do
 *             at a time
 *
 * Several devices walk the rows that they have and tell each other what they find (told_steps.cuh);
 * all know who is left.
 *
 * A kernel of its own for the reasons of kernels/cpu/csr/kernel_scc.c. Which component a vertex is
 * in does not depend on who found it.
 *
 * Bytes: each walk over what is left moves 4 bytes of column index an edge and a sector of L2 for
 * its end's component and mark. */
#include "kernels/cuda/csr/both_ways.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/cuda/edges/step_runs.cuh"
#include "kernels/cuda/standalone/cc_trees.cuh"
#include "kernels/standalone_kernel.h"
#include "kernels/tarjan.h"
#include "kernels/visit_order.h"

extern "C" const struct qn_kernel qn_kernel_scc_csr_cuda;

#define NOT_YET QN_NO_COMPONENT
/* Steps of a trim, and of all colours together: more find little, each. */
#ifndef TRIM_STEPS
#define TRIM_STEPS 100
#endif
#ifndef COLOR_STEPS
#define COLOR_STEPS 2000
#endif

/* A search that finds fewer vertices a step, after so many, goes along a chain. */
#define SEARCH_STEPS 4096
#define THIN 16

namespace {

enum direction_mark { FORWARDS = 1, BACKWARDS = 2 };

struct scc_state {
  uint64_t num_vertices;
  uint32_t *component;      /* [V] a vertex of it, or NOT_YET */
  unsigned long long *outs; /* [V] edges to others that are left, */
  unsigned long long *ins;  /* and from such */
  uint32_t *marks;          /* [V] who was reached; the step in which a colour was last taken */
  uint32_t *colors;         /* [V] */
  unsigned long long *pivot;
};

QN_DEVICE_INLINE bool is_left(const struct scc_state &state, uint32_t v) {
  return state.component[v] == NOT_YET;
}

/* True for the one thread that gives v its component. */
QN_DEVICE_INLINE bool claim(const struct scc_state &state, uint32_t v, uint32_t component) {
  return atomicCAS(&state.component[v], NOT_YET, component) == NOT_YET;
}

/* ---- Trim --------------------------------------------------------------------------------- */

struct whoever_is_left {
  struct scc_state state;
  __device__ bool operator()(uint32_t v) const { return is_left(state, v); }
};

struct count_left {
  struct scc_state state;
  unsigned long long *counts;
  __device__ bool operator()(uint32_t v, uint32_t other) const {
    return other != v && is_left(state, other);
  }
  __device__ void add(uint32_t v, unsigned count) const {
    atomicAdd(&counts[v], (unsigned long long)count);
  }
};

struct is_alone {
  struct scc_state state;
  __device__ bool operator()(uint32_t v) const {
    return is_left(state, v) && (state.outs[v] == 0 || state.ins[v] == 0) && claim(state, v, v);
  }
};

/* v is gone: its neighbours have an edge less. */
struct uncover {
  struct scc_state state;
  unsigned long long *counts;
  __device__ uint32_t send(uint32_t v, uint32_t other) const {
    return other != v && is_left(state, other);
  }
  __device__ bool gather(uint32_t *waiting, uint32_t count) const {
    return step_gather_sum(waiting, count);
  }
  __device__ bool take(uint32_t other, uint32_t count) const {
    return atomicAdd(&counts[other], 0ull - count) == count && claim(state, other, other);
  }
};

/* ---- The core ----------------------------------------------------------------------------- */

/* Of the vertices that are left the one with most edges on its poorer side. */
__global__ void find_pivot(const struct scc_state state) {
  unsigned long long best = 0;
  qn_grid_steps(state.num_vertices, [&](uint64_t v) {
    if (!is_left(state, (uint32_t)v))
      return;
    const unsigned long long poorer = state.outs[v] < state.ins[v] ? state.outs[v] : state.ins[v];
    const unsigned long long edges = poorer < UINT32_MAX ? poorer : UINT32_MAX;
    const unsigned long long candidate = edges << 32 | v;
    best = candidate > best ? candidate : best;
  });
  if (best > 0)
    atomicMax(state.pivot, best);
}

struct is_pivot {
  struct scc_state state;
  __device__ bool operator()(uint32_t v) const {
    return v == (uint32_t)*state.pivot && is_left(state, v);
  }
};

struct reach {
  struct scc_state state;
  uint32_t mark;
  __device__ uint32_t send(uint32_t, uint32_t other) const {
    return is_left(state, other) && !(state.marks[other] & mark);
  }
  __device__ bool gather(uint32_t *waiting, uint32_t one) const {
    return step_gather_most(waiting, one);
  }
  __device__ bool take(uint32_t other, uint32_t) const {
    return !(atomicOr(&state.marks[other], mark) & mark);
  }
};

__global__ void take_core(const struct scc_state state) {
  const uint32_t pivot = (uint32_t)*state.pivot;
  qn_grid_steps(state.num_vertices, [&](uint64_t v) {
    const bool reached = state.marks[v] == (FORWARDS | BACKWARDS) || v == pivot;
    if (reached && is_left(state, (uint32_t)v))
      state.component[v] = pivot;
  });
}

/* ---- Colours ------------------------------------------------------------------------------ */

__global__ void begin_colors(const struct scc_state state) {
  qn_grid_steps(state.num_vertices, [&](uint64_t v) {
    state.colors[v] = qn_scatter((uint32_t)v);
    state.marks[v] = 0;
  });
}

/* A vertex is found once a step; a colour that is read too early is told in the next one. */
struct spread_color {
  struct scc_state state;
  uint32_t step;
  __device__ uint32_t send(uint32_t v, uint32_t other) const {
    const uint32_t color = state.colors[v];
    return is_left(state, other) && state.colors[other] < color ? color : 0;
  }
  __device__ bool gather(uint32_t *waiting, uint32_t color) const {
    return step_gather_most(waiting, color);
  }
  __device__ bool take(uint32_t other, uint32_t color) const {
    return atomicMax(&state.colors[other], color) < color &&
           atomicExch(&state.marks[other], step) != step;
  }
};

/* Nobody with a larger colour reaches it. */
struct has_own_color {
  struct scc_state state;
  __device__ bool operator()(uint32_t v) const {
    return is_left(state, v) && state.colors[v] == qn_scatter(v) && claim(state, v, v);
  }
};

struct gather_color {
  struct scc_state state;
  __device__ uint32_t send(uint32_t v, uint32_t other) const {
    return is_left(state, other) && state.colors[other] == state.colors[v] ? state.component[v] + 1
                                                                           : 0;
  }
  __device__ bool gather(uint32_t *waiting, uint32_t component) const {
    return step_gather_most(waiting, component);
  }
  __device__ bool take(uint32_t other, uint32_t component) const {
    return claim(state, other, component - 1);
  }
};

/* ---- The host's side ---------------------------------------------------------------------- */

struct scc_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct qn_csr out, in;
  struct row_steps steps;
  struct scc_state state;
  const uint32_t *positions;
  unsigned blocks;
  uint32_t color_steps; /* taken so far */
};

enum qn_status clear(void *array, int byte, uint64_t bytes, struct qn_error *error) {
  return qn_cuda_status(cudaMemsetAsync(array, byte, bytes, NULL), "clearing marks", error);
}

/* Vertices that are left and have no edges to or from such become components of their own. The
 * others know afterwards how many edges they have. *left: how many they were before. */
enum qn_status trim(struct scc_work *work, uint32_t *left, struct qn_error *error) {
  struct scc_state &state = work->state;
  const uint64_t bytes = state.num_vertices * sizeof *state.outs;
  enum qn_status status = clear(state.outs, 0, bytes, error);
  if (!status)
    status = clear(state.ins, 0, bytes, error);
  if (!status)
    status = steps_begin(&work->steps, state.num_vertices, whoever_is_left{state}, error);
  *left = work->steps.count;
  if (!status)
    status = steps_add_up(&work->steps, work->out, count_left{state, state.outs}, error);
  if (!status)
    status = steps_add_up(&work->steps, work->in, count_left{state, state.ins}, error);
  if (!status)
    status = qn_row_gather(work->memory, state.outs, sizeof *state.outs, error);
  if (!status)
    status = qn_row_gather(work->memory, state.ins, sizeof *state.ins, error);
  if (!status)
    status = steps_begin(&work->steps, state.num_vertices, is_alone{state}, error);
  for (unsigned step = 0; !status && work->steps.count > 0 && step < TRIM_STEPS; step++) {
    status = steps_walk(&work->steps, work->out, step_told(uncover{state, state.ins}), error);
    if (!status)
      status = steps_walk(&work->steps, work->in, step_told(uncover{state, state.outs}), error);
    if (!status)
      status = steps_next(&work->steps, error);
  }
  return status;
}

/* What the pivot reaches, unless that is a chain: then *whole is false. */
enum qn_status search(struct scc_work *work, const struct qn_csr &csr, uint32_t mark, bool *whole,
                      struct qn_error *error) {
  struct row_steps *steps = &work->steps;
  const auto along = step_along(csr, step_told(reach{work->state, mark}));
  enum qn_status status =
      steps_begin(steps, work->state.num_vertices, is_pivot{work->state}, error);
  do {
    if (!status)
      status = steps_run(steps, along, step_along_none(), steps->taken + SEARCH_STEPS, error);
  } while (!status && steps->count > 0 && steps->found >= THIN * steps->taken);
  *whole = !status && steps->count == 0;
  return status;
}

/* *whole: false if the core could not be searched for, and nobody has a component more. */
enum qn_status find_core(struct scc_work *work, bool *whole, struct qn_error *error) {
  struct scc_state &state = work->state;
  enum qn_status status = clear(state.pivot, 0, sizeof *state.pivot, error);
  if (!status)
    status = clear(state.marks, 0, state.num_vertices * sizeof *state.marks, error);
  if (status)
    return status;
  QN_LAUNCH(find_pivot, work->blocks, QN_QUEUE_THREADS, 0, NULL, state);
  status = search(work, work->out, FORWARDS, whole, error);
  if (!status && *whole)
    status = search(work, work->in, BACKWARDS, whole, error);
  if (status || !*whole)
    return status;
  QN_LAUNCH(take_core, work->blocks, QN_QUEUE_THREADS, 0, NULL, state);
  return qn_cuda_launched("taking the core", error);
}

/* Colours of all that are left, unless there are too few steps: then *whole is false, and nobody
 * has a component more. */
enum qn_status color_round(struct scc_work *work, bool *whole, struct qn_error *error) {
  struct scc_state &state = work->state;
  uint32_t step = 0;
  QN_LAUNCH(begin_colors, work->blocks, QN_QUEUE_THREADS, 0, NULL, state);
  enum qn_status status =
      steps_begin(&work->steps, state.num_vertices, whoever_is_left{state}, error);
  for (; !status && work->steps.count > 0 && work->color_steps < COLOR_STEPS; work->color_steps++) {
    status = steps_walk(&work->steps, work->out, step_told(spread_color{state, ++step}), error);
    if (!status)
      status = steps_next(&work->steps, error);
  }
  *whole = work->steps.count == 0;
  if (status || !*whole)
    return status;
  status = steps_begin(&work->steps, state.num_vertices, has_own_color{state}, error);
  return status ? status
                : steps_run(&work->steps, step_along(work->in, step_told(gather_color{state})),
                            step_along_none(), UINT64_MAX, error);
}

enum qn_status find_rest_here(struct scc_work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->state.num_vertices;
  uint32_t *component;
  enum qn_status status =
      qn_pages_alloc(&component, num_vertices, sizeof *component, "components", error);
  if (status)
    return status;
  status = qn_cuda_download(work->memory, component, work->state.component, num_vertices,
                            sizeof *component, "components", error);
  if (!status)
    status = qn_tarjan(&((const struct qn_graph *)work->request->view)->out, component, error);
  if (!status)
    status = qn_cuda_upload(work->memory, work->state.component, component, num_vertices,
                            sizeof *component, "components", error);
  qn_pages_free(component, num_vertices, sizeof *component);
  return status;
}

/* Of several devices the first one's host does. */
enum qn_status find_rest(struct scc_work *work, struct qn_error *error) {
  const struct qn_row_member *member = work->memory->member;
  enum qn_status status = member && member->index > 0 ? QN_OK : find_rest_here(work, error);
  return status ? status
                : qn_row_spread(work->memory, work->state.component,
                                work->state.num_vertices * sizeof *work->state.component, error);
}

enum qn_status find_components(struct scc_work *work, struct qn_error *error) {
  uint32_t left;
  bool whole = true;
  enum qn_status status =
      clear(work->state.component, 0xff, work->state.num_vertices * sizeof(uint32_t), error);
  if (!status)
    status = trim(work, &left, error);
  if (!status && left > 0)
    status = find_core(work, &whole, error);
  if (!status && whole)
    status = trim(work, &left, error);
  while (!status && left > 0 && whole) {
    status = color_round(work, &whole, error);
    if (!status && whole)
      status = trim(work, &left, error);
  }
  if (!status && left > 0)
    status = find_rest(work, error);
  return status ? status
                : label_by_first(work->memory, work->state.component, work->positions,
                                 work->state.colors, work->state.num_vertices, error);
}

uint64_t needed_bytes(const struct qn_run_request *request) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices;
  return qn_both_ways_bytes(graph) + steps_bytes(V) + (3 * 4 + 2 * 8) * V +
         (request->positions ? 4 * V : 0) + 64;
}

enum qn_status create(struct scc_work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  struct scc_state *state = &work->state;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices;
  state->num_vertices = V;
  enum qn_status status = qn_run_check_units(V, graph->out.num_edges, error);
  if (!status)
    status = qn_run_fit_or_read(memory, request, "scc", needed_bytes(request),
                                qn_both_ways_edge_bytes(graph), 0, error);
  if (!status)
    status = qn_both_ways_upload(memory, graph, &work->out, &work->in, error);
  if (!status)
    status = steps_create(memory, V, &work->steps, error);
  uint32_t **const words[] = {&state->component, &state->marks, &state->colors};
  for (int i = 0; i < 3 && !status; i++)
    status = qn_cuda_alloc(memory, words[i], V, sizeof(uint32_t), "components", error);
  unsigned long long **const counts[] = {&state->outs, &state->ins};
  for (int i = 0; i < 2 && !status; i++)
    status = qn_cuda_alloc(memory, counts[i], V, sizeof(unsigned long long), "degrees", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->pivot, 1, sizeof *state->pivot, "a vertex", error);
  if (!status && request->positions)
    status = qn_cuda_copy_of(memory, &work->positions, request->positions, V, 0,
                             sizeof *work->positions, "positions", error);
  work->blocks = qn_run_blocks(memory, V);
  return status;
}

enum qn_status finish(struct scc_work *work, enum qn_status status, struct qn_error *error) {
  return qn_run_give(status, work->memory, QN_RESULT_U32, work->state.component,
                     work->state.num_vertices, work->result, error);
}

enum qn_status run_one(const struct qn_run_request *request, struct qn_run_result *result,
                       struct qn_error *error) {
  return qn_run_with(request, create, find_components, finish, result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_by_rows(request, true, run_one, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_scc_csr_cuda =
    QN_SCC_KERNEL("csr, trim, core, colours", QN_LAYOUT_GRAPH, QN_CUDA, run);
