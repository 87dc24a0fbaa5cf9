/* One shortest path on CSR, on a device: that of kernels/cpu/csr/kernel_path.c. The device's search
 * from the source and the tree that follows it (programs/bfs.h or sssp.h, and bfs_parents.h) are
 * run as they are, streamed too where the graph does not fit; the host then walks back from the
 * target.
 *
 * A kernel of its own because a path is no value of vertices. The search goes to its end, which
 * costs a device less than two that meet. */
#include <math.h>
#include <string.h>

#include "kernels/cuda/edges/run_device.cuh"
#include "kernels/standalone_kernel.h"
#include "kernels/weight_check.h"

extern "C" const struct qn_kernel qn_kernel_path_csr_cuda;

namespace {

struct path_work {
  const struct qn_run_request *request;
  enum qn_weight_type weights; /* that count */
  struct qn_device_run device;
  struct qn_run_result distances, parents;
  uint32_t *order; /* [V] vertices in original order; NULL: it is their own */
};

/* The run of another kernel from the same source, which leaves its values on the host. */
enum qn_status run_from_source(struct path_work *work, const struct qn_kernel *kernel,
                               struct qn_run_result *result, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  struct qn_run_request own = qn_run_request_for(kernel, request->view);
  own.positions = request->positions;
  own.inputs.sources = request->inputs.sources;
  own.inputs.num_sources = 1;
  own.inputs.initial = result == &work->parents ? work->distances.values : NULL;
  own.hooks.on_iteration = result == &work->parents ? NULL : request->hooks.on_iteration;
  own.hooks.user = request->hooks.user;
  own.device = &work->device;
  return kernel->run(&own, result, error);
}

bool is_reached(const struct qn_run_result *distances, uint32_t v) {
  switch (distances->type) {
  case QN_RESULT_U32:
    return ((const uint32_t *)distances->values)[v] != UINT32_MAX;
  case QN_RESULT_U64:
    return ((const uint64_t *)distances->values)[v] != UINT64_MAX;
  default:
    return ((const double *)distances->values)[v] < INFINITY;
  }
}

/* Hops become as wide as sums of weights; those of real weights stay as they are. */
uint64_t distance_bits(const struct qn_run_result *distances, uint32_t v) {
  return distances->type == QN_RESULT_U32 ? ((const uint32_t *)distances->values)[v]
                                          : ((const uint64_t *)distances->values)[v];
}

/* UINT32_MAX: there is none. */
uint32_t parent_of(const struct path_work *work, uint32_t v) {
  const uint32_t position = ((const uint32_t *)work->parents.values)[v];
  return work->order && position != UINT32_MAX ? work->order[position] : position;
}

enum qn_status find_order(struct path_work *work, struct qn_error *error) {
  const uint64_t V = work->distances.num_values;
  const uint32_t *positions = work->request->positions;
  if (!positions)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&work->order, V, sizeof *work->order, "original order", error);
  for (uint64_t v = 0; !status && v < V; v++)
    work->order[positions[v]] = (uint32_t)v;
  return status;
}

enum qn_status walk_back(const struct path_work *work, struct qn_run_result *result,
                         struct qn_error *error) {
  const uint32_t target = *work->request->inputs.target;
  uint64_t count = 1, *distances;
  for (uint32_t v = target; parent_of(work, v) != v; v = parent_of(work, v), count++)
    if (parent_of(work, v) >= work->distances.num_values || count > work->distances.num_values)
      return qn_fail(error, QN_INVALID, "the graph has become another while it was searched");
  enum qn_status status =
      qn_pages_alloc(&result->path, count, sizeof *result->path, "a path", error);
  if (!status)
    status = qn_pages_alloc(&distances, count, sizeof *distances, "distances", error);
  if (status) {
    qn_pages_free(result->path, count, sizeof *result->path);
    return status;
  }
  uint32_t v = target;
  for (uint64_t i = count; i-- > 0; v = parent_of(work, v)) {
    result->path[i] = v;
    distances[i] = distance_bits(&work->distances, v);
  }
  result->values = distances;
  result->num_values = count;
  return QN_OK;
}

/* What the search refuses of weights, in this algorithm's name: the host's takes large ones. */
enum qn_status refuse_weights(const struct qn_csr *csr, struct qn_error *error) {
  const struct qn_weight_demand signs = {"path", true, false, false};
  const struct qn_weight_demand sums = {"path on cuda", true, true, false};
  if (!qn_weights_suit(&signs, &csr->weights, csr->num_edges, csr->num_vertices, error) &&
      qn_weights_suit(&sums, &csr->weights, csr->num_edges, csr->num_vertices, error)) {
    const struct qn_error refused = *error;
    qn_fail(error, QN_UNSUPPORTED, "%s; --device=cpu takes them as they are", refused.message);
  }
  return QN_UNSUPPORTED;
}

enum qn_status find_path(struct path_work *work, struct qn_run_result *result,
                         struct qn_error *error) {
  const char *search = work->weights == QN_WEIGHT_NONE ? "bfs" : "sssp";
  const struct qn_csr *out = &((const struct qn_graph *)work->request->view)->out;
  const enum qn_weight_type type = out->weights.type;
  const struct qn_kernel *kernel = qn_kernel_find(search, QN_LAYOUT_GRAPH, QN_CUDA, type);
  const struct qn_kernel *follower = qn_derived_find(search, QN_LAYOUT_GRAPH, QN_CUDA, type);
  if (!kernel || !follower)
    return qn_fail(error, QN_UNSUPPORTED, "this build has no kernel for %s with weights %s on cuda",
                   search, qn_weight_type_name(type));
  enum qn_status status = run_from_source(work, kernel, &work->distances, error);
  work->request->device->report = work->device.report;
  if (status == QN_UNSUPPORTED && work->weights != QN_WEIGHT_NONE)
    return refuse_weights(out, error);
  if (status || !is_reached(&work->distances, *work->request->inputs.target))
    return status;
  status = run_from_source(work, follower, &work->parents, error);
  if (!status)
    status = find_order(work, error);
  return status ? status : walk_back(work, result, error);
}

enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                   struct qn_error *error) {
  struct path_work work;
  memset(&work, 0, sizeof work);
  memset(result, 0, sizeof *result);
  work.request = request;
  work.device = *request->device;
  work.device.leaves_values = false;
  if (!qn_argument(request, "unweighted").whole)
    work.weights = ((const struct qn_graph *)request->view)->out.weights.type;
  const bool is_real = work.weights == QN_WEIGHT_F32 || work.weights == QN_WEIGHT_F64;
  enum qn_status status = QN_OK;
  if (request->inputs.num_sources > 0 && request->inputs.target)
    status = find_path(&work, result, error);
  if (!status) {
    result->shape = QN_SHAPE_PATH;
    result->type = is_real ? QN_RESULT_F64 : QN_RESULT_U64;
    result->stats.iterations = 1;
    result->stats.converged = true;
    result->stats.prepare_seconds =
        work.distances.stats.prepare_seconds + work.parents.stats.prepare_seconds;
    result->stats.kernel_seconds =
        work.distances.stats.kernel_seconds + work.parents.stats.kernel_seconds;
  }
  qn_pages_free(work.order, work.distances.num_values, sizeof *work.order);
  qn_run_result_destroy(&work.distances);
  qn_run_result_destroy(&work.parents);
  return status;
}

} /* namespace */

const struct qn_kernel qn_kernel_path_csr_cuda =
    QN_PATH_KERNEL("csr, a search and its tree", QN_LAYOUT_GRAPH, QN_CUDA, run);
