/* The mean of a sample of weights, on the host, and how far traversals by priority go at once. */
#pragma once

#include "kernels/engine.h"

/* Weights that lie beside each other: of a mapped file each stretch costs a page fault or two. */
#define MEAN_STRETCH 256
#define MEAN_STRETCHES 256

namespace {

/* Of all weights if there are few, else of evenly spaced stretches; 0 if there are none.
 * `weight_of(edge)` is a weight. */
template <class Weight> double mean_of_weights(uint64_t num_edges, Weight weight_of) {
  const bool all = num_edges <= MEAN_STRETCH * MEAN_STRETCHES;
  const uint64_t stretches = all ? 1 : MEAN_STRETCHES, length = all ? num_edges : MEAN_STRETCH;
  double sum = 0;
  for (uint64_t i = 0; i < stretches; i++)
    for (uint64_t edge = 0; edge < length; edge++)
      sum += (double)weight_of(i * (num_edges / stretches) + edge);
  return num_edges ? sum / (double)(stretches * length) : 0;
}

inline double mean_weight(const struct qn_weights *weights, uint64_t num_edges) {
  return mean_of_weights(num_edges, [&](uint64_t edge) { return engine_weight(weights, edge); });
}

/* Davidson, Baxter, Garland, Owens: Work-Efficient Parallel GPU Methods for Single-Source Shortest
 * Paths (IPDPS 2014), section 4: a threshold that lets about a warp's worth of work per vertex
 * through, 32 mean weights over the mean degree. */
inline double near_far_step(const struct qn_run_request *request, double mean_weight,
                            uint64_t num_vertices, uint64_t num_edges) {
  if (request->delta > 0)
    return request->delta;
  const double mean = mean_weight > 0 ? mean_weight : 1;
  const double mean_degree = (double)num_edges / (double)(num_vertices + 1);
  return mean * fmax(1.0, 32 / fmax(1.0, mean_degree));
}

/* Of a request with a step of its own, where the graph is streamed. */
inline enum qn_status near_far_refuse(const struct qn_run_request *request,
                                      struct qn_error *error) {
  return request->delta <= 0
             ? QN_OK
             : qn_fail(error, QN_DEVICE,
                       "--delta works on the device only where the whole graph fits into its "
                       "memory, and this one does not; allow more with --device-memory, leave "
                       "--delta out, or use --device cpu");
}

} /* namespace */
