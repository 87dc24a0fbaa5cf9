/* Random walks on CSR: each step follows one of the edges that leave a vertex, all alike likely, or
 * with `weighted` each in proportion to its weight; a walk ends early where none leaves, or their
 * weights are 0. What node2vec's and DeepWalk's first part makes (Perozzi, Al-Rfou, Skiena 2014).
 *
 * A walk's random numbers depend on the seed and its own number alone.
 *
 * A kernel of its own because a walk has a value for every step. */
#include <inttypes.h>
#include <math.h>

#include "formats/graph/weight_value.h"
#include "kernels/standalone_kernel.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/threads.h"

QN_DECLARE_ALGORITHM(walk);
extern const struct qn_kernel qn_kernel_walk_csr_cpu;

#define NO_VERTEX UINT32_MAX
/* Walks among what a seed is for, and so many of them before the run may be cancelled. */
#define STREAM_WALKS 0x3A1C
#define BLOCK ((uint64_t)1 << 16)

struct work {
  const struct qn_run_request *request;
  const struct qn_csr *csr;
  uint32_t *order;    /* [V] vertices in original order, if all are sources and it is another */
  double *cumulative; /* [E] of the weights of a row, if they count */
  uint64_t num_walks, walks_each; /* in all, and from each source */
  uint64_t length;                /* steps of a walk */
  uint32_t *positions;            /* [num_walks][length + 1] */
};

static uint32_t source_of(const struct work *work, uint64_t walk) {
  const uint64_t index = walk / work->walks_each;
  if (work->request->inputs.sources)
    return work->request->inputs.sources[index];
  return work->order ? work->order[index] : (uint32_t)index;
}

/* The first edge of [begin, end) whose cumulative weight is more than a random part of all. */
static uint64_t choose_by_weight(const double *cumulative, uint64_t begin, uint64_t end,
                                 uint64_t random) {
  const double target = (double)(random >> 11) * 0x1p-53 * cumulative[end - 1];
  const uint64_t first = begin;
  uint64_t last = end - 1;
  while (begin < last) {
    const uint64_t middle = begin + (last - begin) / 2;
    if (cumulative[middle] > target)
      last = middle;
    else
      begin = middle + 1;
  }
  while (begin > first && cumulative[begin] == cumulative[begin - 1])
    begin--; /* rounding led to the end, where edges weigh nothing */
  return begin;
}

static uint32_t step_from(const struct work *work, uint32_t vertex, uint64_t random) {
  const uint64_t begin = work->csr->row_offsets[vertex], end = work->csr->row_offsets[vertex + 1];
  if (begin == end || (work->cumulative && !(work->cumulative[end - 1] > 0)))
    return NO_VERTEX;
  const uint64_t edge = work->cumulative ? choose_by_weight(work->cumulative, begin, end, random)
                                         : begin + qn_random_below(random, end - begin);
  return work->csr->column_indices[edge];
}

/* Returns the steps that were taken. */
static uint64_t walk_once(const struct work *work, uint64_t key, uint64_t walk) {
  const uint32_t *positions = work->request->positions;
  const uint64_t length = work->length, own = qn_random_at(key, walk);
  uint32_t *row = work->positions + walk * (length + 1);
  uint32_t vertex = source_of(work, walk);
  uint64_t steps = 0;
  for (uint64_t step = 0; step <= length; step++) {
    row[step] = vertex == NO_VERTEX || !positions ? vertex : positions[vertex];
    steps += vertex != NO_VERTEX && step > 0;
    if (vertex != NO_VERTEX)
      vertex = step_from(work, vertex, qn_random_at(own, step));
  }
  return steps;
}

static enum qn_status walk_all(const struct work *work, uint64_t *num_steps,
                               struct qn_error *error) {
  const uint64_t key = qn_random_key(qn_argument(work->request, "seed").whole, STREAM_WALKS);
  enum qn_status status = QN_OK;
  uint64_t steps = 0;
  for (uint64_t first = 0; !status && first < work->num_walks; first += BLOCK) {
    const uint64_t end = first + BLOCK < work->num_walks ? first + BLOCK : work->num_walks;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : steps)
    for (uint64_t walk = first; walk < end; walk++)
      steps += walk_once(work, key, walk);
    status = qn_context_check(error);
  }
  *num_steps = steps;
  return status;
}

/* ---- What a run needs ------------------------------------------------------------------------ */

static enum qn_status add_up_weights(struct work *work, struct qn_error *error) {
  const struct qn_csr *csr = work->csr;
  uint64_t bad = UINT64_MAX;
  if (!qn_argument(work->request, "weighted").whole || csr->weights.type == QN_WEIGHT_NONE)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&work->cumulative, csr->num_edges,
                                         sizeof *work->cumulative, "sums of weights", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1024) reduction(min : bad)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    double sum = 0;
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
      const double weight = qn_weight_value(&csr->weights, edge);
      sum += weight;
      work->cumulative[edge] = sum;
      if ((!(weight >= 0) || !isfinite(sum)) && edge < bad)
        bad = edge;
    }
  }
  return bad == UINT64_MAX ? QN_OK
                           : qn_fail(error, QN_INVALID,
                                     "walk --weighted needs weights that are not negative, with "
                                     "finite sums, but that of edge %" PRIu64 " is %g",
                                     bad, qn_weight_value(&csr->weights, bad));
}

static enum qn_status find_order(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->csr->num_vertices;
  const uint32_t *positions = work->request->positions;
  if (work->request->inputs.sources || !positions)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&work->order, num_vertices, sizeof *work->order, "original order", error);
  for (uint64_t v = 0; !status && v < num_vertices; v++)
    work->order[positions[v]] = (uint32_t)v;
  return status;
}

static enum qn_status create(struct work *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  const uint64_t num_sources =
      request->inputs.sources ? request->inputs.num_sources : work->csr->num_vertices;
  work->num_walks = num_sources * work->walks_each;
  if (work->num_walks > UINT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "there are 2^32 - 1 walks at most, not %" PRIu64,
                   work->num_walks);
  enum qn_status status = add_up_weights(work, error);
  if (!status)
    status = find_order(work, error);
  if (!status)
    status = qn_pages_alloc(&work->positions, work->num_walks * (work->length + 1),
                            sizeof *work->positions, "walks", error);
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.request = request,
                      .csr = &graph->out,
                      .length = qn_argument(request, "length").whole,
                      .walks_each = qn_argument(request, "walks").whole};
  const uint64_t length = work.length + 1;
  double begin = qn_seconds();
  *result = (struct qn_run_result){.shape = QN_SHAPE_WALKS,
                                   .type = QN_RESULT_U32,
                                   .stats.converged = true,
                                   .stats.iterations = 1};
  enum qn_status status = create(&work, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = walk_all(&work, &result->walks.steps, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  qn_pages_free(work.cumulative, graph->out.num_edges, sizeof *work.cumulative);
  qn_pages_free(work.order, graph->out.num_vertices, sizeof *work.order);
  if (status) {
    qn_pages_free(work.positions, work.num_walks * length, sizeof *work.positions);
    *result = (struct qn_run_result){0};
    return status;
  }
  result->num_values = work.num_walks;
  result->walks.length = (uint32_t)length;
  result->values = work.positions;
  return QN_OK;
}

const struct qn_kernel qn_kernel_walk_csr_cpu =
    QN_STANDALONE_KERNEL(walk, "csr, a thread a walk", QN_LAYOUT_GRAPH, QN_CPU, QN_KERNEL_WEIGHTS,
                         QN_RESULT_U32, run, 0);
