/* Betweenness centrality on packed rows (kernels/cpu/loop/brandes.h): those of a level are decoded
 * tile by tile, as its vertices ascend.
 *
 * A kernel of its own because it has two phases. Of a directed graph with rows in one direction
 * alone these are unpacked first. */
#include <omp.h>

#include "kernels/cpu/loop/brandes_step.h"
#include <quern/packed.h>
#include <quern/transpose.h>

/* A thread's tile. */
struct reader {
  uint64_t number; /* UINT64_MAX: none was decoded */
  struct qn_packed_tile tile;
};

struct brandes_rows {
  const struct qn_packed_rows *packed;
  struct reader *readers; /* one a thread */
};

static const struct qn_packed_tile *read_tile(const struct brandes_rows *rows, uint64_t number) {
  struct reader *reader = &rows->readers[omp_get_thread_num()];
  if (reader->number != number)
    qn_packed_decode(rows->packed, number, &reader->tile);
  reader->number = number;
  return &reader->tile;
}

static double sum_of_tile(const struct qn_packed_tile *tile, const double *offer, uint64_t row) {
  double parts[4] = {0, 0, 0, 0}; /* additions need not wait for each other */
  for (uint32_t edge = tile->begins[row]; edge < tile->begins[row + 1]; edge++)
    parts[edge % 4] += offer[tile->columns[edge]];
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

/* A row begins in the last tile that begins before it, or with it if that begins a range. */
static double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v) {
  const struct qn_packed_rows *packed = rows->packed;
  const uint32_t *tile_rows = packed->tile_rows;
  uint64_t number = qn_packed_find(packed, v);
  const bool begins_here = number < packed->num_tiles && tile_rows[number] == v &&
                           qn_packed_begins_range(tile_rows, number);
  number -= number > 0 && !begins_here;
  double sum = 0;
  for (; number < packed->num_tiles && tile_rows[number] <= v; number++) {
    const struct qn_packed_tile *tile = read_tile(rows, number);
    const uint64_t row = (uint64_t)v - tile->first_row;
    if (v >= tile->first_row && row < tile->num_rows)
      sum += sum_of_tile(tile, offer, row);
  }
  return sum;
}

#include "kernels/cpu/loop/brandes_rows.h"

#include "kernels/cpu/loop/brandes.h"

extern const struct qn_kernel qn_kernel_bc_packed_cpu;

static enum qn_status create_readers(struct brandes_rows *rows, struct qn_error *error) {
  enum qn_status status =
      qn_alloc(&rows->readers, qn_threads(), sizeof *rows->readers, "tiles", error);
  for (unsigned thread = 0; !status && thread < qn_threads(); thread++)
    rows->readers[thread].number = UINT64_MAX;
  return status;
}

static enum qn_status run_unpacked(const struct qn_run_request *request,
                                   const struct qn_packed *packed, struct qn_run_result *result,
                                   struct qn_error *error) {
  const struct qn_packed_rows *packed_rows = packed->has_out ? &packed->out : &packed->in;
  const struct qn_kernel *kernel =
      qn_kernel_find("bc", QN_LAYOUT_GRAPH, QN_CPU, packed_rows->weights.type);
  struct qn_graph rows = {0}, turned = {0};
  enum qn_status status = qn_packed_unpack(packed_rows, &rows, error);
  if (!status && !packed->has_out)
    status = qn_graph_create_transpose(&rows.out, &turned, error);
  if (!status) {
    const struct qn_graph graph = {.directedness = packed->directedness,
                                   .out = packed->has_out ? rows.out : turned.out,
                                   .in = rows.out,
                                   .has_transpose = !packed->has_out};
    struct qn_run_request plain = *request;
    plain.view = &graph;
    status = kernel->run(&plain, result, error);
  }
  qn_graph_unmap(&turned);
  qn_graph_unmap(&rows);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_packed *packed = request->view;
  const bool is_directed = packed->directedness != QN_UNDIRECTED;
  const double begin = qn_seconds();
  struct work work = {.edges = {.out.packed = packed->has_out ? &packed->out : &packed->in,
                                .in.packed = packed->has_in ? &packed->in : &packed->out},
                      .view = packed};
  struct brandes_edges *edges = &work.edges;
  *result = (struct qn_run_result){0};
  if (is_directed && !(packed->has_in && packed->has_out))
    return run_unpacked(request, packed, result, error);
  work.search = qn_kernel_find("bfs", QN_LAYOUT_PACKED, QN_CPU, edges->out.packed->weights.type);
  enum qn_status status = create_readers(&edges->out, error);
  if (!status)
    status = create_readers(&edges->in, error);
  if (!status)
    status = brandes_run(request, packed->num_vertices, &work, begin, result, error);
  qn_free(edges->out.readers);
  qn_free(edges->in.readers);
  return status;
}

const struct qn_kernel qn_kernel_bc_packed_cpu =
    QN_BC_KERNEL("packed Brandes pull", QN_LAYOUT_PACKED, QN_CPU, 0, run);
