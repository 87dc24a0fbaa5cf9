/* Weakly connected components by Afforest (Sutton, Ben-Nun, Barak: Optimizing Parallel Graph
 * Connectivity Computation via Subgraph Sampling, IPDPS 2018), for kernels of their own: a few
 * edges of each vertex join trees, and then only vertices outside the large tree look at theirs.
 * Here are the frame of such a run, for any layout that is resident, and rows of columns.
 *
 * Bytes: the rounds over first neighbours read 16 bytes of offsets, a column index and some
 * random parents a row; what remains is bound by the random accesses to `parent`, 4 V bytes, which
 * stay in L2 up to some ten million vertices.
 *
 * parent[v] <= v always holds, so a root is the smallest vertex of its tree, whatever the order in
 * which edges are joined. A parent that was read may be old, but then it is an ancestor all the
 * same, and the compare-and-swap that joins two trees tells; so parents are read through L1 (the
 * roots of large trees, which everyone reads, would serialise in L2), and paths are halved without
 * atomics (Jaiganesh, Burtscher: A High-Performance Connected Components Implementation for GPUs,
 * HPDC 2018). */
#pragma once

#include "kernels/cuda/standalone/cc_trees.cuh"

#define NUM_SAMPLES 1024

namespace {

/* What is joined. Pointers are device memory. */
struct cc_forest {
  struct qn_cuda_memory *memory;
  uint64_t num_vertices;
  uint32_t *parent;          /* [V] as the layout numbers vertices */
  uint32_t *largest;         /* the root of the large tree; UINT32_MAX: none, or none is left out */
  const uint32_t *order;     /* [V] the graph's vertices; NULL: the same */
  const uint32_t *positions; /* [V] by the graph's vertex; NULL: the same */
  uint32_t *first, *labels;  /* [V] with order or positions */
};

/* The root that most vertices of a sample have, if a sixteenth of them has it: more than half need
 * not hang together yet, and any tree may be left out. Samples are spread evenly, though not at
 * regular distances, which may be alike. By one block; each warp counts those that are like its
 * first. */
__global__ void __launch_bounds__(NUM_SAMPLES) find_largest(const struct cc_forest forest) {
  QN_SHARED(uint32_t, roots, NUM_SAMPLES);
  QN_SHARED(uint32_t, counts, NUM_SAMPLES / 32);
  const uint64_t stretch = forest.num_vertices / NUM_SAMPLES, sample = threadIdx.x;
  const uint64_t vertex =
      stretch ? sample * stretch + sample * 0x9E3779B97F4A7C15u % stretch : sample;
  roots[sample] = vertex < forest.num_vertices ? forest.parent[vertex] : UINT32_MAX;
  __syncthreads();
  const uint32_t root = roots[qn_warp() * 32];
  uint32_t count = 0;
  for (uint32_t other = qn_lane(); other < NUM_SAMPLES; other += 32)
    count += root != UINT32_MAX && roots[other] == root;
  for (int step = 16; step > 0; step /= 2)
    count += __shfl_down_sync(QN_FULL_WARP, count, step);
  if (qn_lane() == 0)
    counts[qn_warp()] = count;
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  uint32_t most = NUM_SAMPLES / 16;
  for (uint32_t warp = 0; warp < NUM_SAMPLES / 32; warp++)
    if (counts[warp] > most) {
      most = counts[warp];
      *forest.largest = roots[warp * 32];
    }
}

/* Positions of the layout's vertices. */
__global__ void note_positions(const struct cc_forest forest) {
  qn_grid_steps(forest.num_vertices, [&](uint64_t v) {
    const uint32_t vertex = forest.order ? forest.order[v] : (uint32_t)v;
    forest.labels[v] = forest.positions ? forest.positions[vertex] : vertex;
  });
}

__global__ void label_vertices(const struct cc_forest forest) {
  qn_grid_steps(forest.num_vertices, [&](uint64_t v) {
    forest.labels[forest.order ? forest.order[v] : v] = forest.first[forest.parent[v]];
  });
}

/* Roots become the least positions in original order; *labels is where. */
inline enum qn_status cc_label(const struct cc_forest *forest, uint32_t **labels,
                               struct qn_error *error) {
  const unsigned blocks = qn_run_blocks(forest->memory, forest->num_vertices);
  *labels = forest->first ? forest->labels : forest->parent;
  if (!forest->first)
    return QN_OK;
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(forest->first, 0xff, forest->num_vertices * sizeof *forest->first, NULL),
      "clearing labels", error);
  if (status)
    return status;
  QN_LAUNCH(note_positions, blocks, QN_QUEUE_THREADS, 0, NULL, *forest);
  QN_LAUNCH(find_first_positions, blocks, QN_QUEUE_THREADS, 0, NULL, forest->parent, forest->labels,
            forest->num_vertices, forest->first);
  QN_LAUNCH(label_vertices, blocks, QN_QUEUE_THREADS, 0, NULL, *forest);
  return qn_cuda_launched("labelling components", error);
}

inline enum qn_status cc_forest_create(struct cc_forest *forest,
                                       const struct qn_run_request *request, const uint32_t *order,
                                       struct qn_error *error) {
  struct qn_cuda_memory *memory = forest->memory;
  const uint64_t V = forest->num_vertices;
  enum qn_status status =
      qn_cuda_alloc(memory, &forest->parent, V, sizeof *forest->parent, "labels", error);
  if (!status)
    status = qn_cuda_alloc(memory, &forest->largest, 1, sizeof *forest->largest, "a root", error);
  if (!status && request->positions)
    status = qn_cuda_copy_of(memory, &forest->positions, request->positions, V, 0, sizeof(uint32_t),
                             "positions", error);
  if (!status && order)
    status = qn_cuda_copy_of(memory, &forest->order, order, V, 0, sizeof *order,
                             "the order of vertices", error);
  if (!status && (order || request->positions))
    status = qn_cuda_alloc(memory, &forest->first, V, sizeof *forest->first, "positions", error);
  if (!status && (order || request->positions))
    status = qn_cuda_alloc(memory, &forest->labels, V, sizeof *forest->labels, "labels", error);
  return status;
}

/* `first(forest, error)` and `rest(forest, error)` launch what joins a few edges of each vertex,
 * and those of vertices whose root is not *forest->largest. That is only looked for if every edge
 * is seen from `both_ends`. */
template <class First, class Rest>
enum qn_status cc_join(const struct cc_forest *forest, bool both_ends, First first, Rest rest,
                       struct qn_error *error) {
  const unsigned blocks = qn_run_blocks(forest->memory, forest->num_vertices);
  QN_LAUNCH(begin_alone, blocks, QN_QUEUE_THREADS, 0, NULL, forest->parent, forest->num_vertices);
  enum qn_status status = qn_cuda_status(
      cudaMemsetAsync(forest->largest, 0xff, sizeof *forest->largest, NULL), "a root", error);
  if (!status)
    status = first(forest, error);
  if (status)
    return status;
  QN_LAUNCH(compress, blocks, QN_QUEUE_THREADS, 0, NULL, forest->parent, forest->num_vertices);
  if (both_ends)
    QN_LAUNCH(find_largest, 1, NUM_SAMPLES, 0, NULL, *forest);
  status = rest(forest, error);
  if (status)
    return status;
  QN_LAUNCH(compress, blocks, QN_QUEUE_THREADS, 0, NULL, forest->parent, forest->num_vertices);
  return qn_cuda_launched("joining edges", error);
}

/* Join an edge of which `root` is the first end's parent. */
QN_DEVICE_INLINE void join_below(uint32_t *parent, uint32_t root, uint32_t one, uint32_t other) {
  if (root != parent[other])
    join(parent, one, other);
}

/* A graph that is to be resident. */
struct cc_resident {
  uint64_t num_vertices;
  uint64_t bytes; /* that its edges take at least: more than fits is not begun to be brought */
  bool both_ends;
  const uint32_t *order; /* [V] on the host, as of struct cc_forest */
};

/* A run whole; `upload(memory, error)` brings the edges to the device. *too_large: nothing is wrong
 * but that there is too little memory. */
template <class Upload, class First, class Rest>
enum qn_status cc_run_resident(const struct qn_run_request *request,
                               const struct cc_resident *graph, Upload upload, First first,
                               Rest rest, struct qn_run_result *result, bool *too_large,
                               struct qn_error *error) {
  struct qn_cuda_memory memory;
  struct cc_forest forest;
  uint32_t *labels = NULL;
  memset(&forest, 0, sizeof forest);
  memset(result, 0, sizeof *result);
  forest.memory = &memory;
  forest.num_vertices = graph->num_vertices;
  auto prepare = [&](struct qn_error *failure) {
    if (graph->bytes > qn_cuda_plannable_bytes(&memory.device, memory.cap))
      return qn_run_no_room(&memory);
    enum qn_status status = upload(&memory, failure);
    return status ? status : cc_forest_create(&forest, request, graph->order, failure);
  };
  auto algorithm = [&](struct qn_error *failure) {
    enum qn_status status = cc_join(&forest, graph->both_ends, first, rest, failure);
    return status ? status : cc_label(&forest, &labels, failure);
  };
  auto finish = [&](enum qn_status status, struct qn_error *failure) {
    if (!status)
      status =
          qn_run_download(&memory, QN_RESULT_U32, labels, forest.num_vertices, result, failure);
    result->stats.iterations = 1;
    result->stats.converged = true;
    *too_large = status && memory.exhausted;
    return status;
  };
  return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
}

} /* namespace */
