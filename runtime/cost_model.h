/* What a streamed run should have taken: the cost models of GTS (Kim et al., SIGMOD 2016, section
 * 5) with the run's own measured rates.
 *
 *   2 |WA| / c1  +  sum over iterations of (moved bytes / c2  +  t_call(batches)  + t_kernel(last))
 *
 * Equation 1 (all vertices active) and equation 2 (traversals) differ in what is moved: the bytes
 * that streaming moved are those of active units less the hits of the cache, and our WA stays on
 * the device between iterations, so it is copied once each way for the whole run. c1 is the rate
 * of large copies, c2 that of the stream's batches; both were measured with pinned memory before
 * the first iteration, and c1 = c2 where batches are large enough. t_kernel(last) is the time of
 * the last kernel of each iteration, which no transfer hides. */
#ifndef QN_RUNTIME_COST_MODEL_H
#define QN_RUNTIME_COST_MODEL_H

#include <jansson.h>

#include "kernels/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over iterations, in seconds. */
struct qn_cost_model {
  uint64_t moved_bytes, batches;
  double last_kernels;
  double kernels;  /* of all batches, one after the other: those of several streams overlap */
  double measured; /* the iterations, by the host's clock */
  /* Of the running iteration. */
  double last_end, last_kernel;
};

void qn_cost_model_event(struct qn_cost_model *model, const struct qn_stream_event *event);
void qn_cost_model_iteration(struct qn_cost_model *model, const struct qn_iteration *iteration);

/* {"attributes", "transfer", "calls", "last_kernels", "model", "measured"}: seconds; "bound": the
 * largest term; "bytes_per_second": c2. */
json_t *qn_cost_model_json(const struct qn_cost_model *model, const struct qn_stream_plan *plan);
void qn_cost_model_print(const json_t *json);

#ifdef __cplusplus
}
#endif
#endif
