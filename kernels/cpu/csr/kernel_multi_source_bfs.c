/* Breadth-first search from several sources on CSR, 64 at a time (kernels/cpu/searches).
 *
 * A kernel of its own because it has a value for every source and vertex. */
#include "kernels/cpu/searches/hop_planes.h"
#include "kernels/cpu/searches/searches.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_multi_source_bfs_csr_cpu;

struct work {
  struct qn_searches searches;
  struct qn_hop_planes planes;
  uint32_t *columns; /* [num_sources][V] */
};

static void note(void *user, uint64_t v, uint64_t searches, uint32_t level) {
  const struct work *work = user;
  qn_hop_planes_note(&work->planes, v, searches, level);
}

static enum qn_status create(struct work *work, const struct qn_run_request *request,
                             struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const uint64_t num_vertices = graph->out.num_vertices;
  const uint64_t most =
      num_vertices < request->limits.max_iterations ? num_vertices : request->limits.max_iterations;
  work->searches.come = note;
  work->searches.user = work;
  enum qn_status status = qn_searches_create(&work->searches, graph, error);
  if (!status)
    status = qn_hop_planes_create(&work->planes, num_vertices, most, error);
  if (!status)
    status = qn_pages_alloc(&work->columns, num_vertices * request->inputs.num_sources,
                            sizeof *work->columns, "hops from every source", error);
  return status;
}

static enum qn_status search_all(struct work *work, const struct qn_run_request *request,
                                 struct qn_run_result *result, struct qn_error *error) {
  struct qn_searches *searches = &work->searches;
  enum qn_status status = QN_OK;
  for (uint64_t first = 0; !status && first < request->inputs.num_sources; first += QN_SEARCHES) {
    const uint64_t left = request->inputs.num_sources - first, before = result->stats.iterations;
    const uint32_t count = (uint32_t)(left < QN_SEARCHES ? left : QN_SEARCHES);
    status =
        qn_searches_run(searches, request, request->inputs.sources + first, count, result, error);
    qn_hop_planes_spread(&work->planes, (uint32_t)(result->stats.iterations - before),
                         &searches->places->seen, sizeof *searches->places / sizeof(uint64_t),
                         work->columns + first * searches->num_vertices, count);
  }
  return status;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct work work = {0};
  double begin = qn_seconds();
  *result = (struct qn_run_result){
      .shape = QN_SHAPE_COLUMNS, .type = QN_RESULT_U32, .stats.converged = true};
  enum qn_status status = create(&work, request, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = search_all(&work, request, result, error);
  result->stats.kernel_seconds = qn_seconds() - begin;
  const uint64_t num_vertices = work.searches.num_vertices;
  qn_searches_destroy(&work.searches);
  qn_hop_planes_destroy(&work.planes);
  if (status) {
    qn_pages_free(work.columns, num_vertices * request->inputs.num_sources, sizeof *work.columns);
    *result = (struct qn_run_result){0};
    return status;
  }
  result->num_values = num_vertices;
  result->columns = (struct qn_result_columns){.count = request->inputs.num_sources,
                                               .sources = request->inputs.sources};
  result->values = work.columns;
  return QN_OK;
}

const struct qn_kernel qn_kernel_multi_source_bfs_csr_cpu =
    QN_MULTI_SOURCE_BFS_KERNEL("csr, 64 searches at once", QN_LAYOUT_GRAPH, QN_CPU, run);
