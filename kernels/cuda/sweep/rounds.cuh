/* How sweeps begin, and go on when no vertex is active, on one device (loop.cuh) and on each of
 * several (member.cuh), which ask each other where a number is of all vertices:
 *
 *   count_active(driver, status, error)     kernels have set bits of active vertices: how many are
 *                                           they? Sets run->num_active.
 *   agree_on_round(driver, &round, status)  the least of all devices' rounds
 *   agree(driver, status)                   the first failure of a device
 *
 * A driver that has failed asks all the same, as the others wait for it. */
#pragma once

#include "kernels/cuda/sweep/iterations.cuh"
#include "kernels/cuda/sweep/state.cuh"

namespace {

/* Tell the user; true if it was the last iteration allowed. */
inline bool sweep_finished(struct sweep_run *run, uint64_t num_active, double change,
                           double begin) {
  struct qn_iteration report = {};
  const struct qn_device_iteration device = {run->moved, NULL, run->shared};
  report.mode = "sweep";
  report.device = &device;
  return tell_iteration(run, report, num_active, change, begin);
}

/* The first values, or those that the run goes on from. */
template <class Driver>
enum qn_status sweep_first_values(Driver *driver, struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = SWEEP_FRONTIER ? sweep_clear(run->state.count, 0, error) : QN_OK;
  if (!status) {
    SWEEP_LAUNCH(run, sweep_init);
    status = qn_cuda_launched("launching the first kernel", error);
  }
  run->woken = true;
  status = count_active(driver, status, error);
  if (!status)
    status = sweep_resume(run, &run->num_active, error);
  return agree(driver, status);
}

/* When no vertex is active: begin the next round; none is active still if there is none. */
template <class Driver>
enum qn_status sweep_next_round(Driver *driver, struct sweep_run *run, struct qn_error *error) {
#if PROGRAM_ROUNDS
  unsigned long long least = 0;
  enum qn_status status = sweep_clear(run->state.least, 0xff, error);
  if (!status)
    SWEEP_LAUNCH(run, sweep_least_round);
  if (!status)
    status = sweep_read(run, &least, run->state.least, 1, sizeof least, error);
  double round = qn_from_ordered_bits(least);
  status = agree_on_round(driver, &round, status);
  if (status || isinf(round))
    return status;
  run->context.round = round;
  run->woken = true;
  status = sweep_clear(run->state.count, 0, error);
  if (!status)
    SWEEP_LAUNCH(run, sweep_wake);
  return count_active(driver, status, error);
#else
  (void)driver, (void)run, (void)error;
  return QN_OK;
#endif
}

} /* namespace */
