/* Local clustering coefficients on CSR, on a device: what kernels/cpu/csr/kernel_lcc.c says, to the
 * last bit, as only whole numbers are added up.
 *
 * A kernel of its own because it looks at triangles (degree_lists.cuh). Each is found once, at its
 * first vertex u, and told to all three: to u and v, its second one, when all of v's list has been
 * looked at, to the third in shared memory beside u's list, as far as that fits there.
 *
 * The list of u waits in shared memory; for each v in it the list of v is read, coalesced, and
 * every entry looked up by binary search, in pieces of TC_PIECE entries, so that no list is one
 * block's alone: an entry costs 4 bytes of L2 and some ten reads of shared memory at random banks,
 * which are the wall, and where the graph is directed 4 for each edge of a triangle, which say in
 * how many directions it leads. */
#include "kernels/cuda/csr/shared_lists.cuh"
#include "kernels/cuda/edges/host_lists.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/standalone_kernel.h"

extern "C" const struct qn_kernel qn_kernel_lcc_csr_cuda;

#define TC_LONG                                                                                    \
  4096              /* entries of a list that a block keeps in shared memory; the rest is in L2    \
                     */
#define TC_PIECE 32 /* entries of a list that a block takes at a time */
/* Of an edge of the lists: it leads from its first end, to it, or both. */
#define FROM_FIRST 1u
#define TO_FIRST 2u

namespace {

struct lcc_state {
  struct tc_lists lists;
  const uint8_t *ways;       /* beside the lists' entries; NULL: both everywhere */
  const uint32_t *names;     /* [V] of the lists' vertices in the graph; NULL: they are its own */
  unsigned long long *links; /* [V] edges between neighbours */
  uint32_t *neighbors;       /* [V] their number */
  double *coefficients;      /* [V] */
  /* Of several devices: where the second vertices' lists are looked for. Alone: the same lists. */
  struct tc_lists seconds;
  const uint8_t *second_ways;
};

/* Lists that are longer go into a queue with a unit for every piece. */
__global__ void queue_lists(const struct tc_lists lists, uint64_t longer_than,
                            const struct qn_unit_queue queue, qn_queue_size *size) {
  qn_block_steps(lists.num_vertices, [&](uint64_t v, bool there) {
    const uint64_t length = there ? lists.offsets[v + 1] - lists.offsets[v] : 0;
    const bool is_long = length > longer_than;
    if (__syncthreads_or(is_long))
      qn_queue_put(queue, size, is_long ? (uint32_t)((length + TC_PIECE - 1) / TC_PIECE) : 0,
                   (uint32_t)v);
  });
}

/* `ways` are those of the state, four in a word. */
__global__ void note_ways(const struct qn_csr csr, const uint32_t *degrees,
                          const struct lcc_state state, uint32_t *ways) {
  visit_edges_of_rows(csr, [&](uint64_t, uint32_t u, uint32_t v) {
    if (u == v)
      return;
    const bool before = is_first(degrees, u, v);
    const uint32_t first = before ? u : v, second = before ? v : u;
    const uint64_t begin = state.lists.offsets[first];
    const uint32_t length = (uint32_t)(state.lists.offsets[first + 1] - begin);
    const uint32_t place = place_of(state.lists.entries + begin, length, second);
    const uint64_t entry = begin + place;
    if (place < length)
      atomicOr(&ways[entry / 4], (before ? FROM_FIRST : TO_FIRST) << (8 * (entry % 4)));
  });
}

__global__ void count_neighbors(const struct lcc_state state) {
  const uint64_t *offsets = state.lists.offsets;
  qn_grid_steps(state.lists.num_vertices, [&](uint64_t v) {
    if (offsets[v + 1] > offsets[v])
      atomicAdd(&state.neighbors[v], (uint32_t)(offsets[v + 1] - offsets[v]));
  });
  qn_grid_steps(offsets[state.lists.num_vertices],
                [&](uint64_t i) { atomicAdd(&state.neighbors[state.lists.entries[i]], 1u); });
}

/* Edges along the i-th entry of lists. */
QN_DEVICE_INLINE unsigned ways_of(const uint8_t *ways, uint64_t i) {
  return ways ? (unsigned)__popc(ways[i]) : 2;
}

/* A list that a block works on, and what its members are told. */
struct list_at_hand {
  uint64_t begin; /* of all lists' entries */
  uint32_t length;
  const uint32_t *entries; /* [length] in shared memory if it fits */
  uint32_t *told;          /* beside them; NULL: it does not fit */
};

/* The triangles of u's list with its i-th entry, by a warp; returns each lane's share of u's. */
QN_DEVICE_INLINE unsigned long long find_triangles(const struct lcc_state &state,
                                                   const struct list_at_hand &list, uint32_t i) {
  const uint32_t v = list.entries[i];
  const unsigned u_to_v = ways_of(state.ways, list.begin + i);
  unsigned long long of_u = 0, of_v = 0;
  const uint64_t end = state.seconds.offsets[v + 1];
  for (uint64_t j = state.seconds.offsets[v] + qn_lane(); j < end; j += 32) {
    const uint32_t w = state.seconds.entries[j], place = place_of(list.entries, list.length, w);
    if (place == list.length)
      continue;
    of_u += ways_of(state.second_ways, j);
    of_v += ways_of(state.ways, list.begin + place);
    if (list.told)
      atomicAdd(&list.told[place], u_to_v);
    else
      atomicAdd(&state.links[w], (unsigned long long)u_to_v);
  }
  for (int step = 16; step > 0; step /= 2)
    of_v += __shfl_xor_sync(QN_FULL_WARP, of_v, step);
  if (qn_lane() == 0 && of_v)
    atomicAdd(&state.links[v], of_v);
  return of_u;
}

__global__ void __launch_bounds__(TC_THREADS)
    count_links(const struct lcc_state state, const struct qn_unit_queue queue,
                const qn_queue_size *size) {
  QN_SHARED(uint32_t, kept, TC_LONG);
  QN_SHARED(uint32_t, told, TC_LONG);
  const uint32_t num_entries = qn_queue_entries(*size), num_units = qn_queue_units(*size);
  for (uint64_t unit = blockIdx.x; unit < num_units; unit += gridDim.x) {
    const uint32_t entry = entry_of_unit(queue, num_entries, (uint32_t)unit);
    const uint32_t u = queue.vertices[entry], piece = (uint32_t)unit - queue.units[entry];
    struct list_at_hand list;
    list.begin = state.lists.offsets[u];
    list.length = (uint32_t)(state.lists.offsets[u + 1] - list.begin);
    const bool fits = list.length <= TC_LONG;
    list.entries = fits ? kept : state.lists.entries + list.begin;
    list.told = fits ? told : NULL;
    for (uint32_t i = threadIdx.x; fits && i < list.length; i += TC_THREADS) {
      kept[i] = state.lists.entries[list.begin + i];
      told[i] = 0;
    }
    __syncthreads();
    const uint32_t first = piece * TC_PIECE;
    const uint32_t end = list.length - first < TC_PIECE ? list.length : first + TC_PIECE;
    unsigned long long of_u = 0;
    for (uint32_t i = first + qn_warp(); i < end; i += TC_WARPS)
      of_u += find_triangles(state, list, i);
    of_u = qn_block_sum(of_u);
    if (threadIdx.x == 0 && of_u)
      atomicAdd(&state.links[u], of_u);
    for (uint32_t i = threadIdx.x; fits && i < list.length; i += TC_THREADS)
      if (told[i])
        atomicAdd(&state.links[kept[i]], (unsigned long long)told[i]);
    __syncthreads();
  }
}

__global__ void divide(const struct lcc_state state) {
  qn_grid_steps(state.lists.num_vertices, [&](uint64_t v) {
    const double neighbors = state.neighbors[v];
    state.coefficients[state.names ? state.names[v] : v] =
        neighbors > 1 ? (double)state.links[v] / (neighbors * (neighbors - 1)) : 0;
  });
}

/* ---- The host's side ---------------------------------------------------------------------- */

struct lcc_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  struct qn_csr csr; /* on the device */
  struct tc_work edges;
  struct lcc_state state;
  struct qn_unit_queue queue;
  qn_queue_size *size;
};

/* In how many directions the lists' edges lead. */
enum qn_status find_ways(struct lcc_work *work, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  if (!work->edges.directed)
    return QN_OK;
  uint32_t *ways;
  enum qn_status status = qn_cuda_alloc_zeroed(memory, &ways, work->edges.num_edges / 4 + 1,
                                               sizeof *ways, "ways of edges", error);
  if (status)
    return status;
  work->state.ways = (const uint8_t *)ways;
  QN_LAUNCH(note_ways,
            qn_grid(work->csr.num_edges, ORIENT_EDGES, memory->device.multiprocessors, 8),
            TC_THREADS, 0, NULL, work->csr, work->edges.degrees, work->state, ways);
  return qn_cuda_launched("finding ways of edges", error);
}

/* Of vertices. */
uint64_t own_bytes(uint64_t num_vertices) {
  return (8 + 8 + 4 + 8 + 8) * num_vertices + 64;
}

/* Lists that the device makes. */
enum qn_status make_lists_here(struct lcc_work *work, const struct qn_graph *graph,
                               struct qn_error *error) {
  enum qn_status status = degree_edges_of_csr(graph, &work->csr, &work->edges, error);
  if (!status)
    status = create_lists(&work->edges, work->edges.keys, &work->state.lists, error);
  if (status)
    return status;
  qn_cuda_release(work->edges.memory, work->edges.keys);
  return find_ways(work, error);
}

/* Lists that the host makes; they are read there if need be. */
enum qn_status bring_lists(struct lcc_work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  const struct qn_graph *graph = (const struct qn_graph *)request->view;
  const uint64_t V = graph->out.num_vertices, vertex_bytes = own_bytes(V) + 4 * V;
  struct qn_cuda_memory *memory = work->memory;
  struct lcc_state *state = &work->state;
  struct qn_orientation edges;
  memset(&edges, 0, sizeof edges);
  auto orient = [&](struct qn_orientation *made, struct qn_error *failure) {
    return qn_orientation_create(graph, true, made, failure);
  };
  enum qn_status status =
      host_lists_create(request, "lcc", vertex_bytes, memory, orient, &edges, error);
  if (!status) {
    work->edges.num_edges = edges.offsets[V];
    const uint64_t edge_bytes = (edges.ways ? 5 : 4) * work->edges.num_edges;
    status =
        qn_run_fit_or_read(memory, request, "lcc", vertex_bytes + edge_bytes, edge_bytes, 0, error);
  }
  if (!status)
    status = host_lists_bring(memory, V, edges.offsets, edges.earlier, true, &state->lists, error);
  if (!status && edges.ways)
    status = qn_run_edges_of(memory, &state->ways, edges.ways, work->edges.num_edges, 1,
                             "ways of edges", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &state->names, edges.old_vertex, V, 0, sizeof *state->names,
                             "vertices by degree", error);
  qn_orientation_destroy(&edges);
  return status;
}

/* What vertices have, and the queue of long lists. */
enum qn_status create_values(struct lcc_work *work, uint64_t V, struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  struct lcc_state *state = &work->state;
  enum qn_status status =
      qn_cuda_alloc_zeroed(memory, &state->links, V, sizeof *state->links, "links", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &state->neighbors, V, sizeof *state->neighbors,
                                  "numbers of neighbours", error);
  if (!status)
    status = qn_cuda_alloc(memory, &state->coefficients, V, sizeof *state->coefficients,
                           "result values", error);
  if (!status)
    status = qn_run_queue(memory, V, &work->queue, error);
  return status
             ? status
             : qn_cuda_alloc_zeroed(memory, &work->size, 1, sizeof *work->size, "counters", error);
}

enum qn_status create(struct lcc_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices;
  const bool fits = degree_edges_csr_bytes(graph) + own_bytes(V) <=
                    qn_cuda_plannable_bytes(&memory->device, memory->cap);
  work->edges.memory = memory;
  enum qn_status status = qn_run_check_units(V, graph->out.num_edges, error);
  if (!status)
    status = fits ? make_lists_here(work, graph, error) : bring_lists(work, error);
  return status ? status : create_values(work, V, error);
}

/* Of one device; what several do is below. */
enum qn_status count_all(struct lcc_work *work, struct qn_error *error) {
  struct lcc_state &state = work->state;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = state.lists.num_vertices, E = work->edges.num_edges;
  state.seconds = state.lists;
  state.second_ways = state.ways;
  QN_LAUNCH(count_neighbors, qn_run_blocks(memory, V > E ? V : E), QN_QUEUE_THREADS, 0, NULL,
            state);
  QN_LAUNCH(queue_lists, qn_run_blocks(memory, V), QN_QUEUE_THREADS, 0, NULL, state.lists, 1,
            work->queue, work->size);
  QN_LAUNCH(count_links, qn_grid(V + E / TC_PIECE, 1, memory->device.multiprocessors, 8),
            TC_THREADS, 0, NULL, state, work->queue, work->size);
  QN_LAUNCH(divide, qn_run_blocks(memory, V), QN_QUEUE_THREADS, 0, NULL, state);
  return qn_cuda_launched("counting links", error);
}

enum qn_status finish(struct lcc_work *work, enum qn_status status, struct qn_error *error) {
  return qn_run_give(status, work->memory, QN_RESULT_F64, work->state.coefficients,
                     work->state.lists.num_vertices, work->result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_with(request, create, count_all, finish, result, error);
}

/* ---- Several devices (shared_lists.cuh) ----------------------------------------------------- */

/* In which direction the edges of these rows lead from the first ends that have them: `ways`, four
 * in a word. */
__global__ void note_own_ways(const struct qn_csr rows, const uint32_t *degrees,
                              const struct tc_lists lists, uint32_t way, uint32_t *ways) {
  visit_edges_of_rows(rows, [&](uint64_t, uint32_t u, uint32_t v) {
    if (u == v || !is_first(degrees, u, v))
      return;
    const uint64_t begin = lists.offsets[u];
    const uint32_t length = (uint32_t)(lists.offsets[u + 1] - begin);
    const uint64_t entry = begin + place_of(lists.entries + begin, length, v);
    atomicOr(&ways[entry / 4], way << (8 * (entry % 4)));
  });
}

enum qn_status find_own_ways(struct lcc_work *work, const struct own_rows &rows,
                             struct qn_error *error) {
  struct qn_cuda_memory *memory = work->edges.memory;
  struct lcc_state *state = &work->state;
  uint32_t *ways;
  if (!work->edges.directed)
    return QN_OK;
  enum qn_status status = qn_cuda_alloc_zeroed(memory, &ways, work->edges.num_edges / 4 + 1,
                                               sizeof *ways, "ways of edges", error);
  if (status)
    return status;
  state->ways = (const uint8_t *)ways;
  QN_LAUNCH(note_own_ways, own_edge_blocks(memory, rows.out), TC_THREADS, 0, NULL, rows.out,
            work->edges.degrees, state->lists, FROM_FIRST, ways);
  QN_LAUNCH(note_own_ways, own_edge_blocks(memory, rows.in), TC_THREADS, 0, NULL, rows.in,
            work->edges.degrees, state->lists, TO_FIRST, ways);
  return qn_cuda_launched("finding ways of edges", error);
}

enum qn_status create_own(struct lcc_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = graph->out.num_vertices;
  struct lcc_state *state = &work->state;
  struct own_rows rows;
  enum qn_status status = own_lists_fit(memory, graph, "lcc", (8 + 4 + 8 + 2 * 4 + 8) * V, error);
  if (!status)
    status = own_keys_create(graph, memory, &rows, &work->edges, error);
  if (!status)
    status = create_lists(&work->edges, work->edges.keys, &state->lists, error);
  if (status)
    return status;
  qn_cuda_release(memory, work->edges.keys);
  status = find_own_ways(work, rows, error);
  return status ? status : create_values(work, V, error);
}

/* Triangles are told to all three, wherever their rows are. */
enum qn_status count_shared(struct lcc_work *work, struct qn_error *error) {
  struct lcc_state &state = work->state;
  struct qn_cuda_memory *memory = work->edges.memory;
  const uint64_t V = state.lists.num_vertices, E = work->edges.num_edges;
  const struct told_lists own = {state.lists, state.ways, E};
  QN_LAUNCH(count_neighbors, qn_run_blocks(memory, V > E ? V : E), QN_QUEUE_THREADS, 0, NULL,
            state);
  QN_LAUNCH(queue_lists, qn_run_blocks(memory, V), QN_QUEUE_THREADS, 0, NULL, state.lists, 1,
            work->queue, work->size);
  auto count = [&](const struct told_lists *others, struct qn_error *failure) {
    state.seconds = others->lists;
    state.second_ways = others->ways;
    QN_LAUNCH(count_links, qn_grid(V + E / TC_PIECE, 1, memory->device.multiprocessors, 8),
              TC_THREADS, 0, NULL, state, work->queue, work->size);
    return qn_cuda_launched("counting links", failure);
  };
  enum qn_status status = with_lists_of_all(memory, &own, count, error);
  if (!status)
    status = add_up_own(memory, V, state.links, error);
  if (!status)
    status = add_up_own(memory, V, state.neighbors, error);
  if (status)
    return status;
  QN_LAUNCH(divide, qn_run_blocks(memory, V), QN_QUEUE_THREADS, 0, NULL, state);
  status = qn_cuda_launched("dividing", error);
  return status ? status
                : qn_row_gather(memory, state.coefficients, sizeof *state.coefficients, error);
}

enum qn_status run_member(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_run_with(request, create_own, count_shared, finish, result, error);
}

enum qn_status run_any(const struct qn_run_request *request, struct qn_run_result *result,
                       struct qn_error *error) {
  return request->device->num_devices > 1 ? qn_run_by_rows(request, true, run_member, result, error)
                                          : run(request, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_lcc_csr_cuda =
    QN_LCC_KERNEL("csr, triangles by degree", QN_LAYOUT_GRAPH, QN_CUDA, run_any);
