/* The CPU's side of one iteration that is shared: it takes stretches from the front of the queue
 * until none is left. */
#pragma once

#include "kernels/cpu/joint/cpu.h"
#include "kernels/cpu/joint/worker.h"
#include "kernels/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qn_joint_share {
  const struct qn_joint_cpu_kernel *kernel;
  struct qn_joint_cpu *side;
  struct qn_page_queue *queue;
  const uint32_t *bounds; /* [num_stretches + 1] */
  uint64_t num_stretches;
  bool notify;
  unsigned num_threads;
  uint8_t *done; /* [num_stretches] by the CPU, in this iteration */
  bool begun;    /* it has sent what it sends of the values that it began with */
  /* For the accelerator's thread while the job runs (the functions below): */
  uint64_t num_done; /* stretches before this one are done */
  uint64_t received; /* rows that the accelerator's values were written to: end << 32 | begin */
  /* And when it has ended: */
  uint64_t pages;
  double seconds;
};

/* For the side's threads: the next stretch; false if there is none. And when it is done. */
bool qn_joint_share_take(struct qn_joint_share *share, uint32_t *stretch);
void qn_joint_share_did(struct qn_joint_share *share, uint32_t stretch);

/* Begin an iteration; what stands before num_done is set. */
void qn_joint_share_begin(struct qn_joint_share *share, struct qn_joint_worker *worker);

/* Until the CPU has sent what it sends of the values that it began with: then those that it does
 * not compute may be replaced. */
void qn_joint_share_await_begin(struct qn_joint_share *share);

/* Rows before this one have their new values. */
uint32_t qn_joint_share_done(struct qn_joint_share *share);

/* Rows [begin, end), which come before those told before, have their new values; as an iteration
 * begins with the last row, what the CPU has not heard of yet grows at its begin. */
void qn_joint_share_tell(struct qn_joint_share *share, uint32_t begin, uint32_t end);

/* One function of the side by the worker, to its end. */
void qn_joint_call(struct qn_joint_worker *worker, void (*function)(struct qn_joint_cpu *),
                   struct qn_joint_cpu *side);
bool qn_joint_next_round(struct qn_joint_worker *worker, const struct qn_joint_cpu_kernel *kernel,
                         struct qn_joint_cpu *side);

/* Seconds that the CPU would take to pull all rows, from a few stretches. */
double qn_joint_probe(struct qn_joint_worker *worker, const struct qn_joint_cpu_kernel *kernel,
                      struct qn_joint_cpu *side, uint64_t num_stretches);

#ifdef __cplusplus
}
#endif
