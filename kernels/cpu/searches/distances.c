#include "kernels/cpu/searches/distances.h"

#include "kernels/cpu/searches/searches.h"
#include "support/memory.h"
#include "support/threads.h"

struct work {
  struct qn_searches searches;
  struct qn_distance_sums *sums; /* [V] */
  uint32_t *samples;             /* [num_samples] vertices, by number */
  double (*of_level)(uint32_t level);
};

static void add_level(void *user, uint64_t v, uint64_t bits, uint32_t level) {
  const struct work *work = user;
  struct qn_distance_sums *sums = &work->sums[v];
  if (level == 0) {
    sums->is_sample = true;
    return;
  }
  const uint32_t count = (uint32_t)__builtin_popcountll(bits);
  sums->reached += count;
  sums->sum += (double)count * work->of_level(level);
}

static enum qn_status create(struct work *work, const struct qn_run_request *request,
                             struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  const uint64_t num_vertices = graph->out.num_vertices;
  const double *numbers = request->inputs.initial;
  work->searches.come = add_level;
  work->searches.user = work;
  enum qn_status status = qn_searches_create(&work->searches, graph, error);
  if (!status)
    status =
        qn_pages_alloc(&work->sums, num_vertices, sizeof *work->sums, "sums of distances", error);
  if (!status)
    status = qn_pages_alloc(&work->samples, request->inputs.num_samples, sizeof *work->samples,
                            "samples", error);
  for (uint64_t v = 0; !status && request->inputs.num_samples > 0 && v < num_vertices; v++)
    if (numbers[v] > 0)
      work->samples[(uint64_t)numbers[v] - 1] = (uint32_t)v;
  return status;
}

static void destroy(struct work *work, const struct qn_run_request *request) {
  qn_pages_free(work->sums, work->searches.num_vertices, sizeof *work->sums);
  qn_pages_free(work->samples, request->inputs.num_samples, sizeof *work->samples);
  qn_searches_destroy(&work->searches);
}

static enum qn_status search_all(struct work *work, const struct qn_run_request *request,
                                 struct qn_run_result *result, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t first = 0; !status && first < request->inputs.num_samples; first += QN_SEARCHES) {
    const uint64_t left = request->inputs.num_samples - first;
    status = qn_searches_run(&work->searches, request, work->samples + first,
                             (uint32_t)(left < QN_SEARCHES ? left : QN_SEARCHES), result, error);
  }
  return status;
}

enum qn_status qn_distances_run(const struct qn_run_request *request,
                                double (*of_level)(uint32_t level),
                                double (*result_of)(const struct qn_distance_sums *sums,
                                                    double num_samples, double num_vertices),
                                struct qn_run_result *result, struct qn_error *error) {
  const uint64_t num_vertices = ((const struct qn_graph *)request->view)->out.num_vertices;
  struct work work = {.of_level = of_level};
  double *values = NULL, begin = qn_seconds();
  *result = (struct qn_run_result){.type = QN_RESULT_F64, .stats.converged = true};
  enum qn_status status = create(&work, request, error);
  if (!status)
    status = qn_pages_alloc(&values, num_vertices, sizeof *values, "values", error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    status = search_all(&work, request, result, error);
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < (status ? 0 : num_vertices); v++)
    values[v] = result_of(&work.sums[v], request->inputs.num_samples, (double)num_vertices);
  destroy(&work, request);
  if (status) {
    qn_pages_free(values, num_vertices, sizeof *values);
    *result = (struct qn_run_result){0};
    return status;
  }
  result->stats.kernel_seconds = qn_seconds() - begin;
  result->num_values = num_vertices;
  result->values = values;
  return QN_OK;
}
