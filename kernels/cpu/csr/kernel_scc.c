/* Strongly connected components on CSR: two vertices are in one if each can reach the other.
 *
 * A kernel of its own because reaching goes both ways, and components of components are searched.
 * In three steps, after Slota, Rajamanickam, Madduri: BFS and Coloring-Based Parallel Algorithms
 * for Strongly Connected Components and Related Problems, IPDPS 2014:
 *
 *   trim      a vertex without in- or without out-edges is alone; without it others may be so, too
 *   the core  what the vertex of most edges reaches and is reached by: in most graphs nearly all
 *             that is left (Fleischer, Hendrickson, Pinar: On Identifying Strongly Connected
 *             Components in Parallel, 2000), found by two searches of the kernel of bfs
 *   the rest  what is left after another trim, by Tarjan, on one thread (kernels/tarjan.h) */
#include "kernels/cpu/loop/frontier.h"
#include "kernels/cpu/loop/labels.h"
#include "kernels/in_edges.h"
#include "kernels/standalone_kernel.h"
#include "kernels/tarjan.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/graph.h>

extern const struct qn_kernel qn_kernel_scc_csr_cpu;

#define NOT_YET QN_NO_COMPONENT

struct work {
  struct qn_graph graph; /* with in-edges */
  uint64_t num_vertices;
  uint32_t *component; /* [V] a vertex of it, or NOT_YET */
};

static bool is_left(const struct work *work, uint32_t v) {
  return __atomic_load_n(&work->component[v], __ATOMIC_RELAXED) == NOT_YET;
}

/* ---- Trim ---------------------------------------------------------------------------------- */

struct trim {
  const struct work *work;
  uint64_t *outs, *ins;         /* [V] edges to and from others that are left */
  struct qn_frontier lone;      /* vertices without any on one side */
  struct qn_frontier uncovered; /* those that are so without these */
};

static uint64_t edges_to_left(const struct work *work, const struct qn_csr *csr, uint32_t v) {
  uint64_t count = 0;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
    count += csr->column_indices[edge] != v && is_left(work, csr->column_indices[edge]);
  return count;
}

/* True for the one thread that makes `v` a component of its own. */
static bool claim(const struct work *work, uint32_t v) {
  uint32_t expected = NOT_YET;
  return __atomic_compare_exchange_n(&work->component[v], &expected, v, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

static void count_edges(struct trim *trim) {
  const struct work *work = trim->work;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    if (is_left(work, (uint32_t)v)) {
      trim->outs[v] = edges_to_left(work, &work->graph.out, (uint32_t)v);
      trim->ins[v] = edges_to_left(work, &work->graph.in, (uint32_t)v);
    }
}

static void find_lone(struct trim *trim) {
  const struct work *work = trim->work;
#pragma omp parallel
  {
    struct qn_queue_block block = {0};
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < work->num_vertices; v++)
      if (is_left(work, (uint32_t)v) && (!trim->outs[v] || !trim->ins[v])) {
        claim(work, (uint32_t)v);
        qn_frontier_push(&trim->lone, &block, (uint32_t)v);
      }
    qn_frontier_flush(&trim->lone, &block);
  }
}

/* `v` is gone: its neighbours in `csr` have an edge less in `counts`. */
static void uncover(struct trim *trim, const struct qn_csr *csr, uint64_t *counts, uint32_t v,
                    struct qn_queue_block *block) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (other != v && is_left(trim->work, other) &&
        __atomic_sub_fetch(&counts[other], 1, __ATOMIC_RELAXED) == 0 && claim(trim->work, other))
      qn_frontier_push(&trim->uncovered, block, other);
  }
}

static void remove_lone(struct trim *trim) {
  const struct qn_graph *graph = &trim->work->graph;
  while (trim->lone.count > 0) {
#pragma omp parallel if (trim->lone.count > 256)
    {
      struct qn_queue_block block = {0};
#pragma omp for schedule(dynamic, 64)
      for (uint64_t i = 0; i < trim->lone.count; i++) {
        uncover(trim, &graph->out, trim->ins, trim->lone.queue[i], &block);
        uncover(trim, &graph->in, trim->outs, trim->lone.queue[i], &block);
      }
      qn_frontier_flush(&trim->uncovered, &block);
    }
    qn_frontier_swap(&trim->lone, &trim->uncovered);
    qn_frontier_clear(&trim->uncovered);
  }
}

/* Vertices that are left and lie on no cycle's way in or out become components of their own. */
static enum qn_status trim_lone(const struct work *work, struct qn_error *error) {
  struct trim trim = {.work = work};
  enum qn_status status =
      qn_pages_alloc(&trim.outs, work->num_vertices, sizeof *trim.outs, "out-degrees", error);
  if (!status)
    status = qn_pages_alloc(&trim.ins, work->num_vertices, sizeof *trim.ins, "in-degrees", error);
  if (!status)
    status = qn_frontier_create(&trim.lone, work->num_vertices, error);
  if (!status)
    status = qn_frontier_create(&trim.uncovered, work->num_vertices, error);
  if (!status) {
    count_edges(&trim);
    find_lone(&trim);
    remove_lone(&trim);
  }
  qn_pages_free(trim.outs, work->num_vertices, sizeof *trim.outs);
  qn_pages_free(trim.ins, work->num_vertices, sizeof *trim.ins);
  qn_frontier_destroy(&trim.lone);
  qn_frontier_destroy(&trim.uncovered);
  return status;
}

/* ---- The core ------------------------------------------------------------------------------ */

static uint64_t row_length(const struct qn_csr *csr, uint64_t v) {
  return csr->row_offsets[v + 1] - csr->row_offsets[v];
}

/* Of the vertices that are left the one with most edges on its poorer side; NOT_YET: none is. */
static uint32_t find_pivot(const struct work *work) {
  uint64_t best = 0;
  uint32_t pivot = NOT_YET;
  for (uint64_t v = 0; v < work->num_vertices; v++) {
    const uint64_t outs = row_length(&work->graph.out, v), ins = row_length(&work->graph.in, v);
    const uint64_t edges = outs < ins ? outs : ins;
    if (work->component[v] == NOT_YET && (pivot == NOT_YET || edges > best)) {
      best = edges;
      pivot = (uint32_t)v;
    }
  }
  return pivot;
}

/* Hops from the pivot along the edges, or against them. The caller destroys `hops`. */
static enum qn_status search(const struct work *work, uint32_t pivot, bool backwards,
                             struct qn_run_result *hops, struct qn_error *error) {
  struct qn_graph graph = work->graph;
  if (backwards) {
    graph.out = work->graph.in;
    graph.in = work->graph.out;
  }
  const struct qn_kernel *bfs =
      qn_kernel_find("bfs", QN_LAYOUT_GRAPH, QN_CPU, graph.out.weights.type);
  struct qn_run_request request = qn_run_request_for(bfs, &graph);
  request.inputs.sources = &pivot;
  request.inputs.num_sources = 1;
  return bfs->run(&request, hops, error);
}

static enum qn_status find_core(const struct work *work, struct qn_error *error) {
  const uint32_t pivot = find_pivot(work);
  struct qn_run_result forwards, backwards;
  if (pivot == NOT_YET)
    return QN_OK;
  enum qn_status status = search(work, pivot, false, &forwards, error);
  if (status)
    return status;
  status = search(work, pivot, true, &backwards, error);
  if (!status) {
    const uint32_t *to = forwards.values, *from = backwards.values;
#pragma omp parallel for schedule(static)
    for (uint64_t v = 0; v < work->num_vertices; v++)
      if (to[v] != UINT32_MAX && from[v] != UINT32_MAX)
        work->component[v] = pivot;
    qn_run_result_destroy(&backwards);
  }
  qn_run_result_destroy(&forwards);
  return status;
}

/* -------------------------------------------------------------------------------------------- */

static enum qn_status find_components(struct work *work, const struct qn_run_request *request,
                                      struct qn_error *error) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    work->component[v] = NOT_YET;
  enum qn_status status = trim_lone(work, error);
  if (!status)
    status = find_core(work, error);
  if (!status)
    status = trim_lone(work, error);
  if (!status)
    status = qn_tarjan(&work->graph.out, work->component, error);
  if (!status)
    status = qn_label_by_position(work->component, work->num_vertices, request->positions, error);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.graph = *graph, .num_vertices = graph->out.num_vertices};
  struct qn_graph transposed = {0};
  const struct qn_csr *in;
  double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_find_in_edges(graph, &transposed, &in, error);
  work.graph.in = *in;
  work.graph.has_transpose = true;
  if (!status)
    status = qn_pages_alloc(&work.component, work.num_vertices, sizeof *work.component,
                            "components", error);
  const double prepared = qn_seconds();
  if (!status)
    status = find_components(&work, request, error);
  qn_graph_unmap(&transposed);
  if (status) {
    qn_pages_free(work.component, work.num_vertices, sizeof *work.component);
    return status;
  }
  *result = (struct qn_run_result){.type = QN_RESULT_U32,
                                   .num_values = work.num_vertices,
                                   .values = work.component,
                                   .stats.iterations = 1,
                                   .stats.converged = true,
                                   .stats.prepare_seconds = prepared - begin,
                                   .stats.kernel_seconds = qn_seconds() - prepared};
  return QN_OK;
}

const struct qn_kernel qn_kernel_scc_csr_cpu =
    QN_SCC_KERNEL("csr, trim, core, Tarjan", QN_LAYOUT_GRAPH, QN_CPU, run);
