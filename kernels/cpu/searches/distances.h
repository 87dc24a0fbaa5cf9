/* Sums over the distances from sampled vertices to each vertex: what closeness and harmonic
 * centrality are made of (kernels/programs/closeness.h, which it agrees with to the last bit). */
#pragma once

#include "kernels/registry.h"

struct qn_distance_sums {
  double sum;       /* over the samples that reach the vertex, itself left out */
  uint32_t reached; /* how many they are */
  bool is_sample;   /* is it one? */
};

/* Run a kernel: search from every sample that the request's `given` numbers, add up `of_level` of
 * each distance, and have a vertex's result made of its sums. */
enum qn_status qn_distances_run(const struct qn_run_request *request,
                                double (*of_level)(uint32_t level),
                                double (*result_of)(const struct qn_distance_sums *sums,
                                                    double num_samples, double num_vertices),
                                struct qn_run_result *result, struct qn_error *error);
