/* What a program does along the rows of a unit (row_units.cuh) of a sweep that streams: push,
 * gather the whole sum, or gather from active columns. An engine's struct engine_device has
 *
 *   struct row_tables rows;
 *   program_accumulator *row_parts;         sums of hubs' parts, if all vertices are active
 *
 * and it defines, where all are active,
 *
 *   QN_DEVICE_INLINE void engine_store_row(state, row, total)        a row's whole sum
 *
 * Sums that are stored have one order; pushes, and gathers from active columns, combine with
 * atomics. */
#pragma once

#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/edges/warp_rows.cuh"
#include "kernels/cuda/rows/row_units.cuh"
#include "kernels/cuda/sweep/sweeps.cuh"

namespace {

/* Send along the rows of active vertices. */
QN_DEVICE_INLINE void push_unit(const struct sweep_state &state,
                                const struct qn_program_context &context, uint64_t number,
                                const struct qn_unit_entry &entry) {
  const struct row_unit unit = state.layout.rows.units[number];
  const struct unit_rows rows = unit_rows_at(state.layout.rows, entry);
  each_unit_row(
      unit, rows,
      [&](uint32_t row) { return sweep_is_active(state, unit_row_vertex(unit, rows, row)); },
      [&](bool valid, uint32_t row, uint32_t begin, uint32_t end, uint32_t lane, uint32_t width) {
        if (!valid)
          return;
        const program_message message = state.messages[unit_row_vertex(unit, rows, row)];
        for (uint32_t edge = begin + lane; edge < end; edge += width)
          sweep_collect(state, context, message, engine_weight(&rows.weights, edge),
                        rows.columns[edge]);
      });
}

/* Combine what the `width` threads that share a row have, in a fixed order; the result is in the
 * first of them. */
QN_DEVICE_INLINE program_accumulator group_combine(program_accumulator value, uint32_t width) {
  if (width <= 32)
    return warp_combine(value, (int)width);
  QN_SHARED(program_accumulator, warps, QN_MAX_WARPS);
  value = warp_combine(value);
  if (qn_lane() == 0)
    warps[qn_warp()] = value;
  __syncthreads();
  for (unsigned warp = 1; threadIdx.x == 0 && warp < blockDim.x / 32; warp++)
    program_combine(&value, warps[warp]);
  __syncthreads();
  return value;
}

#if SWEEP_FRONTIER

/* Was there any in the threads that share a row? */
QN_DEVICE_INLINE bool group_any(bool any, uint32_t lane, uint32_t width) {
  if (width > 32)
    return __syncthreads_or(any);
  const unsigned all = __ballot_sync(QN_FULL_WARP, any);
  return all >> (qn_lane() - lane) & ~0u >> (32 - width);
}

/* Gather what active columns send to rows that may receive. */
QN_DEVICE_INLINE void gather_unit_active(const struct sweep_state &state,
                                         const struct qn_program_context &context, uint64_t number,
                                         const struct qn_unit_entry &entry) {
  const struct row_unit unit = state.layout.rows.units[number];
  const struct unit_rows rows = unit_rows_at(state.layout.rows, entry);
  each_unit_row(
      unit, rows,
      [&](uint32_t row) {
        return sweep_may_receive(state, context, unit_row_vertex(unit, rows, row));
      },
      [&](bool valid, uint32_t row, uint32_t begin, uint32_t end, uint32_t lane, uint32_t width) {
        program_accumulator total = program_identity();
        bool any = false;
        for (uint32_t edge = begin + lane; edge < end && !(PROGRAM_FIRST_SUFFICES && any);
             edge += width) {
          const uint32_t source = rows.columns[edge];
          if (!sweep_is_active(state, source))
            continue;
          program_combine(&total,
                          program_contribution(&context, state.messages[source],
                                               engine_weight(&rows.weights, edge), state.values,
                                               unit_row_vertex(unit, rows, row)));
          any = true;
        }
        total = group_combine(total, width);
        any = group_any(any, lane, width);
        if (!valid || !any || lane > 0)
          return;
        const uint32_t vertex = unit_row_vertex(unit, rows, row);
        program_combine_atomic(&state.sums[vertex], total);
        sweep_mark_received(state, vertex);
      });
}

#else

QN_DEVICE_INLINE void engine_store_row(const struct sweep_state &state, uint64_t row,
                                       program_accumulator total);

/* Gather what all columns send. */
QN_DEVICE_INLINE void gather_unit(const struct sweep_state &state,
                                  const struct qn_program_context &context, uint64_t number,
                                  const struct qn_unit_entry &entry) {
  const struct row_unit unit = state.layout.rows.units[number];
  const struct unit_rows rows = unit_rows_at(state.layout.rows, entry);
  each_unit_row(
      unit, rows, [](uint32_t) { return true; },
      [&](bool valid, uint32_t row, uint32_t begin, uint32_t end, uint32_t lane, uint32_t width) {
        program_accumulator total = program_identity();
        for (uint32_t edge = begin + lane; edge < end; edge += width)
          program_combine(&total, program_gather(&context, state.messages[rows.columns[edge]],
                                                 engine_weight(&rows.weights, edge)));
        total = group_combine(total, width);
        if (!valid || lane > 0)
          return;
        if (unit.part == NO_PART)
          engine_store_row(state, unit.first_row + row, total);
        else
          state.layout.row_parts[unit.part] = total;
      });
}

/* A thread a hub: hubs are few, and their parts are many only where transfers take long. */
__global__ void add_row_parts(const struct sweep_state state) {
  const struct row_tables &rows = state.layout.rows;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rows.num_hubs;
       i += (uint64_t)gridDim.x * blockDim.x) {
    const struct row_hub hub = rows.hubs[i];
    program_accumulator total = program_identity();
    for (uint32_t part = 0; part < hub.num_parts; part++)
      program_combine(&total, state.layout.row_parts[hub.first_part + part]);
    engine_store_row(state, hub.row, total);
  }
}

/* After all units were walked. */
inline void launch_row_parts(struct sweep_run *run) {
  if (run->state.layout.rows.num_hubs > 0)
    QN_LAUNCH(add_row_parts, run->blocks, SWEEP_THREADS, 0, NULL, run->state);
}

#endif

/* ---- The host's side ------------------------------------------------------------------ */

/* Device memory for rows that are streamed. */
inline uint64_t streamed_rows_bytes(const struct row_units *cut) {
  return row_tables_bytes(cut) +
         (SWEEP_FRONTIER ? 0 : qn_cuda_rounded(cut->num_parts * sizeof(program_accumulator)));
}

inline enum qn_status streamed_rows_upload(const struct row_units *cut, struct sweep_run *run,
                                           struct qn_error *error) {
  struct engine_device *device = &run->state.layout;
  enum qn_status status = row_tables_upload(&run->memory, cut, &device->rows, error);
  if (!status && !SWEEP_FRONTIER)
    status = qn_cuda_alloc(&run->memory, &device->row_parts, cut->num_parts,
                           sizeof *device->row_parts, "sums of parts of rows", error);
  return status;
}

} /* namespace */
