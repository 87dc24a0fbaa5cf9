/* A run on plain CSR that is resident. */
#pragma once

#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/engine.h"

namespace {

/* Which edges the engine walks: all-active programs pull, the others push, and pull too where one
 * contribution suffices, if the container has in-edges. */
constexpr bool must_have_in = PROGRAM_SCHEDULE == QN_ALL_ACTIVE;
constexpr bool wants_in = must_have_in || PROGRAM_FIRST_SUFFICES;
constexpr bool wants_out = !must_have_in;

/* What one run works on. Device pointers belong to `memory`. */
struct csr_run {
  const struct qn_run_request *request;
  const struct qn_graph *view;
  struct qn_run_result *result;
  struct qn_cuda_memory *memory;
  struct qn_program_context context;
  struct qn_csr out; /* on the device; row offsets alone where the program only pulls */
  struct qn_csr in;  /* on the device, if the run wants in-edges */
  bool has_in;
  uint64_t num_active;       /* frontier programs */
  const uint32_t *positions; /* on the device, or NULL: themselves */
  program_value *values;     /* [V] on the device */
};

} /* namespace */
