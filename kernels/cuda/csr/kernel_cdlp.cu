/* Communities by label propagation on CSR, on a device: what kernels/cpu/csr/kernel_cdlp.c says,
 * label by label.
 *
 * Labels of a vertex's neighbours are counted in a hash table: up to SHORT_EDGES by a warp that
 * compares all with all, up to WIDE_LABELS in shared memory by a block, more in device memory by a
 * block with a table of its own. A vertex none of whose neighbours has changed keeps its label:
 * where few have, only those beside them are looked at. Several devices each count for the vertices
 * whose rows they have, and copy the others' labels after every iteration.
 *
 * Bytes: an edge moves 4 of column index and a sector of L2 for its end's label, once from either
 * end; counting costs an atomic of shared memory. */
#include "kernels/cuda/csr/both_ways.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/keep.cuh"
#include "kernels/cuda/edges/label_choice.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/cuda/edges/told_steps.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_cdlp_csr_cuda;

#define SHORT_EDGES 32
#ifndef WIDE_LABELS
#define WIDE_LABELS 2048 /* edges at most of what a table in shared memory counts */
#endif
#define WIDE_SLOTS (2 * WIDE_LABELS)
#define COUNT_THREADS 256
/* Marking the neighbours of vertices that changed pays if no more than one in so many did. */
#define FEW_CHANGES 8
#define MOST_TABLES 64

namespace {

enum degree_class { SHORT_ROW, WIDE_ROW, HUGE_ROW, DEGREE_CLASSES };

struct cdlp_state {
  struct qn_csr out, in;
  bool has_in;       /* else an edge is stored at both its ends */
  uint32_t *labels;  /* [V] before the iteration */
  uint32_t *next;    /* [V] after it */
  uint32_t *changed; /* how many */
  uint8_t *beside;   /* [V] may the label change? */
  struct step_list lists[DEGREE_CLASSES];
  uint64_t num_slots; /* of a table in device memory, a power of two */
  uint32_t *keys;     /* [tables][num_slots] */
  unsigned long long *counts;
};

QN_DEVICE_INLINE uint64_t row_length(const struct qn_csr &csr, uint64_t v) {
  return csr.row_offsets[v + 1] - csr.row_offsets[v];
}

QN_DEVICE_INLINE uint64_t edge_ends(const struct cdlp_state &state, uint64_t v) {
  return row_length(state.out, v) + (state.has_in ? row_length(state.in, v) : 0);
}

/* The i-th of v's neighbours. */
QN_DEVICE_INLINE uint32_t neighbor(const struct cdlp_state &state, uint32_t v, uint64_t i) {
  const uint64_t outs = row_length(state.out, v);
  return i < outs ? state.out.column_indices[state.out.row_offsets[v] + i]
                  : state.in.column_indices[state.in.row_offsets[v] + i - outs];
}

/* Deal those that may change to lists; the others keep their labels. What others have the rows of
 * has no edges here. */
__global__ void sort_out(const struct cdlp_state state, bool all) {
  qn_block_steps(state.out.num_vertices, [&](uint64_t v, bool there) {
    const uint64_t ends = there ? edge_ends(state, v) : 0;
    const bool looks = ends > 0 && (all || state.beside[v]);
    if (there && !looks)
      state.next[v] = state.labels[v];
    step_put(state.lists[SHORT_ROW], looks && ends <= SHORT_EDGES, (uint32_t)v);
    step_put(state.lists[WIDE_ROW], looks && ends > SHORT_EDGES && ends <= WIDE_LABELS,
             (uint32_t)v);
    step_put(state.lists[HUGE_ROW], looks && ends > WIDE_LABELS, (uint32_t)v);
  });
}

using choice = label_choice<unsigned long long>; /* by how often it is there */

QN_DEVICE_INLINE void take(const struct cdlp_state &state, uint32_t v, uint32_t label) {
  state.next[v] = label;
  if (label != state.labels[v])
    atomicAdd(state.changed, 1u);
}

/* Every lane has a neighbour's label, and counts how many of them are its own. */
__global__ void __launch_bounds__(COUNT_THREADS) count_short(const struct cdlp_state state) {
  const struct step_list list = state.lists[SHORT_ROW];
  const uint32_t count = *list.count, warps = COUNT_THREADS / 32;
  for (uint64_t i = (uint64_t)blockIdx.x * warps + qn_warp(); i < count;
       i += (uint64_t)gridDim.x * warps) {
    const uint32_t v = list.vertices[i], ends = (uint32_t)edge_ends(state, v);
    const bool there = qn_lane() < ends;
    choice best = {0, NO_LABEL};
    if (there)
      best.label = state.labels[neighbor(state, v, qn_lane())];
    for (uint32_t other = 0; other < ends; other++)
      best.amount += __shfl_sync(QN_FULL_WARP, best.label, (int)other) == best.label && there;
    best = best_of_warp(best);
    if (qn_lane() == 0)
      take(state, v, best.label);
  }
}

/* Count the labels around v in a table that nobody else uses, by a whole block. */
template <class Count>
QN_DEVICE_INLINE void count_in(const struct cdlp_state &state, uint32_t v, uint64_t num_slots,
                               uint32_t *keys, Count *counts) {
  const uint64_t ends = edge_ends(state, v);
  for (uint64_t slot = threadIdx.x; slot < num_slots; slot += COUNT_THREADS) {
    keys[slot] = NO_LABEL;
    counts[slot] = 0;
  }
  __syncthreads();
  for (uint64_t i = threadIdx.x; i < ends; i += COUNT_THREADS)
    atomicAdd(&counts[slot_of(keys, num_slots, state.labels[neighbor(state, v, i)])], (Count)1);
  __syncthreads();
  choice best = {0, NO_LABEL};
  for (uint64_t slot = threadIdx.x; slot < num_slots; slot += COUNT_THREADS) {
    const choice here = {counts[slot], keys[slot]};
    if (is_better(here, best))
      best = here;
  }
  best = best_of_block(best);
  if (threadIdx.x == 0)
    take(state, v, best.label);
}

__global__ void __launch_bounds__(COUNT_THREADS) count_wide(const struct cdlp_state state) {
  QN_SHARED(uint32_t, keys, WIDE_SLOTS);
  QN_SHARED(uint32_t, counts, WIDE_SLOTS);
  const struct step_list list = state.lists[WIDE_ROW];
  const uint32_t count = *list.count;
  for (uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const uint32_t v = list.vertices[i];
    const uint64_t slots = slots_for(edge_ends(state, v));
    count_in(state, v, slots < WIDE_SLOTS ? slots : WIDE_SLOTS, keys, counts);
  }
}

/* There are no more labels than vertices. */
__global__ void __launch_bounds__(COUNT_THREADS) count_huge(const struct cdlp_state state) {
  const struct step_list list = state.lists[HUGE_ROW];
  const uint32_t count = *list.count;
  const uint64_t table = (uint64_t)blockIdx.x * state.num_slots;
  for (uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const uint32_t v = list.vertices[i];
    const uint64_t slots = slots_for(edge_ends(state, v));
    count_in(state, v, slots < state.num_slots ? slots : state.num_slots, state.keys + table,
             state.counts + table);
  }
}

struct has_changed {
  const uint32_t *before, *after;
  __device__ bool operator()(uint32_t v) const { return before[v] != after[v]; }
};

struct mark_other {
  uint8_t *beside;
  __device__ uint32_t send(uint32_t, uint32_t) const { return 1; }
  __device__ bool gather(uint32_t *waiting, uint32_t one) const {
    return step_gather_most(waiting, one);
  }
  __device__ bool take(uint32_t other, uint32_t) const {
    beside[other] = 1;
    return false;
  }
};

/* Labels are positions of vertices. */
__global__ void begin_labels(const uint32_t *positions, uint32_t *labels, uint64_t num_vertices) {
  qn_grid_steps(num_vertices,
                [&](uint64_t v) { labels[v] = positions ? positions[v] : (uint32_t)v; });
}

/* ---- The host's side ---------------------------------------------------------------------- */

struct cdlp_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct row_steps steps;
  struct cdlp_state state;
  const uint32_t *positions;
  uint64_t num_vertices;
  unsigned num_tables;
};

/* The most edge ends that a vertex has. */
uint64_t most_ends(const struct qn_graph *graph, const uint64_t *in_offsets) {
  const uint64_t *out = graph->out.row_offsets;
  uint64_t most = 0;
  for (uint64_t v = 0; v < graph->out.num_vertices; v++) {
    uint64_t ends = out[v + 1] - out[v];
    if (in_offsets)
      ends += in_offsets[v + 1] - in_offsets[v];
    most = ends > most ? ends : most;
  }
  return most;
}

/* Tables in device memory for vertices of the highest degree, as many as an eighth of the edges'
 * memory holds, and what is left, but one at least. */
enum qn_status create_tables(struct cdlp_work *work, uint64_t most, struct qn_error *error) {
  struct cdlp_state *state = &work->state;
  if (most <= WIDE_LABELS)
    return QN_OK;
  state->num_slots = slots_for(most < work->num_vertices ? most : work->num_vertices);
  const uint64_t left = qn_cuda_plannable_bytes(&work->memory->device, work->memory->cap);
  const uint64_t room = left > work->memory->bytes ? left - work->memory->bytes : 0;
  uint64_t fitting = state->out.num_edges / (3 * state->num_slots);
  if (fitting > room / (12 * state->num_slots))
    fitting = room / (12 * state->num_slots);
  work->num_tables = (unsigned)(fitting < 1 ? 1 : fitting < MOST_TABLES ? fitting : MOST_TABLES);
  enum qn_status status =
      qn_cuda_alloc(work->memory, &state->keys, work->num_tables * state->num_slots,
                    sizeof *state->keys, "counters of labels", error);
  return status ? status
                : qn_cuda_alloc(work->memory, &state->counts, work->num_tables * state->num_slots,
                                sizeof *state->counts, "counters of labels", error);
}

/* In-degrees of a graph that lacks in-edges are those of the rows made for it, which only the
 * device has. */
enum qn_status find_most_ends(struct cdlp_work *work, const struct qn_graph *graph, uint64_t *most,
                              struct qn_error *error) {
  const uint64_t count = work->num_vertices + 1;
  uint64_t *made = NULL;
  enum qn_status status = QN_OK;
  if (work->state.has_in && !graph->has_transpose) {
    status = qn_pages_alloc(&made, count, sizeof *made, "in-degrees", error);
    if (!status)
      status = qn_cuda_download(work->memory, made, work->state.in.row_offsets, count, sizeof *made,
                                "in-degrees", error);
  }
  if (!status)
    *most = most_ends(graph, !work->state.has_in ? NULL : made ? made : graph->in.row_offsets);
  qn_pages_free(made, count, sizeof *made);
  return status;
}

uint64_t needed_bytes(const struct qn_run_request *request) {
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices;
  return qn_both_ways_bytes(graph) + steps_bytes(V) + (5 * 4 + 1) * V + 64 +
         (request->positions ? 4 * V : 0);
}

/* Of one table; at most, where in-degrees are not known yet. */
uint64_t table_bytes(const struct qn_graph *graph) {
  const bool is_directed = graph->directedness != QN_UNDIRECTED;
  const uint64_t V = graph->out.num_vertices;
  const uint64_t most = is_directed && !graph->has_transpose
                            ? 2 * graph->out.num_edges
                            : most_ends(graph, is_directed ? graph->in.row_offsets : NULL);
  return most <= WIDE_LABELS ? 0 : 12 * slots_for(most < V ? most : V);
}

enum qn_status create(struct cdlp_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  const uint64_t V = work->num_vertices = graph->out.num_vertices;
  struct cdlp_state *state = &work->state;
  struct qn_cuda_memory *memory = work->memory;
  uint64_t most = 0;
  enum qn_status status = qn_run_check_units(V, 2 * graph->out.num_edges, error);
  if (!status)
    status = qn_run_fit_or_read(memory, work->request, "cdlp", needed_bytes(work->request),
                                qn_both_ways_edge_bytes(graph), table_bytes(graph), error);
  if (!status)
    status = qn_both_ways_upload(memory, graph, &state->out, &state->in, error);
  state->has_in = graph->directedness != QN_UNDIRECTED;
  if (!status)
    status = steps_create(memory, V, &work->steps, error);
  uint32_t **const arrays[] = {&state->labels, &state->next, &state->lists[SHORT_ROW].vertices,
                               &state->lists[WIDE_ROW].vertices, &state->lists[HUGE_ROW].vertices};
  for (int i = 0; i < 5 && !status; i++)
    status = qn_cuda_alloc(memory, arrays[i], V, sizeof(uint32_t), "labels and lists", error);
  uint32_t *counters;
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &counters, DEGREE_CLASSES + 1, sizeof *counters,
                                  "counters", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->beside, V, 1, "marks", error);
  if (!status && work->request->positions)
    status = qn_cuda_copy_of(memory, &work->positions, work->request->positions, V, 0,
                             sizeof *work->positions, "positions", error);
  if (!status)
    status = find_most_ends(work, graph, &most, error);
  if (status)
    return status;
  for (int i = 0; i < DEGREE_CLASSES; i++)
    state->lists[i].count = counters + i;
  state->changed = counters + DEGREE_CLASSES;
  return create_tables(work, most, error);
}

/* Labels before the first iteration, or those of a state, which must be labels. */
enum qn_status begin(struct cdlp_work *work, struct qn_error *error) {
  const struct qn_run_state *kept = qn_state_resumed(work->request);
  if (!kept) {
    QN_LAUNCH(begin_labels, qn_run_blocks(work->memory, work->num_vertices), QN_QUEUE_THREADS, 0,
              NULL, work->positions, work->state.labels, work->num_vertices);
    return qn_cuda_launched("the first labels", error);
  }
  const uint32_t *labels = (const uint32_t *)kept->values;
  for (uint64_t v = 0; v < work->num_vertices; v++)
    if (labels[v] >= work->num_vertices)
      return qn_fail(error, QN_INVALID, "the checkpoint has values that cdlp cannot have left");
  return qn_cuda_upload(work->memory, work->state.labels, labels, work->num_vertices,
                        sizeof *labels, "labels", error);
}

/* One iteration, of the rows that are here; how many labels changed. */
enum qn_status count_labels(struct cdlp_work *work, bool all, uint32_t *changed,
                            struct qn_error *error) {
  const struct cdlp_state &state = work->state;
  struct qn_cuda_memory *memory = work->memory;
  const int multiprocessors = memory->device.multiprocessors;
  enum qn_status status =
      qn_cuda_status(cudaMemsetAsync(state.lists[SHORT_ROW].count, 0,
                                     (DEGREE_CLASSES + 1) * sizeof *state.changed, NULL),
                     "clearing counters", error);
  if (status)
    return status;
  QN_LAUNCH(sort_out, qn_run_blocks(memory, work->num_vertices), QN_QUEUE_THREADS, 0, NULL, state,
            all);
  QN_LAUNCH(count_short, qn_grid(work->num_vertices, COUNT_THREADS / 32, multiprocessors, 8),
            COUNT_THREADS, 0, NULL, state);
  QN_LAUNCH(count_wide, qn_grid(2 * state.out.num_edges, SHORT_EDGES, multiprocessors, 4),
            COUNT_THREADS, 0, NULL, state);
  if (work->num_tables > 0)
    QN_LAUNCH(count_huge, work->num_tables, COUNT_THREADS, 0, NULL, state);
  status = qn_cuda_launched("counting labels", error);
  return status ? status
                : qn_cuda_download(memory, changed, state.changed, 1, sizeof *changed, "a counter",
                                   error);
}

/* The same of all rows. */
enum qn_status propagate(struct cdlp_work *work, bool all, uint64_t *changed,
                         struct qn_error *error) {
  uint32_t count = 0;
  enum qn_status status = count_labels(work, all, &count, error);
  if (!status)
    status = qn_row_gather(work->memory, work->state.next, sizeof *work->state.next, error);
  *changed = count;
  return status ? status : qn_row_sum(work->memory->member, QN_OK, changed);
}

enum qn_status mark_neighbors_of_changed(struct cdlp_work *work, struct qn_error *error) {
  const struct cdlp_state &state = work->state;
  const struct has_changed changed = {state.labels, state.next};
  enum qn_status status = qn_cuda_status(cudaMemsetAsync(state.beside, 0, work->num_vertices, NULL),
                                         "clearing marks", error);
  if (!status)
    status = steps_begin(&work->steps, work->num_vertices, changed, error);
  if (!status)
    status = steps_walk(&work->steps, state.out, step_told(mark_other{state.beside}), error);
  if (!status && state.has_in)
    status = steps_walk(&work->steps, state.in, step_told(mark_other{state.beside}), error);
  return status;
}

/* After an iteration that is not the last: a checkpoint, if one is due. */
enum qn_status keep(struct cdlp_work *work, uint64_t iterations, struct qn_error *error) {
  const struct qn_state_parts parts = keep_parts(work->num_vertices, sizeof(uint32_t), NULL);
  return keep_values(work->request, iterations, 0, &parts, work->memory, work->state.labels, error);
}

void report(const struct qn_run_request *request, uint64_t iteration, bool all, uint64_t changed,
            double seconds) {
  struct qn_iteration said = {};
  said.iteration = (uint32_t)iteration;
  said.mode = all ? "all" : "beside changes";
  said.num_active = changed;
  said.seconds = seconds;
  if (request->hooks.on_iteration)
    request->hooks.on_iteration(request->hooks.user, &said);
}

enum qn_status iterate(struct cdlp_work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  struct qn_run_result *result = work->result;
  uint64_t iteration = qn_state_iterations(request);
  bool all = true;
  enum qn_status status = begin(work, error);
  while (!status && !result->stats.converged && iteration < request->limits.max_iterations) {
    const double began = qn_seconds();
    uint64_t changed = 0;
    status = propagate(work, all, &changed, error);
    const bool few = changed <= work->num_vertices / FEW_CHANGES;
    if (!status && few)
      status = mark_neighbors_of_changed(work, error);
    if (status)
      break;
    uint32_t *labels = work->state.next;
    work->state.next = work->state.labels;
    work->state.labels = labels;
    result->stats.converged = changed == 0;
    report(request, iteration++, all, changed, qn_seconds() - began);
    all = !few;
    if (!result->stats.converged && iteration < request->limits.max_iterations)
      status = keep(work, iteration, error);
  }
  result->stats.iterations = iteration;
  return status;
}

enum qn_status finish(struct cdlp_work *work, enum qn_status status, struct qn_error *error) {
  return status ? status
                : qn_run_download(work->memory, QN_RESULT_U32, work->state.labels,
                                  work->num_vertices, work->result, error);
}

enum qn_status run_one(const struct qn_run_request *request, struct qn_run_result *result,
                       struct qn_error *error) {
  return qn_run_with(request, create, iterate, finish, result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_by_rows(request, true, run_one, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_cdlp_csr_cuda =
    QN_CDLP_KERNEL("csr, labels counted by hashing", QN_LAYOUT_GRAPH, QN_CUDA, run);
