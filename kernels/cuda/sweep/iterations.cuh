/* The loop of iterations of all engines whose host decides after each what is next. (Engines that
 * let the device decide, to keep it one iteration ahead of the host, have pull_loop.cuh.) Who
 * drives it is one device (loop.cuh), each of several (member.cuh), the CPU and a device (joint),
 * or a traversal of plain CSR (csr/frontier.cuh). A driver defines
 *
 *   next_round(driver, error)               no vertex is active: those that wait become it, if any
 *   one_iteration(driver, &change, error)   does it, and finds who is active afterwards
 *   iteration_finished(driver, num_active, change, begin)     tells the user, by tell_iteration
 *   keep(driver, error)                     a checkpoint, if one is due
 *   may_wait(driver)                        when no vertex is active: may others wait, but for a
 *                                           round?
 *
 * and its `run` has the request, the result, the context and the number of active vertices. */
#pragma once

#include "kernels/cuda/device/ranges.cuh"
#include "kernels/engine.h"
#include "support/threads.h"

namespace {

/* An iteration that began at `begin` is over. Returns true if it was the last one allowed. `report`
 * has its mode and what was moved. */
template <class Run>
bool tell_iteration(Run *run, struct qn_iteration report, uint64_t num_active, double change,
                    double begin) {
  report.iteration = run->context.iteration;
  report.num_active = num_active;
  report.change = change;
  report.seconds = qn_seconds() - begin;
  if (run->request->hooks.on_iteration)
    run->request->hooks.on_iteration(run->request->hooks.user, &report);
  run->result->stats.iterations = ++run->context.iteration;
  run->result->stats.change = change;
  return run->context.iteration >= run->request->limits.max_iterations;
}

template <class Driver, class Run>
enum qn_status iterate(Driver *driver, Run *run, struct qn_error *error) {
  constexpr bool has_frontier = PROGRAM_SCHEDULE == QN_FRONTIER;
  enum qn_status status = QN_OK;
  /* Without a tolerance the result of an all-active program is what so many iterations make it. */
  run->result->stats.converged = !has_frontier && !PROGRAM_CONVERGES;
  for (bool finished = engine_is_finished(run->request, &run->context); !status && !finished;) {
    const struct qn_range range("iteration");
    const double begin = qn_seconds();
    double change = 0;
    if (has_frontier && run->num_active == 0)
      status = next_round(driver, error);
    if (status)
      return status;
    if (has_frontier && run->num_active == 0) {
      run->result->stats.converged = true;
      return QN_OK;
    }
    const uint64_t num_active = run->num_active;
    status = one_iteration(driver, &change, error);
    if (status)
      return status;
    finished = iteration_finished(driver, num_active, change, begin);
    if (PROGRAM_CONVERGES && change < run->context.tolerance)
      finished = run->result->stats.converged = true;
    finished |= engine_has_diverged(change);
    if (!finished)
      status = keep(driver, error);
  }
  if (has_frontier)
    run->result->stats.converged = run->num_active == 0 && !PROGRAM_ROUNDS && !may_wait(driver);
  return status;
}

} /* namespace */
