/* What a thread does along a row of the ELL part, resident or of a slice that is streamed. */
#pragma once

#include "kernels/cuda/device/load_once.cuh"
#include "kernels/cuda/hybrid/device.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

namespace {

/* Entries of a row that a thread has in flight. */
constexpr int ELL_ITEMS = PROGRAM_FIRST_SUFFICES ? 4 : 8;

/* Entries k, k + 1, ... of a row; padding from its end on. */
QN_DEVICE_INLINE void ell_load(const struct hybrid_ell &ell, uint64_t row, uint64_t k,
                               uint32_t (&columns)[ELL_ITEMS]) {
  QN_UNROLL
  for (int i = 0; i < ELL_ITEMS; i++)
    columns[i] =
        k + i < ell.width ? __ldcs(&ell.columns[(k + i) * ell.pitch + row]) : QN_HYBRID_PADDING;
}

#if SWEEP_FRONTIER

/* Combine what the active columns of a row send to its `vertex`; was there one? */
QN_DEVICE_INLINE bool ell_combine(const struct sweep_state &state,
                                  const struct qn_program_context &context,
                                  const struct hybrid_ell &ell, uint64_t row, uint32_t vertex,
                                  program_accumulator *total) {
  bool any = false;
  for (uint64_t k = 0; k < ell.width; k += ELL_ITEMS) {
    uint32_t sources[ELL_ITEMS];
    program_message gathered[ELL_ITEMS] = {};
    unsigned hits = 0;
    ell_load(ell, row, k, sources);
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++)
      if (sources[i] != QN_HYBRID_PADDING)
        hits |= (unsigned)sweep_is_active(state, sources[i]) << i;
    if (PROGRAM_FIRST_SUFFICES)
      hits &= 0u - hits; /* the lowest */
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++)
      if (hits >> i & 1u)
        gathered[i] = state.messages[sources[i]];
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++)
      if (hits >> i & 1u)
        program_combine(
            total, program_contribution(&context, gathered[i],
                                        streamed_weight(ell.weights, (k + i) * ell.pitch + row),
                                        state.values, vertex));
    any = any || hits;
    if (sources[ELL_ITEMS - 1] == QN_HYBRID_PADDING || (PROGRAM_FIRST_SUFFICES && any))
      break;
  }
  return any;
}

#else

/* The sum of a row's ELL part, in the order of its entries; is the row full? Nothing branches
 * between the loads of one step: padding gathers the row's own message, which costs next to
 * nothing.
 */
QN_DEVICE_INLINE bool ell_sum(const struct hybrid_ell &ell, const program_message *messages,
                              const struct qn_program_context &context, uint64_t row,
                              program_accumulator *total) {
  uint64_t length = 0;
  for (uint64_t k = 0; k < ell.width; k += ELL_ITEMS) {
    uint32_t sources[ELL_ITEMS];
    program_message gathered[ELL_ITEMS];
    program_weight weights[ELL_ITEMS];
    ell_load(ell, row, k, sources);
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++)
      weights[i] = k + i < ell.width ? streamed_weight(ell.weights, (k + i) * ell.pitch + row) : 0;
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++)
      gathered[i] = messages[sources[i] == QN_HYBRID_PADDING ? row : sources[i]];
    QN_UNROLL
    for (int i = 0; i < ELL_ITEMS; i++) {
      if (sources[i] == QN_HYBRID_PADDING)
        continue;
      program_combine(total, program_gather(&context, gathered[i], weights[i]));
      length++;
    }
    if (sources[ELL_ITEMS - 1] == QN_HYBRID_PADDING)
      break;
  }
  return length == ell.width;
}

#endif

} /* namespace */
