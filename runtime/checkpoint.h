/* Checkpoints of a run in a folder (specs/checkpoint.md).
 *
 * After Garaph, section 2.2: vertex values are written every few iterations. The folder holds one
 * checkpoint, which takes the place of the one before whole or not at all, so that a run that is
 * killed at any moment loses no more than the iterations since. SIGINT and SIGTERM make the run
 * write one after the iteration that is under way, and end; a second such signal ends it at once.
 *
 * Of a run that several ranks share all write a part (checkpoints/parts.h), at the same moments,
 * and each reads what it needs of whatever checkpoint there is. All ranks call these functions.
 */
#pragma once

#include "kernels/registry.h"
#include "runtime/run_input.h"

struct qn_checkpoint_options {
  const char *folder; /* made if it is not there; NULL: no checkpoints */
  uint32_t every;     /* iterations between two of them; 0: only when interrupted */
  bool resume;        /* go on from the folder's checkpoint, if there is one */
};

/* What was done, for reports. */
struct qn_checkpoint_figures {
  uint64_t resumed; /* iterations of the checkpoint that the run went on from; 0: none */
  uint64_t written; /* checkpoints */
  uint64_t bytes;   /* of the last one */
  double seconds;   /* spent writing */
};

struct qn_keeper;

/* Prepare for the run of `kernel` as `request` says, which must stay where it is; lock the folder.
 * With `resume`, map its checkpoint and refuse it (QN_INVALID) if it is damaged, or of another
 * container, program, kernel, version or parameter, which the message names. Without,
 * QN_USAGE if there is one. Owned until qn_keeper_close. */
enum qn_status qn_keeper_open(const struct qn_run_input *input, const struct qn_kernel *kernel,
                              const struct qn_run_request *request,
                              const struct qn_checkpoint_options *options, struct qn_keeper **out,
                              struct qn_error *error);

/* Run the kernel with checkpoints; a tool's signals are caught meanwhile. QN_INTERRUPTED after
 * one, or when a call is cancelled. */
enum qn_status qn_keeper_run(struct qn_keeper *keeper, struct qn_run_result *result,
                             struct qn_error *error);

const struct qn_checkpoint_figures *qn_keeper_figures(const struct qn_keeper *keeper);

/* The results are where they belong: remove the checkpoint. */
enum qn_status qn_keeper_discard(struct qn_keeper *keeper, struct qn_error *error);

/* Give the folder free. NULL is allowed. */
void qn_keeper_close(struct qn_keeper *keeper);
