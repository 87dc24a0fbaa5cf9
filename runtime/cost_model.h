/* What a streamed run should have taken: the cost models of GTS (Kim et al., SIGMOD 2016, section
 * 5) with the run's own measured rates.
 *
 *   2 |WA| / c1  +  sum over iterations of (moved bytes / c2  +  t_call(batches)  + t_kernel(last)
 *                                           + t_sync)
 *
 * Equation 1 (all vertices active) and equation 2 (traversals) differ in what is moved: the bytes
 * that streaming moved are those of active units less the hits of the cache, and our WA stays on
 * the device between iterations, so it is copied once each way for the whole run. c1 is the rate
 * of large copies, c2 that of the stream's batches; both were measured with pinned memory before
 * the first iteration, and c1 = c2 where batches are large enough. t_kernel(last) is the time of
 * the last kernel of each iteration, which no transfer hides.
 *
 * Of N devices that which is moved the most counts, in each iteration: under strategy performance
 * that is the equations' bytes / (N x d_skew), d_skew being the balance, 1 at best; under
 * scalability every device is moved everything, and WA is that of one device. t_sync is the time
 * from the last walk of an iteration until all devices have agreed on the new values: it is
 * measured.
 *
 * A graph that does not fit into host memory is bound by its disks instead (section 7.5): the bytes
 * that came from storage, by the rate of all disks together. What came, and at what rate, is
 * measured; the files that it lies in are as many disks at most. */
#ifndef QN_RUNTIME_COST_MODEL_H
#define QN_RUNTIME_COST_MODEL_H

#include <jansson.h>
#include <stdio.h>

#include "kernels/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over iterations, in seconds. */
struct qn_cost_model {
  uint64_t moved_bytes, batches;
  uint64_t num_devices;
  uint64_t most_bytes; /* moved to the device that was moved the most, in each iteration */
  double sync;         /* until several devices agreed on the values */
  double last_kernels;
  double kernels;       /* of all batches, one after the other: those of several streams overlap */
  double measured;      /* the iterations, by the host's clock */
  unsigned num_files;   /* that the container lies in */
  uint64_t read_before; /* by this process from storage, when the run began */
  /* Of the running iteration. */
  double last_end, last_kernel;
};

void qn_cost_model_begin(struct qn_cost_model *model, unsigned num_files);
void qn_cost_model_event(struct qn_cost_model *model, const struct qn_stream_event *event);
void qn_cost_model_iteration(struct qn_cost_model *model, const struct qn_iteration *iteration);

/* {"attributes", "transfer", "calls", "last_kernels", "sync", "model", "measured"}: seconds;
 * "bound": the largest term; "bytes_per_second": c2; "skew": d_skew of the whole run, 1 of one
 * device; "files"; "storage_bytes" that came from storage, and "storage_bytes_per_second" of the
 * time measured. To be called when the run has ended. */
json_t *qn_cost_model_json(const struct qn_cost_model *model, const struct qn_stream_plan *plan);
void qn_cost_model_print(const json_t *json, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
