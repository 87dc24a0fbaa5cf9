/* Interrupting a kernel after an iteration and going on from the state it left must give the result
 * of a run that was not interrupted, bit for bit. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/test.h"
#include "kernels/registry.h"
#include "support/memory.h"

/* Long runs are interrupted after so many of their iterations, spread evenly. */
#ifndef MOST_INTERRUPTIONS
#define MOST_INTERRUPTIONS 6
#endif

struct kept_state {
  uint64_t stop_after; /* 0: never */
  uint64_t offered;    /* iterations after which a state was offered */
  bool kept;
  struct qn_run_state state;
  void *values;
  uint64_t *active, *waiting;
};

static inline void *copy_of(const void *bytes, uint64_t count) {
  void *copy = malloc(count + 1);
  assert_non_null(copy);
  return count ? memcpy(copy, bytes, count) : copy;
}

static inline bool keep_is_due(void *user, uint64_t iterations) {
  struct kept_state *kept = user;
  assert_int_equal(iterations, kept->state.registers[QN_STATE_ITERATIONS] + kept->offered + 1);
  kept->offered++;
  return iterations == kept->stop_after;
}

static inline enum qn_status keep_state(void *user, const struct qn_run_state *state,
                                        struct qn_error *error) {
  struct kept_state *kept = user;
  uint64_t words = qn_state_words(state->num_vertices);
  uint64_t beyond = state->num_vertices % 64 ? ~(uint64_t)0 << state->num_vertices % 64 : 0;
  assert_int_equal(state->registers[QN_STATE_ITERATIONS], kept->stop_after);
  assert_true(!state->active || words == 0 || (state->active[words - 1] & beyond) == 0);
  kept->state = *state;
  kept->kept = true;
  kept->state.values = kept->values =
      copy_of(state->values, state->num_vertices * state->value_bytes);
  kept->active = state->active ? copy_of(state->active, words * 8) : NULL;
  kept->waiting = state->waiting ? copy_of(state->waiting, words * 8) : NULL;
  kept->state.active = kept->active;
  kept->state.waiting = kept->waiting;
  return qn_fail(error, QN_INTERRUPTED, "interrupted");
}

static inline enum qn_status run_checkpointed(const struct qn_kernel *kernel,
                                              struct qn_run_request request,
                                              struct kept_state *kept,
                                              const struct qn_run_state *resume,
                                              struct qn_run_result *result) {
  struct qn_checkpointing checkpointing = {resume, keep_is_due, keep_state, kept};
  struct qn_error error = {0};
  request.hooks.checkpointing = &checkpointing;
  enum qn_status status = kernel->run(&request, result, &error);
  assert_int_equal(status, kept->kept ? QN_INTERRUPTED : QN_OK);
  return status;
}

static inline void free_kept(struct kept_state *kept) {
  free(kept->values);
  free(kept->active);
  free(kept->waiting);
}

/* The same bits; but a device may add doubles in another order, where floats leave it room. */
static inline bool same_values(const struct qn_kernel *kernel, const struct qn_run_result *a,
                               const struct qn_run_result *b) {
  if (kernel->processor != QN_CUDA || a->type != QN_RESULT_F64 ||
      !(kernel->traits & QN_KERNEL_ALL_ACTIVE))
    return memcmp(a->values, b->values, a->num_values * qn_result_bytes(a->type)) == 0;
  const double *one = a->values, *other = b->values;
  for (uint64_t i = 0; i < a->num_values; i++)
    if (one[i] != other[i] && !(fabs(one[i] - other[i]) <= 1e-12 * fabs(one[i])))
      return false;
  return true;
}

/* Interrupt after `iterations` and go on. */
static inline void resume_after(const struct qn_kernel *kernel,
                                const struct qn_run_request *request, uint64_t iterations,
                                const struct qn_run_result *expected) {
  struct kept_state kept = {.stop_after = iterations}, going_on = {0};
  struct qn_run_result result = {0};
  uint64_t live = qn_memory_live();
  if (run_checkpointed(kernel, *request, &kept, NULL, &result)) {
    assert_int_equal(qn_memory_live(), live);
    going_on.state.registers[QN_STATE_ITERATIONS] = iterations;
    run_checkpointed(kernel, *request, &going_on, &kept.state, &result);
  }
  assert_int_equal(result.num_values, expected->num_values);
  if (result.num_values && !same_values(kernel, expected, &result))
    fail_msg("%s (%s): not the same after going on from iteration %llu", kernel->algorithm->name,
             kernel->name, (unsigned long long)iterations);
  assert_true(result.stats.iterations >= iterations || !kept.kept);
  assert_int_equal(result.stats.converged, expected->stats.converged);
  qn_run_result_destroy(&result);
  free_kept(&kept);
}

/* Every interruption of a run, or some where it is long. */
static inline void resume_everywhere(const struct qn_kernel *kernel,
                                     const struct qn_run_request *request) {
  struct kept_state never = {0};
  struct qn_run_result expected;
  run_checkpointed(kernel, *request, &never, NULL, &expected);
  assert_true(never.offered + 1 >= expected.stats.iterations);
  uint64_t step = never.offered / MOST_INTERRUPTIONS + 1;
  for (uint64_t iterations = 1; iterations <= never.offered; iterations += step)
    resume_after(kernel, request, iterations, &expected);
  qn_run_result_destroy(&expected);
}
