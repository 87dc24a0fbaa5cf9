/* Neighbours for graph neural networks, sampled hop by hop (Hamilton, Ying, Leskovec: Inductive
 * Representation Learning on Large Graphs, NeurIPS 2017): of the edges that arrive at a vertex
 * `fanout` are taken, each set of so many as likely as any other, or all if there are no more; the
 * vertices that are new come next. Parallel edges are different ones.
 *
 * Random numbers depend on the seed, the hop and the vertex alone.
 *
 * A kernel of its own because it finds a graph, and not values of vertices. */
#include <inttypes.h>

#include "kernels/cpu/sampling/choose.h"
#include "kernels/in_edges.h"
#include "kernels/sample.h"
#include "kernels/standalone_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/arrays/reserve.h"
#include "support/threads.h"
#include <quern/graph.h>

extern const struct qn_kernel qn_kernel_sample_csr_cpu;

#define NO_PLACE UINT32_MAX

struct work {
  const struct qn_run_request *request;
  const struct qn_csr *in;
  struct qn_sample *sample;
  uint64_t capacity;  /* for nodes */
  uint32_t *vertices; /* [capacity] of the graph, beside sample->nodes */
  uint32_t *places;   /* [V] in these, or NO_PLACE */
  uint64_t *begins;   /* [frontier + 1] where the edges of a vertex of this hop begin */
  uint64_t frontier_capacity;
};

/* ---- A hop ----------------------------------------------------------------------------------- */

static uint64_t row_length(const struct work *work, uint32_t vertex) {
  return work->in->row_offsets[vertex + 1] - work->in->row_offsets[vertex];
}

static uint64_t taken_of(const struct work *work, uint32_t vertex, uint32_t fanout) {
  const uint64_t length = row_length(work, vertex);
  return length < fanout ? length : fanout;
}

static enum qn_status add_node(struct work *work, uint32_t vertex, struct qn_error *error) {
  struct qn_sample *sample = work->sample;
  const uint32_t *positions = work->request->positions;
  enum qn_status status = qn_sample_reserve_nodes(sample, sample->num_nodes + 1, error);
  if (!status)
    status = qn_reserve(&work->vertices, &work->capacity, sample->num_nodes + 1,
                        sizeof *work->vertices, "sampled vertices", error);
  if (status)
    return status;
  work->places[vertex] = (uint32_t)sample->num_nodes;
  work->vertices[sample->num_nodes] = vertex;
  sample->nodes[sample->num_nodes++] = positions ? positions[vertex] : vertex;
  return QN_OK;
}

/* Where the edges of each vertex of the hop go. */
static enum qn_status find_begins(struct work *work, uint64_t first, uint64_t count,
                                  uint32_t fanout, struct qn_error *error) {
  struct qn_sample *sample = work->sample;
  if (count + 1 > work->frontier_capacity) {
    enum qn_status status =
        qn_realloc(&work->begins, count + 1, sizeof *work->begins, "offsets of a hop", error);
    if (status)
      return status;
    work->frontier_capacity = count + 1;
  }
  work->begins[0] = sample->num_edges;
  for (uint64_t i = 0; i < count; i++)
    work->begins[i + 1] = work->begins[i] + taken_of(work, work->vertices[first + i], fanout);
  return qn_sample_reserve_edges(sample, work->begins[count], error);
}

static void sample_rows(struct work *work, uint64_t hop, uint64_t first, uint64_t count) {
  const uint64_t key = qn_sample_key(qn_argument(work->request, "seed").whole, hop);
  struct qn_sample *sample = work->sample;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t begin = work->begins[i], taken = work->begins[i + 1] - begin;
    const uint32_t vertex = work->vertices[first + i];
    qn_choose_neighbors(qn_random_at(key, sample->nodes[first + i]),
                        work->in->column_indices + work->in->row_offsets[vertex],
                        row_length(work, vertex), taken, sample->from + begin);
    for (uint64_t j = 0; j < taken; j++)
      sample->to[begin + j] = (uint32_t)(first + i);
  }
  sample->num_edges = work->begins[count];
}

/* Places in the list instead of vertices; those that are new come to its end. */
static enum qn_status place_neighbors(struct work *work, uint64_t first_edge,
                                      struct qn_error *error) {
  struct qn_sample *sample = work->sample;
  enum qn_status status = QN_OK;
  for (uint64_t edge = first_edge; edge < sample->num_edges && !status; edge++) {
    const uint32_t vertex = sample->from[edge];
    if (work->places[vertex] == NO_PLACE)
      status = add_node(work, vertex, error);
    sample->from[edge] = work->places[vertex];
  }
  return status;
}

static enum qn_status do_hops(struct work *work, struct qn_error *error) {
  struct qn_sample *sample = work->sample;
  uint64_t first = 0;
  enum qn_status status = QN_OK;
  sample->node_ends[0] = sample->num_nodes;
  for (uint32_t hop = 0; hop < sample->num_hops && !status; hop++) {
    const uint64_t count = sample->num_nodes - first, edges = sample->num_edges;
    status = find_begins(work, first, count, work->request->arguments.list[hop], error);
    if (status)
      break;
    sample_rows(work, hop, first, count);
    first = sample->num_nodes;
    status = place_neighbors(work, edges, error);
    sample->node_ends[hop + 1] = sample->num_nodes;
    sample->edge_ends[hop + 1] = sample->num_edges;
    if (!status)
      status = qn_context_check(error);
  }
  return status;
}

/* ---------------------------------------------------------------------------------------------- */

static enum qn_status create(struct work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  const uint64_t num_vertices = work->in->num_vertices;
  enum qn_status status = qn_sample_create(request->arguments.list_length, &work->sample, error);
  if (!status)
    status = qn_pages_alloc(&work->places, num_vertices, sizeof *work->places, "places", error);
  for (uint64_t v = 0; !status && v < num_vertices; v++)
    work->places[v] = NO_PLACE;
  for (uint32_t i = 0; !status && i < request->inputs.num_sources; i++)
    if (work->places[request->inputs.sources[i]] == NO_PLACE)
      status = add_node(work, request->inputs.sources[i], error);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct qn_graph transposed = {0};
  struct work work = {.request = request};
  double begin = qn_seconds();
  *result = (struct qn_run_result){.shape = QN_SHAPE_SAMPLE,
                                   .type = QN_RESULT_U32,
                                   .stats.converged = true,
                                   .stats.iterations = 1};
  enum qn_status status = qn_find_in_edges(graph, &transposed, &work.in, error);
  if (!status)
    status = create(&work, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = do_hops(&work, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  qn_pages_free(work.places, graph->out.num_vertices, sizeof *work.places);
  qn_free(work.vertices);
  qn_free(work.begins);
  qn_graph_unmap(&transposed);
  if (status) {
    qn_sample_destroy(work.sample);
    *result = (struct qn_run_result){0};
    return status;
  }
  result->sample = work.sample;
  return QN_OK;
}

const struct qn_kernel qn_kernel_sample_csr_cpu =
    QN_SAMPLE_KERNEL("csr, in-edges, hop by hop", QN_LAYOUT_GRAPH, QN_CPU, run);
