/* A run that goes on from a result of an earlier generation of the graph, to which only edges and
 * vertices were added since: components are joined, searches go on from where new edges lead
 * nearer, and ranks begin with those that there were. */
#pragma once

#include "kernels/kernel.h"
#include "kernels/run_state.h"
#include "runtime/run_input.h"

struct qn_run;

struct qn_update_options {
  const char *result;  /* a file that a run has written; NULL: none, the run begins */
  uint64_t generation; /* of which it is; 0: the base */
  bool is_given;       /* else the one before the last */
};

struct qn_update {
  struct qn_checkpointing goes_on; /* of the request */
  struct qn_run_state state;
  void *values;     /* [V] */
  uint64_t *active; /* bits [V], of searches */
  uint64_t bytes, num_vertices;
  uint64_t generation, added_edges, added_vertices;
  uint64_t num_started, num_active; /* vertices that sent first, and in all iterations */
  void (*on_iteration)(void *user,
                       const struct qn_iteration *iteration); /* that was there before */
  void *user;
};

/* May the algorithm go on so? */
bool qn_update_suits(const char *algorithm);

/* QN_USAGE where there is no such generation, or an option changes what the result would have to
 * be; QN_UNSUPPORTED where edges were removed since; QN_INVALID for a result of another graph.
 * Fills in the request of `run`, and owns what that borrows until qn_update_end. */
enum qn_status qn_update_begin(const struct qn_run_input *input,
                               const struct qn_update_options *options, struct qn_run *run,
                               struct qn_update **out, struct qn_error *error);
/* NULL is allowed. */
void qn_update_end(struct qn_update *update);
