/* The device memory of a sweep (sweeps.cuh): what it takes for the vertices, and whether the
 * topology fits beside it or must be streamed. */
#pragma once

#include "kernels/cuda/sweep/sweeps.cuh"
#include "support/sizes.h"

namespace {

/* An array of device memory that a sweep needs. */
struct sweep_array {
  void *out; /* the pointer's address */
  uint64_t count, size;
  const void *from; /* to be uploaded, or NULL */
  bool zeroed;
  const char *what;
};

#define SWEEP_MAX_ARRAYS 12

/* All of them; how many. */
inline unsigned sweep_arrays(struct sweep_run *run, const uint32_t *to_vertex,
                             struct sweep_array *arrays) {
  struct sweep_state *state = &run->state;
  const uint64_t num_vertices = run->context.num_vertices, words = num_vertices / 32 + 1;
  const uint32_t *positions = run->request->positions;
  unsigned count = 0;
  arrays[count++] = {&state->values, num_vertices, sizeof *state->values,
                     NULL,           false,        "vertex values"};
  arrays[count++] = {&state->messages, num_vertices, sizeof *state->messages, NULL, false,
                     "messages"};
  arrays[count++] = {&state->sums, num_vertices, sizeof *state->sums, NULL, false, "accumulators"};
  arrays[count++] = {&state->parts, SWEEP_MAX_BLOCKS, sizeof *state->parts, NULL, false, "sums"};
  arrays[count++] = {&state->count, 1, sizeof *state->count, NULL, true, "a counter"};
  arrays[count++] = {&state->least, 1, sizeof *state->least, NULL, true, "a counter"};
  if (SWEEP_FRONTIER) {
    arrays[count++] = {&state->active, words, 4, NULL, true, "bits of vertices"};
    arrays[count++] = {&state->received, words, 4, NULL, true, "bits of vertices"};
  }
  if (to_vertex)
    arrays[count++] = {&state->to_vertex, num_vertices, 4, to_vertex, false, "vertex numbers"};
  if (positions)
    arrays[count++] = {&state->positions, num_vertices, 4, positions, false, "positions"};
  if (SWEEP_FRONTIER && run->source && !run->source->by_receiver)
    arrays[count++] = {&run->unit_flags, run->source->num_units, 1, NULL, true, "flags of units"};
  return count;
}

inline enum qn_status sweep_create_arrays(struct sweep_run *run, const struct sweep_array *arrays,
                                          unsigned count, struct qn_error *error) {
  struct qn_cuda_memory *memory = &run->memory;
  enum qn_status status = QN_OK;
  run->blocks =
      qn_grid(run->context.num_vertices, SWEEP_THREADS, memory->device.multiprocessors, 8);
  run->blocks = run->blocks < SWEEP_MAX_BLOCKS ? run->blocks : SWEEP_MAX_BLOCKS;
  for (unsigned i = 0; i < count && !status; i++) {
    const struct sweep_array *array = &arrays[i];
    if (array->from)
      status = qn_cuda_copy_of(memory, array->out, array->from, array->count, 0, array->size,
                               array->what, error);
    else if (array->zeroed)
      status =
          qn_cuda_alloc_zeroed(memory, array->out, array->count, array->size, array->what, error);
    else
      status = qn_cuda_alloc(memory, array->out, array->count, array->size, array->what, error);
  }
  return status;
}

inline enum qn_status sweep_create(struct sweep_run *run, const uint32_t *to_vertex,
                                   struct qn_error *error) {
  struct sweep_array arrays[SWEEP_MAX_ARRAYS];
  const unsigned count = sweep_arrays(run, to_vertex, arrays);
  return sweep_create_arrays(run, arrays, count, error);
}

/* What the results don't need. */
inline void sweep_make_room(struct sweep_run *run) {
  qn_cuda_release(&run->memory, run->state.messages);
  qn_cuda_release(&run->memory, run->state.sums);
}

/* Bytes of all arrays, and what the results take that the arrays they replace don't have. */
inline uint64_t sweep_vertex_bytes(struct sweep_run *run, const uint32_t *to_vertex) {
  struct sweep_array arrays[SWEEP_MAX_ARRAYS];
  const unsigned count = sweep_arrays(run, to_vertex, arrays);
  const uint64_t replaced = sizeof *run->state.messages + sizeof *run->state.sums;
  uint64_t bytes = 0;
  for (unsigned i = 0; i < count; i++)
    bytes += qn_cuda_rounded(arrays[i].count * arrays[i].size);
  if (sizeof(program_result) > replaced)
    bytes += (sizeof(program_result) - replaced) * run->context.num_vertices;
  return bytes;
}

/* Bytes of what a source knows of `held` vertices. */
inline uint64_t sweep_table_bytes(const struct qn_unit_source *source, uint64_t held) {
  return source->vertex_bytes ? qn_cuda_rounded(source->vertex_bytes * held) : 0;
}

inline enum qn_status sweep_too_large(const struct sweep_run *run, uint64_t attribute_bytes,
                                      uint64_t least_bytes, uint64_t usable,
                                      struct qn_error *error) {
  char all[32], attributes[32], unit[32], may[32];
  return qn_fail(
      error, QN_DEVICE,
      "not enough device memory: even streaming, %s on this graph needs %s (%s for the values of "
      "vertices and their bookkeeping, %s for a part of the graph), but %s of %s may be used; "
      "allow more with --device-memory, use a larger device, or --device cpu",
      PROGRAM_NAME, qn_size_text(attribute_bytes + least_bytes, all, sizeof all),
      qn_size_text(attribute_bytes, attributes, sizeof attributes),
      qn_size_text(least_bytes, unit, sizeof unit), qn_size_text(usable, may, sizeof may),
      run->memory.device.name);
}

/* Sets run->source if the topology must be streamed, and then the result's plan. */
inline enum qn_status sweep_plan_memory(struct sweep_run *run, const uint32_t *to_vertex,
                                        const struct qn_unit_source *source,
                                        struct qn_error *error) {
  const struct qn_cuda_device *device = &run->memory.device;
  struct qn_stream_plan *plan = &run->request->device->report.plan;
  const uint64_t usable = qn_cuda_plannable_bytes(device, run->memory.cap);
  const uint64_t num_vertices = run->context.num_vertices;
  const uint64_t resident =
      sweep_vertex_bytes(run, to_vertex) + sweep_table_bytes(source, num_vertices);
  if (source->num_units == 0 || (resident <= usable && source->resident_bytes <= usable - resident))
    return QN_OK;
  run->source = source;
  const uint64_t attribute_bytes = sweep_vertex_bytes(run, to_vertex) +
                                   sweep_table_bytes(source, num_vertices) + source->fixed_bytes;
  const uint64_t least_bytes = qn_unit_stream_least(source);
  if (attribute_bytes > usable || least_bytes > usable - attribute_bytes)
    return sweep_too_large(run, attribute_bytes, least_bytes, usable, error);
  plan->attribute_bytes = attribute_bytes;
  return qn_unit_stream_plan(source, &run->request->device->streaming, usable - attribute_bytes,
                             plan, error);
}

} /* namespace */
