/* What the iterations of a streamed run should have taken: the cost models of GTS (Kim et al.,
 * SIGMOD 2016, section 5) with the run's own measured rates.
 *
 *   sum over iterations of
 *     (max(moved bytes / c2, read bytes / c_disk, t_call(batches))  +  t_kernel(last)  +  t_sync)
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
 * A graph that does not fit into host memory is bound by its disks instead (section 7.5). The bytes
 * that came from storage in an iteration are counted; c_disk, the rate of all disks together, is
 * measured before the first iteration by reading some of what is not in memory, in order, by all
 * threads. Reading goes on while batches are moved, so it takes what it takes beyond the transfers.
 * The files that the graph lies in are as many disks at most. */
#pragma once

#include <jansson.h>

#include "kernels/device_run.h"

/* Sums over iterations, in seconds. */
struct qn_cost_model {
  uint64_t moved_bytes, batches;
  uint64_t num_devices;
  uint64_t most_bytes;  /* moved to the device that was moved the most, in each iteration */
  double sync;          /* until several devices agreed on the values */
  double storage;       /* reading from disks takes beyond the transfers */
  double last_kernels;  /* what no transfer hides of them */
  double kernels;       /* of all batches, one after the other: those of several streams overlap */
  double measured;      /* the iterations, by the host's clock */
  unsigned num_files;   /* that the container lies in */
  double bus_rate;      /* c2 */
  double disk_rate;     /* 0: not measured, as all is in memory */
  uint64_t read_bytes;  /* from storage, by this process, in iterations */
  uint64_t read_before; /* until this iteration began */
  /* Of the running iteration. */
  double copied; /* when the last copy ended */
  double last_begin, last_end;
};

/* What this process has had read from storage, also by faults of mappings; 0 where the system does
 * not tell. */
uint64_t qn_bytes_from_storage(void);

void qn_cost_model_begin(struct qn_cost_model *model, unsigned num_files);
/* The plan is made, and `read` bytes have come from storage: iterations begin. */
void qn_cost_model_plan(struct qn_cost_model *model, const struct qn_stream_plan *plan,
                        double disk_rate, uint64_t read);
void qn_cost_model_event(struct qn_cost_model *model, const struct qn_stream_event *event);
/* `read` bytes in all have come from storage when it has ended. */
void qn_cost_model_iteration(struct qn_cost_model *model, const struct qn_iteration *iteration,
                             uint64_t read);

/* {"attributes", "transfer", "storage" and "calls" beyond it, "last_kernels", "sync", "model",
 * their sum without the attributes, "measured"}: seconds; "bound": the largest term of the sum;
 * "bytes_per_second": c2; "skew": d_skew of the whole run, 1 of one device; "files";
 * "storage_bytes" that came from storage, "storage_bytes_per_second" of the time measured, and
 * "disk_bytes_per_second", c_disk. To be called when the run has ended. */
json_t *qn_cost_model_json(const struct qn_cost_model *model, const struct qn_stream_plan *plan);
