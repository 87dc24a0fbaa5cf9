/* Checkpoints (kernels/run_state.h) of runs whose state is on a device: it is brought to the host,
 * and saved from there. */
#pragma once

#include "kernels/cuda/device/memory.cuh"
#include "kernels/keep.h"
#include "kernels/run_state.h"
#include "support/memory.h"

namespace {

/* A set: the bitmaps that a state has beside its values. */
enum keep_bitmaps { KEEP_VALUES = 0, KEEP_ACTIVE = 1, KEEP_WAITING = 2 };

/* Save the state. `parts` says all but the arrays, which download(&parts, error) fills. */
template <class Download>
enum qn_status keep_now(const struct qn_run_request *request, uint64_t iterations, double change,
                        struct qn_state_parts parts, unsigned bitmaps, Download download,
                        struct qn_error *error) {
  const uint64_t words = qn_state_words(parts.num_vertices);
  enum qn_status status = qn_pages_alloc(&parts.values, parts.num_vertices, parts.value_bytes,
                                         "a checkpoint's values", error);
  if (!status && (bitmaps & KEEP_ACTIVE))
    status =
        qn_pages_alloc(&parts.active, words, sizeof *parts.active, "a checkpoint's bits", error);
  if (!status && (bitmaps & KEEP_WAITING))
    status =
        qn_pages_alloc(&parts.waiting, words, sizeof *parts.waiting, "a checkpoint's bits", error);
  if (!status)
    status = download(&parts, error);
  if (!status)
    status = qn_state_save(request, iterations, change, &parts, error);
  qn_pages_free(parts.waiting, words, sizeof *parts.waiting);
  qn_pages_free(parts.active, words, sizeof *parts.active);
  qn_pages_free(parts.values, parts.num_vertices, parts.value_bytes);
  return status;
}

/* After an iteration that is not the last: the same, if the state is wanted. */
template <class Download>
enum qn_status keep_if_due(const struct qn_run_request *request, uint64_t iterations, double change,
                           const struct qn_state_parts *parts, unsigned bitmaps, Download download,
                           struct qn_error *error) {
  return qn_state_is_due(request, iterations)
             ? keep_now(request, iterations, change, *parts, bitmaps, download, error)
             : QN_OK;
}

/* Save the values alone, from an array on the device. */
inline enum qn_status keep_values_now(const struct qn_run_request *request, uint64_t iterations,
                                      double change, const struct qn_state_parts *parts,
                                      struct qn_cuda_memory *memory, const void *values,
                                      struct qn_error *error) {
  auto download = [&](struct qn_state_parts *host, struct qn_error *failure) {
    return qn_cuda_download(memory, host->values, values, host->num_vertices, host->value_bytes,
                            "vertex values", failure);
  };
  return keep_now(request, iterations, change, *parts, KEEP_VALUES, download, error);
}

/* The same, if they are wanted, which is asked once after an iteration. */
inline enum qn_status keep_values(const struct qn_run_request *request, uint64_t iterations,
                                  double change, const struct qn_state_parts *parts,
                                  struct qn_cuda_memory *memory, const void *values,
                                  struct qn_error *error) {
  return qn_state_is_due(request, iterations)
             ? keep_values_now(request, iterations, change, parts, memory, values, error)
             : QN_OK;
}

/* What a state consists of: values [num_vertices], and a program's context or NULL. */
inline struct qn_state_parts keep_parts(uint64_t num_vertices, uint32_t value_bytes,
                                        const struct qn_program_context *context) {
  struct qn_state_parts parts = {};
  parts.num_vertices = num_vertices;
  parts.value_bytes = value_bytes;
  parts.context = const_cast<struct qn_program_context *>(context);
  return parts;
}

} /* namespace */
