/* Parts of a set on a CUDA device (view: struct qn_set_view), by one process or by several ranks,
 * each with a device.
 *
 * What kernels/cpu/set/engine.h says, but that all values of vertices are on every device, of which
 * a rank's own are kept up. Rows are streamed in
 * units from the mapped parts and stay in the device's memory as far as there is room
 * (stream/stream.cuh).
 *
 * Per iteration a unit's edges move 4 bytes each (8 with weights), over the bus where they did not
 * stay, and what ranks tell crosses it twice. */
#pragma once

#include "kernels/cuda/set/device.cuh"

#include "kernels/cuda/rows/row_walks.cuh"
#include "kernels/cuda/set/exchange.cuh"
#include "kernels/cuda/set/pushes.cuh"
#include "kernels/cuda/set/units.cuh"
#include "kernels/cuda/sweep/loop.cuh"
#include "kernels/cuda/sweep/senders.cuh"

namespace {

/* ---- Walking ------------------------------------------------------------------------------ */

#if !SWEEP_FRONTIER
QN_DEVICE_INLINE void engine_store_row(const struct sweep_state &state, uint64_t row,
                                       program_accumulator total) {
  state.sums[row] = total;
}
#endif

__global__ void __launch_bounds__(SWEEP_THREADS)
    walk_parts(const struct sweep_state state, const struct qn_program_context context,
               const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
#if SWEEP_FRONTIER
  if (state.layout.rows_send)
    push_unit(state, context, entry.unit, entry);
  else
    gather_unit_active(state, context, entry.unit, entry);
#else
  gather_unit(state, context, entry.unit, entry);
#endif
}

QN_DEVICE_INLINE struct unit_vertices engine_unit_vertices(const struct engine_device &device,
                                                           uint64_t number) {
  const struct row_unit &unit = device.rows.units[number];
  if (device.rows_send)
    return {(uint32_t)unit.first_row, (uint32_t)(unit.first_row + unit.num_rows)};
  return {unit.first_sender, unit.end_sender};
}

inline enum qn_status engine_walk(struct sweep_run *run, const struct qn_unit_entry *entries,
                                  uint64_t count, cudaStream_t stream, struct qn_error *error) {
  QN_LAUNCH(walk_parts, dim3((unsigned)count, row_unit_blocks(run->source)), SWEEP_THREADS, 0,
            stream, run->state, run->context, entries);
  return qn_cuda_launched("walking the rows of parts", error);
}

inline enum qn_status engine_complete(struct sweep_run *run, struct qn_error *error) {
  (void)run;
#if !SWEEP_FRONTIER
  launch_row_parts(run);
#endif
  return qn_cuda_launched("adding up the parts of rows", error);
}

/* Nothing is resident: without edges there is nothing to walk. */
inline enum qn_status engine_collect(struct sweep_run *run, struct qn_error *error) {
  (void)run, (void)error;
  return QN_OK;
}

/* ---- What the loop (iterations.cuh, rounds.cuh) asks of ranks ------------------------------ */

/* A rank that has failed asks nothing: whoever asks next learns of it. */
inline enum qn_status agree(struct set_exchange *, enum qn_status status) {
  return status;
}

inline enum qn_status count_active(struct set_exchange *exchange, enum qn_status status,
                                   struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  uint64_t own = 0;
  run->num_active = run->context.num_vertices;
  if (!SWEEP_FRONTIER || status)
    return status;
  status = sweep_read_count(run, &own, error);
  return status ? status : share_count(exchange, own, &run->num_active, error);
}

inline enum qn_status next_round(struct set_exchange *exchange, struct qn_error *error) {
  return sweep_next_round(exchange, exchange->run, error);
}

inline enum qn_status agree_on_round(struct set_exchange *exchange, double *round,
                                     enum qn_status status) {
  return status ? status
                : share_number(
                      exchange, round, [](double *all, double one) { *all = fmin(*all, one); },
                      exchange->error);
}

inline enum qn_status begin_iteration(struct set_exchange *exchange, struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  enum qn_status status = QN_OK;
  choose_direction(exchange);
  SWEEP_LAUNCH(run, sweep_send);
  if (PROGRAM_AGGREGATE)
    status = sweep_total(run, &run->context.aggregate, error);
  if (!status && PROGRAM_AGGREGATE)
    status = share_sum(exchange, &run->context.aggregate, error);
#if PROGRAM_BEGINS
  program_begin(&run->context);
#endif
  return status || !exchange->view->exchange || run->state.layout.rows_send
             ? status
             : tell_messages(exchange, error);
}

inline enum qn_status one_iteration(struct set_exchange *exchange, double *change,
                                    struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  enum qn_status status = begin_iteration(exchange, error);
  if (!status)
    status = sweep_walk(run, error);
  if (!status)
    status = tell_pushed(exchange, error);
  if (!status)
    status = sweep_end(run, change, error);
  if (!status && SWEEP_FRONTIER)
    return share_count(exchange, run->num_active, &run->num_active, error);
  return !status && PROGRAM_CONVERGES ? share_sum(exchange, change, error) : status;
}

inline bool iteration_finished(struct set_exchange *exchange, uint64_t num_active, double change,
                               double begin) {
  return sweep_finished(exchange->run, num_active, change, begin);
}

inline enum qn_status keep(struct set_exchange *exchange, struct qn_error *error) {
  return sweep_keep(exchange->run, error);
}

inline bool may_wait(const struct set_exchange *) {
  return false;
}

/* ---- The run ------------------------------------------------------------------------------- */

/* In 8 bytes each, in which a device has them. */
inline enum qn_status upload_degrees(const struct qn_set_view *view, struct sweep_run *run,
                                     struct qn_error *error) {
  uint64_t *degrees;
  enum qn_status status =
      qn_pages_alloc(&degrees, view->num_vertices, sizeof *degrees, "out-degrees", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < view->num_vertices; v++)
    degrees[v] = qn_degree_of(&view->out_degrees, v);
  status = qn_cuda_copy_of(&run->memory, &run->state.layout.out_degrees, degrees,
                           view->num_vertices, 0, sizeof *degrees, "out-degrees", error);
  qn_pages_free(degrees, view->num_vertices, sizeof *degrees);
  return status;
}

inline enum qn_status upload_parts(const struct set_units *units, struct sweep_run *run,
                                   struct qn_error *error) {
  const struct qn_set_view *view = units->view;
  run->state.held = own_vertices(view);
  enum qn_status status = streamed_rows_upload(&units->all, run, error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = upload_degrees(view, run, error);
  return status;
}

inline enum qn_status check_weights(const struct qn_set_view *view, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < view->num_parts; i++)
    status = engine_check_weights(&view->parts[i].csr->weights, view->parts[i].csr->num_edges,
                                  view->num_vertices, error);
  return status;
}

/* Where the run goes on, which of this rank's vertices are active is known from before. */
inline enum qn_status count_resumed(struct set_exchange *exchange, struct qn_error *error) {
  struct sweep_run *run = exchange->run;
  const struct qn_run_state *resumed = qn_state_resumed(run->request);
  uint64_t own = 0;
  if (!resumed || !SWEEP_FRONTIER)
    return QN_OK;
  for (uint64_t word = 0; word < qn_state_words(run->context.num_vertices); word++)
    own += (uint64_t)__builtin_popcountll(resumed->active[word] & sweep_held_bits(run, word));
  return share_count(exchange, own, &run->num_active, error);
}

inline enum qn_status iterate_ranks(struct set_exchange *exchange, struct qn_error *error) {
  exchange->error = error;
  enum qn_status status = sweep_first_values(exchange, exchange->run, error);
  if (!status)
    status = count_resumed(exchange, error);
  return status ? status : iterate(exchange, exchange->run, error);
}

inline enum qn_status run_parts(const struct set_units *units, const struct qn_run_request *request,
                                struct qn_run_result *result, struct qn_error *error) {
  const struct qn_set_view *view = units->view;
  struct qn_unit_source source = set_source(units);
  struct set_exchange exchange;
  memset(&exchange, 0, sizeof exchange);
  exchange.view = view;
  exchange.may_push = may_push(view, request);
  source.fixed_bytes = streamed_rows_bytes(&units->all) + exchange_device_bytes(&exchange);
  if (PROGRAM_USES_OUT_DEGREE)
    source.fixed_bytes += qn_cuda_rounded(view->num_vertices * sizeof(uint64_t));
  auto upload = [units](struct sweep_run *run, struct qn_error *failure) {
    return upload_parts(units, run, failure);
  };
  auto prepare = [&exchange](struct sweep_run *run, struct qn_error *failure) {
    exchange.run = run;
    /* Results are made of all values; those of others are theirs to give. */
    enum qn_status status = qn_cuda_status(
        cudaMemset(run->state.values, 0, run->context.num_vertices * sizeof *run->state.values),
        "clearing values", failure);
    if (!status)
      status = exchange_create(&exchange, failure);
    return status ? status : pushes_begin(&exchange, failure);
  };
  auto algorithm = [&exchange](struct sweep_run *, struct qn_error *failure) {
    return iterate_ranks(&exchange, failure);
  };
  enum qn_status status = sweep_run_with(request, view->num_vertices, view->num_edges, NULL,
                                         &source, upload, prepare, algorithm, result, error);
  if (!status && view->exchange) {
    for (unsigned rank = 0; rank <= num_ranks(view); rank++)
      exchange.offsets[rank] = view->first_vertices[rank] * sizeof(program_result);
    status = view->exchange->gather(result->values, exchange.offsets, error);
  }
  exchange_destroy(&exchange);
  return status;
}

inline enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_set_view *view = (const struct qn_set_view *)request->view;
  struct set_units units;
  memset(result, 0, sizeof *result);
  enum qn_status status = check_weights(view, error);
  if (status)
    return status;
  status = set_units_create(&units, view, SWEEP_FRONTIER ? ROW_UNIT_ACTIVE : ROW_UNIT_ALL, error);
  if (!status)
    status = run_parts(&units, request, result, error);
  set_units_destroy(&units);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_SET, QN_CUDA, "rows of parts, streamed", 0);
