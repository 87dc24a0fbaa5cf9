#include "results/values.h"

#include <math.h>

#include "kernels/work_division/chunks.h"
#include "support/memory.h"

/* ---- Directions, whose length means nothing (QN_VALUES_UNIT) ----------------------------------
 */

static enum qn_status refuse_divergence(const struct qn_algorithm *algorithm,
                                        const struct qn_arguments *arguments,
                                        struct qn_error *error) {
  const uint32_t alpha = qn_parameter_find(algorithm, "alpha");
  if (alpha == algorithm->num_parameters)
    return qn_fail(error, QN_UNSUPPORTED, "the values of %s grow without bound", algorithm->name);
  return qn_fail(error, QN_UNSUPPORTED,
                 "the values of %s grow without bound: --alpha %g is not below 1 / (the largest "
                 "eigenvalue of the graph); 1 / (1 + the largest in-degree) always is, and "
                 "quern-run indegree --top 1 shows that",
                 algorithm->name, arguments->of[alpha].real);
}

static double largest_of(const struct qn_run_result *result) {
  double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (uint64_t v = 0; v < result->num_values; v++) {
    const double size = fabs(qn_value_number(result, v));
    largest = size > largest ? size : largest;
  }
  return largest;
}

/* The length of the values in units of `largest`, so that no square is too large. In chunks added
 * up in order: the same for any number of threads. */
static enum qn_status find_length(const struct qn_run_result *result, double largest,
                                  double *length, struct qn_error *error) {
  struct qn_sum sum;
  enum qn_status status = qn_sum_create(&sum, qn_sweep_chunks(result->num_values), error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < sum.num_parts; chunk++) {
    const uint64_t end = (chunk + 1) * QN_SWEEP_VERTICES;
    for (uint64_t v = chunk * QN_SWEEP_VERTICES; v < end && v < result->num_values; v++) {
      const double part = qn_value_number(result, v) / largest;
      sum.parts[chunk] += part * part;
    }
  }
  *length = sqrt(qn_sum_total(&sum));
  qn_sum_destroy(&sum);
  return QN_OK;
}

enum qn_status qn_result_scale(const struct qn_algorithm *algorithm,
                               const struct qn_arguments *arguments, struct qn_run_result *result,
                               struct qn_error *error) {
  double length = 0;
  if (!result->stats.converged && !isfinite(result->stats.change))
    return refuse_divergence(algorithm, arguments, error);
  if (!(algorithm->values & QN_VALUES_UNIT) || !result->values)
    return QN_OK;
  const double largest = largest_of(result);
  if (largest == 0)
    return QN_OK;
  if (!isfinite(largest))
    return refuse_divergence(algorithm, arguments, error);
  enum qn_status status = find_length(result, largest, &length, error);
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < (status ? 0 : result->num_values); v++) {
    const double scaled = qn_value_number(result, v) / largest / length;
    if (result->type == QN_RESULT_F32)
      ((float *)result->values)[v] = (float)scaled;
    else
      ((double *)result->values)[v] = scaled;
  }
  return status;
}

/* ---- Vertices ---------------------------------------------------------------------------------
 */

enum qn_status qn_result_narrow(const struct qn_algorithm *algorithm, struct qn_run_result *result,
                                struct qn_error *error) {
  const uint64_t *wide = result->values;
  const uint64_t count = result->num_values;
  uint32_t *values;
  if (!(algorithm->values & QN_VALUES_VERTICES) || result->type != QN_RESULT_U64 ||
      count > UINT32_MAX)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&values, count, sizeof *values, "result values", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < count; v++)
    values[v] = (uint32_t)wide[v]; /* of none UINT32_MAX */
  qn_pages_free(result->values, count, sizeof *wide);
  result->values = values;
  result->type = QN_RESULT_U32;
  return QN_OK;
}
