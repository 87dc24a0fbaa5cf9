/* The mean of a sample of weights, on the host. */
#pragma once

#include "kernels/engine.h"

/* Weights that lie beside each other: of a mapped file each stretch costs a page fault or two. */
#define MEAN_STRETCH 256
#define MEAN_STRETCHES 256

namespace {

/* Of all weights if there are few, else of evenly spaced stretches; 0 if there are none. */
inline double mean_weight(const struct qn_weights *weights, uint64_t num_edges) {
  const bool all = num_edges <= MEAN_STRETCH * MEAN_STRETCHES;
  const uint64_t stretches = all ? 1 : MEAN_STRETCHES, length = all ? num_edges : MEAN_STRETCH;
  double sum = 0;
  for (uint64_t i = 0; i < stretches; i++)
    for (uint64_t edge = 0; edge < length; edge++)
      sum += (double)engine_weight(weights, i * (num_edges / stretches) + edge);
  return num_edges ? sum / (double)(stretches * length) : 0;
}

} /* namespace */
