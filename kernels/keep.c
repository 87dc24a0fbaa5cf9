#include "kernels/keep.h"

#include <string.h>

#include "kernels/run_state.h"

_Static_assert(QN_STATE_NUMBERS == QN_STATE_REGISTERS - QN_STATE_ENGINE,
               "a kernel has the registers from QN_STATE_ENGINE on");

const struct qn_run_state *qn_state_resumed(const struct qn_run_request *request) {
  return request->hooks.checkpointing ? request->hooks.checkpointing->resume : NULL;
}

uint64_t qn_state_iterations(const struct qn_run_request *request) {
  const struct qn_run_state *state = qn_state_resumed(request);
  return state ? state->registers[QN_STATE_ITERATIONS] : 0;
}

bool qn_state_restore_values(const struct qn_run_request *request,
                             const struct qn_state_parts *parts, uint64_t begin, uint64_t end) {
  const struct qn_run_state *state = qn_state_resumed(request);
  if (state && begin < end)
    memcpy((char *)parts->values + begin * parts->value_bytes,
           (const char *)state->values + begin * parts->value_bytes,
           (end - begin) * parts->value_bytes);
  return state != NULL;
}

bool qn_state_restore(const struct qn_run_request *request, const struct qn_state_parts *parts) {
  const struct qn_run_state *state = qn_state_resumed(request);
  if (!state)
    return false;
  const uint64_t bitmap_bytes = qn_state_words(state->num_vertices) * sizeof(uint64_t);
  if (parts->active && bitmap_bytes > 0)
    memcpy(parts->active, state->active, bitmap_bytes);
  if (parts->waiting && state->waiting && bitmap_bytes > 0) {
    memcpy(parts->waiting, state->waiting, bitmap_bytes);
    *parts->limit = qn_real_of_register(state->registers[QN_STATE_LIMIT]);
  }
  for (unsigned i = 0; i < QN_STATE_NUMBERS; i++)
    if (parts->numbers[i])
      memcpy(parts->numbers[i], &state->registers[QN_STATE_ENGINE + i], sizeof(uint64_t));
  return true;
}

bool qn_state_is_due(const struct qn_run_request *request, uint64_t iterations) {
  const struct qn_checkpointing *checkpointing = request->hooks.checkpointing;
  return checkpointing && checkpointing->is_due(checkpointing->user, iterations);
}

enum qn_status qn_state_save(const struct qn_run_request *request, uint64_t iterations,
                             double change, const struct qn_state_parts *parts,
                             struct qn_error *error) {
  const struct qn_program_context *context = parts->context;
  struct qn_run_state state = {.num_vertices = parts->num_vertices,
                               .value_bytes = parts->value_bytes,
                               .values = parts->values,
                               .active = parts->active,
                               .waiting = parts->waiting};
  state.registers[QN_STATE_ITERATIONS] = iterations;
  state.registers[QN_STATE_CHANGE] = qn_register_of_real(change);
  if (context) {
    state.registers[QN_STATE_AGGREGATE] = qn_register_of_real(context->aggregate);
    state.registers[QN_STATE_ROUND] = qn_register_of_real(context->round);
    for (int i = 0; i < QN_MAX_DERIVED; i++)
      state.registers[QN_STATE_DERIVED + i] = qn_register_of_real(context->derived[i]);
  }
  for (unsigned i = 0; i < QN_STATE_NUMBERS; i++)
    if (parts->numbers[i])
      memcpy(&state.registers[QN_STATE_ENGINE + i], parts->numbers[i], sizeof(uint64_t));
  if (parts->waiting)
    state.registers[QN_STATE_LIMIT] = qn_register_of_real(*parts->limit);
  return request->hooks.checkpointing->save(request->hooks.checkpointing->user, &state, error);
}

enum qn_status qn_state_keep(const struct qn_run_request *request, uint64_t iterations,
                             double change, const struct qn_state_parts *parts,
                             struct qn_error *error) {
  return qn_state_is_due(request, iterations)
             ? qn_state_save(request, iterations, change, parts, error)
             : QN_OK;
}

/* The source is a position in original order. */
static uint64_t source_of(const struct qn_run_request *request) {
  if (request->inputs.wide_source)
    return *request->inputs.wide_source;
  if (request->inputs.num_sources == 0)
    return UINT64_MAX;
  return request->positions ? request->positions[request->inputs.sources[0]]
                            : request->inputs.sources[0];
}

struct qn_program_context qn_run_begin(const struct qn_run_request *request, uint64_t num_vertices,
                                       uint64_t num_edges, struct qn_run_result *result) {
  const struct qn_run_state *state = qn_state_resumed(request);
  struct qn_program_context context = {.num_vertices = num_vertices,
                                       .num_edges = num_edges,
                                       .source = source_of(request),
                                       .num_samples = request->inputs.num_samples,
                                       .tolerance = request->limits.tolerance,
                                       .shared = request->shared};
  memcpy(context.parameters, request->arguments.of, sizeof context.parameters);
  memset(result, 0, sizeof *result);
  if (!state)
    return context;
  const uint64_t *registers = state->registers;
  result->stats.iterations = registers[QN_STATE_ITERATIONS];
  result->stats.change = qn_real_of_register(registers[QN_STATE_CHANGE]);
  context.iteration = (uint32_t)registers[QN_STATE_ITERATIONS];
  context.aggregate = qn_real_of_register(registers[QN_STATE_AGGREGATE]);
  context.round = qn_real_of_register(registers[QN_STATE_ROUND]);
  for (int i = 0; i < QN_MAX_DERIVED; i++)
    context.derived[i] = qn_real_of_register(registers[QN_STATE_DERIVED + i]);
  return context;
}
