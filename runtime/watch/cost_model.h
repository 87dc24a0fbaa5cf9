/* What the iterations of a streamed run should have taken: the cost models of GTS (Kim et al.,
 * SIGMOD 2016, section 5) with the run's own measured rates.
 *
 *   sum over iterations of (max(moved bytes / c2, t_call(batches))  +  t_kernel(last)  +  t_sync)
 *
 * Equation 1 (all vertices active) and equation 2 (traversals) differ in what is moved: the bytes
 * that streaming moved are those of active units less the hits of the cache. c2 is the rate of the
 * stream's batches, measured with pinned memory before the first iteration. Three things are not
 * as in the equations, which would count time twice:
 *
 *   2 |WA| / c1       our WA stays on the device between iterations, and is copied once each way
 *                     before and after them. It is told beside the sum.
 *   t_call            a kernel is launched while other batches are moved, so calls take what they
 *                     take beyond the transfers.
 *   t_kernel(last)    kernels of several streams run side by side, and while the last batches come:
 *                     of the one that ends last, what comes after the last copy.
 *
 * Of N devices that which is moved the most counts, in each iteration: under strategy performance
 * that is the equations' bytes / (N x d_skew), d_skew being the balance, 1 at best; under
 * scalability every device is moved everything. t_sync is the time from the last walk of an
 * iteration until all devices have agreed on the new values: it is measured.
 *
 * A graph that does not fit into host memory is bound by its disks instead (section 7.5): the bytes
 * that came from storage, by the rate of all disks together. What came, and at what rate, is
 * measured; the files that it lies in are as many disks at most. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "kernels/device_run.h"

/* Sums over iterations, in seconds. */
struct qn_cost_model {
  uint64_t moved_bytes, batches;
  uint64_t num_devices;
  uint64_t most_bytes;  /* moved to the device that was moved the most, in each iteration */
  double sync;          /* until several devices agreed on the values */
  double last_kernels;  /* what no transfer hides of them */
  double kernels;       /* of all batches, one after the other: those of several streams overlap */
  double measured;      /* the iterations, by the host's clock */
  unsigned num_files;   /* that the container lies in */
  uint64_t read_before; /* by this process from storage, when the run began */
  /* Of the running iteration. */
  double copied; /* when the last copy ended */
  double last_begin, last_end;
};

void qn_cost_model_begin(struct qn_cost_model *model, unsigned num_files);
void qn_cost_model_event(struct qn_cost_model *model, const struct qn_stream_event *event);
void qn_cost_model_iteration(struct qn_cost_model *model, const struct qn_iteration *iteration);

/* {"attributes", "transfer", "calls" beyond it, "last_kernels", "sync", "model", their sum without
 * the attributes, "measured"}: seconds; "bound": the largest term of the sum; "bytes_per_second":
 * c2; "skew": d_skew of the whole run, 1 of one device; "files"; "storage_bytes" that came from
 * storage, and "storage_bytes_per_second" of the time measured. To be called when the run has
 * ended. */
json_t *qn_cost_model_json(const struct qn_cost_model *model, const struct qn_stream_plan *plan);
