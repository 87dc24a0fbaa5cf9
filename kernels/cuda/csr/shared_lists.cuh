/* Each edge once, in lists by degree (edges/degree_lists.cuh), by several devices: each has the
 * lists of the vertices whose rows it has, and to it all others are empty. A triangle lies in two
 * lists, so devices go through their edges as often as there are devices, with the lists of another
 * one beside their own each time, which they copy: a device holds its own edges and those of one
 * more.
 *
 * Bytes: 4 an edge of the graph's lists come to every device, and 8 a vertex from every other one.
 */
#pragma once

#include "kernels/cuda/csr/both_ways.cuh"
#include "kernels/cuda/edges/degree_lists.cuh"

namespace {

/* ---- The lists of a device ------------------------------------------------------------------ */

__global__ void count_ends(const struct qn_csr out, const struct qn_csr in, bool directed,
                           uint32_t *degrees) {
  qn_grid_steps(out.num_vertices, [&](uint64_t v) {
    degrees[v] = (uint32_t)(row_length(out, v) + (directed ? row_length(in, v) : 0));
  });
}

/* The edges of these rows at their first ends, if these have the rows. */
__global__ void orient_own(const struct qn_csr rows, const uint32_t *degrees, uint64_t *keys) {
  visit_edges_of_rows(rows, [&](uint64_t edge, uint32_t u, uint32_t v) {
    keys[edge] = u != v && is_first(degrees, u, v) ? (uint64_t)u << 32 | v : TC_DROPPED;
  });
}

struct own_rows {
  struct qn_csr out, in; /* the same where an edge is stored at both its ends */
};

inline unsigned own_edge_blocks(const struct qn_cuda_memory *memory, const struct qn_csr &rows) {
  return qn_grid(rows.num_edges, ORIENT_EDGES, memory->device.multiprocessors, 8);
}

/* What they take while they are made, at most, and `own_bytes` of the algorithm. */
inline enum qn_status own_lists_fit(struct qn_cuda_memory *memory, const struct qn_graph *graph,
                                    const char *algorithm, uint64_t own_bytes,
                                    struct qn_error *error) {
  const uint64_t V = graph->out.num_vertices, all = qn_both_ways_edge_bytes(graph);
  const uint64_t own = qn_row_bytes(memory->member, all);
  const uint64_t vertices = qn_both_ways_bytes(graph) - all + (4 + 2 * 8) * V + own_bytes;
  qn_row_plan(memory, vertices, own);
  return qn_run_must_fit(memory, algorithm, vertices + own + own / 4 * 28, error);
}

/* The keys of a device's edges, sorted, in a zeroed `work`; degrees are those of all vertices. */
inline enum qn_status own_keys_create(const struct qn_graph *graph, struct qn_cuda_memory *memory,
                                      struct own_rows *rows, struct tc_work *work,
                                      struct qn_error *error) {
  const uint64_t V = graph->out.num_vertices;
  uint64_t num_keys = 0;
  work->memory = memory;
  work->directed = graph->directedness != QN_UNDIRECTED;
  work->num_vertices = V;
  enum qn_status status = qn_run_check_units(V, 2 * graph->out.num_edges, error);
  if (!status)
    status = qn_both_ways_upload(memory, graph, &rows->out, &rows->in, error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->degrees, V, sizeof *work->degrees, "degrees", error);
  if (!status) {
    num_keys = rows->out.num_edges + (work->directed ? rows->in.num_edges : 0);
    status =
        qn_cuda_alloc(memory, &work->keys, num_keys, sizeof *work->keys, "oriented edges", error);
  }
  if (status)
    return status;
  QN_LAUNCH(count_ends, qn_run_blocks(memory, V), QN_QUEUE_THREADS, 0, NULL, rows->out, rows->in,
            work->directed, work->degrees);
  status = qn_cuda_launched("counting edges", error);
  if (!status)
    status = qn_row_gather(memory, work->degrees, sizeof *work->degrees, error);
  if (status)
    return status;
  QN_LAUNCH(orient_own, own_edge_blocks(memory, rows->out), TC_THREADS, 0, NULL, rows->out,
            work->degrees, work->keys);
  if (work->directed)
    QN_LAUNCH(orient_own, own_edge_blocks(memory, rows->in), TC_THREADS, 0, NULL, rows->in,
              work->degrees, work->keys + rows->out.num_edges);
  status = qn_cuda_launched("orienting edges", error);
  return status ? status : keep_each_once(work, num_keys, error);
}

/* ---- With those of the others --------------------------------------------------------------- */

struct told_lists {
  struct tc_lists lists;
  const uint8_t *ways; /* beside the entries; NULL: none */
  uint64_t num_edges;
};

/* Room for the lists of each other device. */
inline enum qn_status make_room_for_lists(struct qn_cuda_memory *memory, struct told_lists *room,
                                          struct qn_error *error) {
  const uint64_t count = room->lists.num_vertices + 1;
  uint64_t *offsets, most = 0;
  uint32_t *entries;
  uint8_t *ways = NULL;
  for (unsigned i = 0; i < qn_row_members(memory->member); i++) {
    const struct told_lists *told = (const struct told_lists *)qn_row_told(memory->member, i);
    most = told->num_edges > most ? told->num_edges : most;
  }
  enum qn_status status = qn_cuda_alloc(memory, &offsets, count, sizeof *offsets, "lists", error);
  if (!status)
    status = qn_cuda_alloc(memory, &entries, most, sizeof *entries, "list entries", error);
  if (!status && room->ways)
    status = qn_cuda_alloc(memory, &ways, most, sizeof *ways, "ways of edges", error);
  if (status)
    return status;
  room->lists.offsets = offsets;
  room->lists.entries = entries;
  room->ways = ways;
  return QN_OK;
}

inline enum qn_status copy_lists(struct qn_cuda_memory *memory, unsigned by,
                                 const struct told_lists *room, struct qn_error *error) {
  const struct told_lists *told = (const struct told_lists *)qn_row_told(memory->member, by);
  enum qn_status status =
      qn_row_copy(memory, (void *)room->lists.offsets, by, told->lists.offsets,
                  (room->lists.num_vertices + 1) * sizeof *told->lists.offsets, error);
  if (!status)
    status = qn_row_copy(memory, (void *)room->lists.entries, by, told->lists.entries,
                         told->num_edges * sizeof *told->lists.entries, error);
  return status || !room->ways ? status
                               : qn_row_copy(memory, (void *)room->ways, by, told->ways,
                                             told->num_edges * sizeof *told->ways, error);
}

/* count(lists) for the device's own, and for those of each other one: launches what goes through
 * its own edges with these. */
template <class Count>
enum qn_status with_lists_of_all(struct qn_cuda_memory *memory, const struct told_lists *own,
                                 Count count, struct qn_error *error) {
  struct qn_row_member *member = memory->member;
  const unsigned members = qn_row_members(member);
  struct told_lists room = *own;
  enum qn_status status = qn_row_tell(member, QN_OK, own, error);
  if (!status)
    status = count(own, error);
  if (!status)
    status = make_room_for_lists(memory, &room, error);
  for (unsigned turn = 1; turn < members && !status; turn++) {
    status = copy_lists(memory, (member->index + turn) % members, &room, error);
    if (!status)
      status = count(&room, error);
  }
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "looking at other devices' lists", error);
  return qn_row_agree(member, status);
}

/* ---- Sums ----------------------------------------------------------------------------------- */

template <class Number>
__global__ void add_numbers(Number *sums, const Number *more, uint64_t count) {
  qn_grid_steps(count, [&](uint64_t i) { sums[i] += more[i]; });
}

/* Every device has a part of the numbers of each vertex: those whose rows it has are the sums. */
template <class Number>
enum qn_status add_up_own(struct qn_cuda_memory *memory, uint64_t num_vertices, Number *numbers,
                          struct qn_error *error) {
  struct qn_row_member *member = memory->member;
  const unsigned members = qn_row_members(member);
  uint64_t begin, end;
  Number *more = NULL;
  qn_row_range(member, num_vertices, &begin, &end);
  enum qn_status status =
      qn_cuda_alloc(memory, &more, end - begin, sizeof *more, "what another has", error);
  status = qn_row_tell(member, status, numbers, error);
  for (unsigned turn = 1; turn < members && !status; turn++) {
    const unsigned by = (member->index + turn) % members;
    status = qn_row_copy(memory, more, by, (const Number *)qn_row_told(member, by) + begin,
                         (end - begin) * sizeof *more, error);
    if (status)
      break;
    QN_LAUNCH((add_numbers<Number>), qn_run_blocks(memory, end - begin), QN_QUEUE_THREADS, 0, NULL,
              numbers + begin, more, end - begin);
    status = qn_cuda_launched("adding up", error);
  }
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "adding up", error);
  if (more)
    qn_cuda_release(memory, more);
  return qn_row_agree(member, status);
}

} /* namespace */
