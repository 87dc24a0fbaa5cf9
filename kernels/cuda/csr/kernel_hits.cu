/* Hubs and authorities on CSR, on a device: what kernels/cpu/csr/kernel_hits.c says, to rounding.
 *
 * Rows of both directions are summed up in equal pieces (edges/row_sums.cuh), and sums over all
 * vertices are made of parts that depend on their number alone, so that every run gives the same
 * digits.
 *
 * Bytes: an iteration moves each edge twice, with 4 of column index and a random double (a sector),
 * and some 60 a vertex. */
#include <math.h>

#include "kernels/cuda/csr/both_ways.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/row_sums.cuh"
#include "kernels/cuda/edges/run_with.cuh"
#include "kernels/standalone_kernel.h"
#include "support/context.h"

extern "C" const struct qn_kernel qn_kernel_hits_csr_cuda;

#define PART_VERTICES 2048 /* at least so many a part of a sum, */
#define MOST_PARTS 512     /* of which there are so many at most */

namespace {

struct hits_side {
  struct qn_csr csr;
  struct qn_unit_sums sums; /* over all rows that have edges */
};

struct hits_work {
  const struct qn_run_request *request;
  struct qn_cuda_memory *memory;
  struct qn_run_result *result;
  uint64_t num_vertices;
  struct hits_side out, in;
  double *hubs, *authorities, *next; /* [V] */
  unsigned num_parts;
  double *parts;   /* [num_parts] of a sum over all vertices */
  double *changes; /* [num_parts] */
};

__global__ void queue_rows(const struct qn_csr csr, const struct qn_unit_queue queue,
                           qn_queue_size *size) {
  qn_queue_rows(csr, queue, size, [](uint64_t) { return true; });
}

__global__ void fill(double *values, uint64_t count, double with) {
  qn_grid_steps(count, [&](uint64_t v) { values[v] = with; });
}

struct take_sum {
  double *to;
  __device__ void operator()(uint32_t v, double sum) const { to[v] = sum; }
};

__global__ void __launch_bounds__(QN_QUEUE_THREADS)
    sum_tiles(const struct hits_side side, const double *from, double *to) {
  qn_unit_sum_tiles(
      side.sums, side.csr, [](uint32_t) { return true; }, [&](uint32_t v) { return from[v]; },
      take_sum{to});
}

__global__ void sum_rest(const struct hits_side side, double *to) {
  qn_unit_sum_rest(side.sums, take_sum{to});
}

__global__ void add_up(const double *values, uint64_t count, double *parts) {
  double sum = 0;
  qn_grid_steps(count, [&](uint64_t v) { sum += values[v]; });
  sum = qn_block_sum(sum);
  if (threadIdx.x == 0)
    parts[blockIdx.x] = sum;
}

/* `into` becomes `values` divided by their sum, whose parts are at hand; where there are no edges
 * all remain 0. */
__global__ void divide(const double *values, uint64_t count, const double *parts, double *into,
                       double *changes) {
  double sum = 0, change = 0;
  for (unsigned part = threadIdx.x; part < gridDim.x; part += blockDim.x)
    sum += parts[part];
  sum = qn_block_sum(sum);
  qn_grid_steps(count, [&](uint64_t v) {
    const double value = sum > 0 ? values[v] / sum : 0;
    change += fabs(value - into[v]);
    into[v] = value;
  });
  change = qn_block_sum(change);
  if (threadIdx.x == 0)
    changes[blockIdx.x] = change;
}

/* ---- The host's side ---------------------------------------------------------------------- */

enum qn_status create_side(struct hits_work *work, struct hits_side *side, qn_queue_size *size,
                           struct qn_error *error) {
  struct qn_cuda_memory *memory = work->memory;
  qn_queue_size queued = 0;
  enum qn_status status = qn_run_queue(memory, work->num_vertices, &side->sums.queue, error);
  if (!status)
    status = qn_cuda_status(cudaMemset(size, 0, sizeof *size), "clearing a counter", error);
  if (status)
    return status;
  QN_LAUNCH(queue_rows, qn_run_blocks(memory, work->num_vertices), QN_QUEUE_THREADS, 0, NULL,
            side->csr, side->sums.queue, size);
  status = qn_cuda_launched("cutting rows", error);
  if (!status)
    status = qn_cuda_download(memory, &queued, size, 1, sizeof queued, "a counter", error);
  side->sums.num_rows = qn_queue_entries(queued);
  side->sums.num_units = qn_queue_units(queued);
  return status;
}

/* Both sides use the same partial sums, one after the other. */
enum qn_status create_sides(struct hits_work *work, struct qn_error *error) {
  qn_queue_size *size;
  struct hits_side *out = &work->out, *in = &work->in;
  enum qn_status status = qn_cuda_alloc(work->memory, &size, 1, sizeof *size, "a counter", error);
  if (!status)
    status = create_side(work, out, size, error);
  if (!status && in->csr.row_offsets == out->csr.row_offsets)
    in->sums = out->sums;
  else if (!status)
    status = create_side(work, in, size, error);
  const uint32_t units =
      out->sums.num_units > in->sums.num_units ? out->sums.num_units : in->sums.num_units;
  double *partials = NULL;
  if (!status)
    status = qn_cuda_alloc(work->memory, &partials, units, sizeof *partials, "partial sums", error);
  out->sums.partials = in->sums.partials = partials;
  return status;
}

uint64_t needed_bytes(const struct qn_graph *graph, unsigned num_parts) {
  const uint64_t V = graph->out.num_vertices, units = graph->out.num_edges / QN_UNIT_EDGES + V;
  return qn_both_ways_bytes(graph) + (qn_both_ways_alike(graph) ? 1 : 2) * 8 * V + 3 * 8 * V +
         8 * units + 16 * num_parts + 64;
}

enum qn_status create(struct hits_work *work, struct qn_error *error) {
  const struct qn_graph *graph = (const struct qn_graph *)work->request->view;
  struct qn_cuda_memory *memory = work->memory;
  const uint64_t V = work->num_vertices = graph->out.num_vertices;
  const uint64_t parts = (V + PART_VERTICES - 1) / PART_VERTICES;
  work->num_parts = parts == 0 ? 1 : parts < MOST_PARTS ? (unsigned)parts : MOST_PARTS;
  enum qn_status status = qn_run_check_units(V, graph->out.num_edges, error);
  if (!status)
    status = qn_run_fit_or_read(memory, work->request, "hits", needed_bytes(graph, work->num_parts),
                                qn_both_ways_edge_bytes(graph), 0, error);
  if (!status)
    status = qn_both_ways_upload(memory, graph, &work->out.csr, &work->in.csr, error);
  if (!status)
    status = create_sides(work, error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->hubs, V, sizeof *work->hubs, "hubs", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &work->authorities, V, sizeof *work->authorities,
                                  "authorities", error);
  if (!status)
    status = qn_cuda_alloc_zeroed(memory, &work->next, V, sizeof *work->next, "sums", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->parts, work->num_parts, sizeof *work->parts,
                           "parts of sums", error);
  if (!status)
    status = qn_cuda_alloc(memory, &work->changes, work->num_parts, sizeof *work->changes,
                           "parts of sums", error);
  return status;
}

/* `into` = the sums of `from` over the rows of `side`, divided by the sum of all. Rows without
 * edges never get a sum: theirs is the 0 that was there. */
void launch_half(struct hits_work *work, const struct hits_side &side, const double *from,
                 double *into) {
  const uint64_t V = work->num_vertices;
  QN_LAUNCH(sum_tiles, qn_run_blocks(work->memory, side.sums.num_units), QN_QUEUE_THREADS, 0, NULL,
            side, from, work->next);
  QN_LAUNCH(sum_rest, qn_run_blocks(work->memory, side.sums.num_rows), QN_QUEUE_THREADS, 0, NULL,
            side, work->next);
  QN_LAUNCH(add_up, work->num_parts, QN_QUEUE_THREADS, 0, NULL, work->next, V, work->parts);
  QN_LAUNCH(divide, work->num_parts, QN_QUEUE_THREADS, 0, NULL, work->next, V, work->parts, into,
            work->changes);
}

/* One iteration, and the change of hubs. */
enum qn_status iterate_once(struct hits_work *work, double *change, struct qn_error *error) {
  const uint64_t bytes = work->num_vertices * sizeof *work->next;
  double changes[MOST_PARTS];
  enum qn_status status =
      qn_cuda_status(cudaMemsetAsync(work->next, 0, bytes, NULL), "clearing sums", error);
  if (status)
    return status;
  launch_half(work, work->in, work->hubs, work->authorities);
  status = qn_cuda_status(cudaMemsetAsync(work->next, 0, bytes, NULL), "clearing sums", error);
  if (status)
    return status;
  launch_half(work, work->out, work->authorities, work->hubs);
  status = qn_cuda_launched("hubs and authorities", error);
  if (!status)
    status = qn_cuda_download(work->memory, changes, work->changes, work->num_parts,
                              sizeof changes[0], "changes", error);
  *change = 0;
  for (unsigned part = 0; !status && part < work->num_parts; part++)
    *change += changes[part];
  return status;
}

enum qn_status iterate(struct hits_work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  struct qn_run_result *result = work->result;
  const uint64_t V = work->num_vertices;
  QN_LAUNCH(fill, qn_run_blocks(work->memory, V), QN_QUEUE_THREADS, 0, NULL, work->hubs, V,
            1 / (double)V);
  enum qn_status status = qn_cuda_launched("the first hubs", error);
  result->stats.converged = V == 0;
  while (!status && !result->stats.converged &&
         result->stats.iterations < request->limits.max_iterations) {
    const double began = qn_seconds();
    struct qn_iteration said = {};
    status = qn_context_check(error);
    if (!status)
      status = iterate_once(work, &result->stats.change, error);
    if (status)
      break;
    said.iteration = (uint32_t)result->stats.iterations++;
    said.mode = "pull";
    said.num_active = V;
    said.change = result->stats.change;
    said.seconds = qn_seconds() - began;
    result->stats.converged = result->stats.change < request->limits.tolerance;
    if (request->hooks.on_iteration)
      request->hooks.on_iteration(request->hooks.user, &said);
  }
  return status;
}

enum qn_status finish(struct hits_work *work, enum qn_status status, struct qn_error *error) {
  static const char *const names[] = {"hub", "authority"};
  const uint64_t V = work->num_vertices;
  struct qn_run_result *result = work->result;
  double *columns;
  if (!status)
    status = qn_pages_alloc(&columns, 2 * V, sizeof *columns, "hubs and authorities", error);
  if (status)
    return status;
  status = qn_cuda_download(work->memory, columns, work->hubs, V, sizeof *columns, "hubs", error);
  if (!status)
    status = qn_cuda_download(work->memory, columns + V, work->authorities, V, sizeof *columns,
                              "authorities", error);
  if (status) {
    qn_pages_free(columns, 2 * V, sizeof *columns);
    return status;
  }
  result->shape = QN_SHAPE_COLUMNS;
  result->type = QN_RESULT_F64;
  result->num_values = V;
  result->columns.count = 2;
  result->columns.names = names;
  result->values = columns;
  return QN_OK;
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  return qn_run_with(request, create, iterate, finish, result, error);
}

} /* namespace */

const struct qn_kernel qn_kernel_hits_csr_cuda =
    QN_HITS_KERNEL("csr, by turns", QN_LAYOUT_GRAPH, QN_CUDA, run);
