/* Neighbours sampled hop by hop on CSR, on a device: the sample of kernels/cpu/csr/kernel_sample.c,
 * edge by edge.
 *
 * A hop chooses edges, a thread a vertex, and copies whole rows, a warp a row. Each vertex that is
 * new is claimed by the first edge that leads to it, so that places are those of a walk along the
 * edges in order. Nodes and edges are fetched after every hop, which alone is on the device then.
 *
 * Bytes: an edge moves 4 of column index at random, 8 of a claim and 4 of a place twice, and 25 of
 * its own. */
#include "kernels/cpu/sampling/choose.h"
#include "kernels/cuda/device/primitives.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/in_edges.h"
#include "kernels/sample.h"
#include "kernels/standalone_kernel.h"
#include "support/context.h"

extern "C" const struct qn_kernel qn_kernel_sample_csr_cuda;

#define NO_PLACE UINT32_MAX
#define SCAN_THREADS 1024

namespace {

/* A hop on the device. */
struct hop_state {
  struct qn_csr in;
  const uint32_t *positions;  /* [V] or NULL */
  uint32_t *places;           /* [V] in the sample, or NO_PLACE */
  unsigned long long *claims; /* [V] the first edge that led there, if it has no place */
  uint64_t key;
  uint32_t fanout;
  uint64_t count;           /* of the hop's vertices, */
  uint64_t first_node;      /* whose first has this place */
  const uint32_t *vertices; /* [count] */
  uint64_t *begins;         /* [count + 1] of their edges */
  uint32_t *from, *to;      /* [edges] */
};

QN_DEVICE_INLINE uint64_t row_length(const struct hop_state &hop, uint32_t v) {
  return hop.in.row_offsets[v + 1] - hop.in.row_offsets[v];
}

/* One block. */
__global__ void __launch_bounds__(SCAN_THREADS) find_begins(const struct hop_state hop) {
  uint64_t before = 0;
  qn_block_steps(hop.count, [&](uint64_t i, bool there) {
    const uint64_t length = there ? row_length(hop, hop.vertices[i]) : 0;
    uint64_t total;
    const uint64_t begin = qn_block_scan(length < hop.fanout ? length : hop.fanout, &total);
    if (there)
      hop.begins[i] = before + begin;
    before += total;
  });
  if (threadIdx.x == 0)
    hop.begins[hop.count] = before;
}

__global__ void choose_edges(const struct hop_state hop) {
  qn_grid_steps(hop.count, [&](uint64_t i) {
    const uint32_t v = hop.vertices[i];
    const uint64_t taken = hop.begins[i + 1] - hop.begins[i], length = row_length(hop, v);
    const uint32_t position = hop.positions ? hop.positions[v] : v;
    if (taken < length)
      qn_choose_neighbors(qn_random_at(hop.key, position),
                          hop.in.column_indices + hop.in.row_offsets[v], length, taken,
                          hop.from + hop.begins[i]);
  });
}

__global__ void copy_rows(const struct hop_state hop) {
  const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
  for (uint64_t i = (uint64_t)blockIdx.x * (blockDim.x / 32) + qn_warp(); i < hop.count;
       i += warps) {
    const uint32_t v = hop.vertices[i];
    const uint64_t begin = hop.begins[i], taken = hop.begins[i + 1] - begin;
    const bool is_whole = taken == row_length(hop, v);
    for (uint64_t j = qn_lane(); j < taken; j += 32) {
      hop.to[begin + j] = (uint32_t)(hop.first_node + i);
      if (is_whole)
        hop.from[begin + j] = hop.in.column_indices[hop.in.row_offsets[v] + j];
    }
  }
}

/* ---- Places ------------------------------------------------------------------------------- */

__global__ void forget_places(const struct hop_state hop) {
  qn_grid_steps(hop.in.num_vertices, [&](uint64_t v) {
    hop.places[v] = NO_PLACE;
    hop.claims[v] = ~0ull;
  });
}

__global__ void claim(const struct hop_state hop, const uint32_t *found, uint64_t count) {
  qn_grid_steps(count, [&](uint64_t i) {
    if (hop.places[found[i]] == NO_PLACE)
      atomicMin(&hop.claims[found[i]], (unsigned long long)i);
  });
}

__global__ void flag_new(const struct hop_state hop, const uint32_t *found, uint64_t count,
                         uint8_t *flags) {
  qn_grid_steps(count + 1, [&](uint64_t i) {
    flags[i] = i < count && hop.places[found[i]] == NO_PLACE && hop.claims[found[i]] == i;
  });
}

/* `before` [i]: how many new ones come before. */
__global__ void give_places(const struct hop_state hop, const uint32_t *found, uint64_t count,
                            const uint8_t *flags, const uint32_t *before, uint64_t num_nodes,
                            uint32_t *nodes) {
  qn_grid_steps(count, [&](uint64_t i) {
    if (!flags[i])
      return;
    nodes[before[i]] = found[i];
    hop.places[found[i]] = (uint32_t)num_nodes + before[i];
  });
}

__global__ void find_places(const struct hop_state hop, uint32_t *found, uint64_t count) {
  qn_grid_steps(count, [&](uint64_t i) { found[i] = hop.places[found[i]]; });
}

/* ---- The host's side ---------------------------------------------------------------------- */

struct sample_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct qn_cuda_scratch scratch;
  struct hop_state hop;
  struct qn_sample *sample;
  uint32_t *vertices; /* those that are new, on the device; NULL: there are none */
};

/* The `count` vertices that are new in `found`, in the order in which they first come, follow the
 * sample's, and are work->vertices. */
enum qn_status add_nodes(struct sample_work *work, const uint32_t *found, uint64_t count,
                         struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  struct qn_sample *sample = work->sample;
  const unsigned blocks = qn_run_blocks(memory, count + 1);
  uint8_t *flags = NULL;
  uint32_t *before = NULL, num_new = 0;
  enum qn_status status =
      qn_cuda_alloc(memory, &flags, count + 1, sizeof *flags, "flags of edges", error);
  if (!status)
    status = qn_cuda_alloc(memory, &before, count + 1, sizeof *before, "places of edges", error);
  if (status)
    return status;
  QN_LAUNCH(claim, blocks, QN_QUEUE_THREADS, 0, NULL, work->hop, found, count);
  QN_LAUNCH(flag_new, blocks, QN_QUEUE_THREADS, 0, NULL, work->hop, found, count, flags);
  status = qn_cuda_launched("finding new vertices", error);
  if (!status)
    status = qn_cuda_exclusive_sum(memory, &work->scratch, flags, before, count + 1, NULL, error);
  if (!status)
    status = qn_cuda_download(memory, &num_new, before + count, 1, sizeof num_new,
                              "a number of vertices", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->vertices, num_new, sizeof *work->vertices,
                           "sampled vertices", error);
  if (!status)
    status = qn_sample_reserve_nodes(sample, sample->num_nodes + num_new, error);
  if (status)
    return status;
  QN_LAUNCH(give_places, blocks, QN_QUEUE_THREADS, 0, NULL, work->hop, found, count, flags, before,
            sample->num_nodes, work->vertices);
  status = qn_cuda_launched("placing vertices", error);
  uint32_t *nodes = sample->nodes + sample->num_nodes;
  if (!status)
    status = qn_cuda_download(memory, nodes, work->vertices, num_new, sizeof *nodes,
                              "sampled vertices", error);
  const uint32_t *positions = work->request->positions;
  for (uint32_t i = 0; !status && positions && i < num_new; i++)
    nodes[i] = positions[nodes[i]];
  sample->num_nodes += status ? 0 : num_new;
  qn_cuda_release(memory, before);
  qn_cuda_release(memory, flags);
  return status;
}

enum qn_status add_sources(struct sample_work *work, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  const struct qn_inputs *inputs = &work->request->inputs;
  uint32_t *sources;
  enum qn_status status =
      qn_cuda_alloc(memory, &sources, inputs->num_sources, sizeof *sources, "sources", error);
  if (!status)
    status = qn_cuda_upload(memory, sources, inputs->sources, inputs->num_sources, sizeof *sources,
                            "sources", error);
  if (!status)
    status = add_nodes(work, sources, inputs->num_sources, error);
  if (!status)
    qn_cuda_release(memory, sources);
  return status;
}

/* The hop's edges, on the device; their number is *num_edges. */
enum qn_status sample_edges(struct sample_work *work, uint64_t *num_edges, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  struct hop_state *hop = &work->hop;
  enum qn_status status = qn_cuda_alloc(memory, &hop->begins, hop->count + 1, sizeof *hop->begins,
                                        "offsets of a hop", error);
  if (status)
    return status;
  QN_LAUNCH(find_begins, 1, SCAN_THREADS, 0, NULL, *hop);
  status = qn_cuda_launched("a hop", error);
  if (!status)
    status = qn_cuda_download(memory, num_edges, hop->begins + hop->count, 1, sizeof *num_edges,
                              "a number of edges", error);
  if (!status)
    status =
        qn_cuda_alloc(memory, &hop->from, *num_edges, sizeof *hop->from, "sampled edges", error);
  if (!status)
    status = qn_cuda_alloc(memory, &hop->to, *num_edges, sizeof *hop->to, "sampled edges", error);
  if (status)
    return status;
  QN_LAUNCH(choose_edges, qn_run_blocks(memory, hop->count), QN_QUEUE_THREADS, 0, NULL, *hop);
  QN_LAUNCH(copy_rows,
            qn_grid(hop->count, QN_QUEUE_THREADS / 32, memory->device.multiprocessors, 8),
            QN_QUEUE_THREADS, 0, NULL, *hop);
  return qn_cuda_launched("sampling edges", error);
}

enum qn_status do_hop(struct sample_work *work, uint64_t number, uint64_t count,
                      struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  struct qn_sample *sample = work->sample;
  struct hop_state *hop = &work->hop;
  uint32_t *const vertices = work->vertices;
  uint64_t num_edges = 0;
  hop->key = qn_sample_key(qn_argument(work->request, "seed").whole, number);
  hop->fanout = work->request->arguments.list[number];
  hop->count = count;
  hop->first_node = sample->num_nodes - count;
  hop->vertices = vertices;
  enum qn_status status = sample_edges(work, &num_edges, error);
  if (!status)
    status = add_nodes(work, hop->from, num_edges, error);
  if (!status)
    status = qn_sample_reserve_edges(sample, sample->num_edges + num_edges, error);
  if (status)
    return status;
  QN_LAUNCH(find_places, qn_run_blocks(memory, num_edges), QN_QUEUE_THREADS, 0, NULL, *hop,
            hop->from, num_edges);
  status = qn_cuda_launched("finding places", error);
  if (!status)
    status = qn_cuda_download(memory, sample->from + sample->num_edges, hop->from, num_edges,
                              sizeof *hop->from, "sampled edges", error);
  if (!status)
    status = qn_cuda_download(memory, sample->to + sample->num_edges, hop->to, num_edges,
                              sizeof *hop->to, "sampled edges", error);
  sample->num_edges += status ? 0 : num_edges;
  qn_cuda_release(memory, hop->from);
  qn_cuda_release(memory, hop->to);
  qn_cuda_release(memory, hop->begins);
  qn_cuda_release(memory, vertices);
  return status;
}

enum qn_status do_hops(struct sample_work *work, struct qn_error *error) {
  struct qn_sample *sample = work->sample;
  uint64_t before = 0;
  QN_LAUNCH(forget_places, qn_run_blocks(work->memory, work->hop.in.num_vertices), QN_QUEUE_THREADS,
            0, NULL, work->hop);
  enum qn_status status = qn_cuda_launched("the first places", error);
  if (!status)
    status = add_sources(work, error);
  sample->node_ends[0] = sample->num_nodes;
  for (uint32_t hop = 0; hop < sample->num_hops && !status; hop++) {
    const uint64_t count = sample->num_nodes - before;
    before = sample->num_nodes;
    status = qn_context_check(error);
    if (!status)
      status = do_hop(work, hop, count, error);
    sample->node_ends[hop + 1] = sample->num_nodes;
    sample->edge_ends[hop + 1] = sample->num_edges;
  }
  return status;
}

/* What a hop takes at most: 12 bytes a vertex of it, 17 an edge and some for their sums. Hops
 * together have no more edges than the graph. */
uint64_t hop_bytes(const struct qn_run_request *request, uint64_t num_vertices,
                   uint64_t num_edges) {
  uint64_t count = request->inputs.num_sources, most = 9 * count;
  for (uint32_t hop = 0; hop < request->arguments.list_length; hop++) {
    const uint64_t fanout = request->arguments.list[hop];
    const uint64_t edges = count <= num_edges / fanout ? count * fanout : num_edges;
    const uint64_t bytes = 12 * (count + 1) + 18 * edges;
    most = bytes > most ? bytes : most;
    count = edges < num_vertices ? edges : num_vertices;
  }
  return most + 64;
}

enum qn_status create(struct sample_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices, E = graph->out.num_edges;
  const uint32_t *positions = work->request->positions;
  struct qn_graph transposed;
  const struct qn_csr *in;
  memset(&transposed, 0, sizeof transposed);
  enum qn_status status = qn_run_fit_or_read(memory, work->request, "sample",
                                             8 * (V + 1) + 4 * E + 12 * V + (positions ? 4 * V : 0),
                                             4 * E, hop_bytes(work->request, V, E), error);
  if (!status)
    status = qn_find_in_edges(graph, &transposed, &in, error);
  if (!status)
    status = qn_run_rows_of(memory, in, &work->hop.in, error);
  qn_graph_unmap(&transposed);
  if (!status && positions)
    status = qn_cuda_copy_of(memory, &work->hop.positions, positions, V, 0, sizeof *positions,
                             "positions", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->hop.places, V, sizeof *work->hop.places, "places", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->hop.claims, V, sizeof *work->hop.claims, "claims", error);
  return status ? status
                : qn_sample_create(work->request->arguments.list_length, &work->sample, error);
}

enum qn_status finish(struct sample_work *work, enum qn_status status, struct qn_error *) {
  struct qn_run_result *result = work->result;
  if (status) {
    qn_sample_destroy(work->sample);
    return status;
  }
  result->shape = QN_SHAPE_SAMPLE;
  result->type = QN_RESULT_U32;
  result->stats.iterations = 1;
  result->stats.converged = true;
  result->sample = work->sample;
  return status;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_with(request, create, do_hops, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_sample_csr_cuda =
    QN_SAMPLE_KERNEL("csr, in-edges, hop by hop", QN_LAYOUT_GRAPH, QN_CUDA, run);
