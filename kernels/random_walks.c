#include "kernels/random_walks.h"

#include <inttypes.h>
#include <math.h>

#include "formats/graph/weight_value.h"
#include "kernels/registry.h"
#include "support/memory.h"

/* Walks among what a seed is for. */
#define STREAM_WALKS 0x3A1C

static enum qn_status add_up_weights(const struct qn_run_request *request, struct qn_walks *walks,
                                     struct qn_error *error) {
  const struct qn_csr *csr = &walks->csr;
  double *cumulative;
  uint64_t bad = UINT64_MAX;
  if (!qn_argument(request, "weighted").whole || csr->weights.type == QN_WEIGHT_NONE)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&cumulative, csr->num_edges, sizeof *cumulative, "sums of weights", error);
  if (status)
    return status;
  walks->cumulative = cumulative;
#pragma omp parallel for schedule(dynamic, 1024) reduction(min : bad)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    double sum = 0;
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
      const double weight = qn_weight_value(&csr->weights, edge);
      sum += weight;
      cumulative[edge] = sum;
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

static enum qn_status find_order(struct qn_walks *walks, struct qn_error *error) {
  const uint64_t num_vertices = walks->csr.num_vertices;
  uint32_t *order;
  if (walks->sources || !walks->positions)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&order, num_vertices, sizeof *order, "original order", error);
  if (status)
    return status;
  walks->order = order;
  for (uint64_t v = 0; v < num_vertices; v++)
    order[walks->positions[v]] = (uint32_t)v;
  return QN_OK;
}

enum qn_status qn_walks_create(const struct qn_run_request *request, struct qn_walks *walks,
                               struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const struct qn_inputs *inputs = &request->inputs;
  const uint64_t num_sources = inputs->sources ? inputs->num_sources : graph->out.num_vertices;
  *walks =
      (struct qn_walks){.csr = graph->out,
                        .sources = inputs->sources,
                        .positions = request->positions,
                        .length = qn_argument(request, "length").whole,
                        .walks_each = qn_argument(request, "walks").whole,
                        .key = qn_random_key(qn_argument(request, "seed").whole, STREAM_WALKS)};
  walks->num_walks = num_sources * walks->walks_each;
  if (walks->num_walks > UINT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "there are 2^32 - 1 walks at most, not %" PRIu64,
                   walks->num_walks);
  enum qn_status status = add_up_weights(request, walks, error);
  if (!status)
    status = find_order(walks, error);
  if (status)
    qn_walks_destroy(walks);
  return status;
}

void qn_walks_destroy(struct qn_walks *walks) {
  qn_pages_free((void *)walks->cumulative, walks->csr.num_edges, sizeof *walks->cumulative);
  qn_pages_free((void *)walks->order, walks->csr.num_vertices, sizeof *walks->order);
  *walks = (struct qn_walks){0};
}
