/* Plain CSR that several CUDA devices share (view: struct qn_graph), each of which walks the rows
 * of a range of vertices (deal.cuh). Stands in for the engine of one device (csr/engine.cuh).
 *
 * Programs whose vertices are all active pull: a device has what its own vertices have, and what
 * all vertices send. Per iteration it tells each other device what its own send: V / N messages.
 * Resident rows are summed up as one device sums up all (own_rows.cuh), others stream.
 *
 * Frontier programs push along the rows of active vertices; every device has what all vertices
 * have, and they exchange it as on other layouts (sweep/exchange.cuh). Streamed rows are read in
 * place as by one device (rows/zero_copy.cuh): all add up what an iteration costs, so that they go
 * the same way, and near vertices before far ones. */
#pragma once

#include "kernels/cuda/rows/streamed_rows.cuh"
#include "kernels/cuda/shared_rows/deal.cuh"
#include "kernels/cuda/sweep/devices.cuh"
#include "kernels/in_edges.h"
#if !SWEEP_FRONTIER
#include "kernels/cuda/shared_rows/own_rows.cuh"
#endif

namespace {

/* A run's. */
struct shared_rows {
  struct sweep_dealt_rows dealt; /* the first: what the team calls has it */
  const struct qn_csr *csr;      /* what is walked */
  const struct qn_csr *out;
  unsigned num_devices;
  uint64_t bounds[4];
  struct row_matrix matrix;
  struct dealt_units units;
  struct row_reading readings[QN_MAX_DEVICES]; /* frontier programs */
#if !SWEEP_FRONTIER
  struct edge_tiles tiles[QN_MAX_DEVICES];
#endif
};

inline struct shared_rows *shared_rows_of(const struct sweep_run *run) {
  return const_cast<struct shared_rows *>(
      reinterpret_cast<const struct shared_rows *>(run->member->team->rows));
}

/* ---- Units ------------------------------------------------------------------------------ */

inline void describe_shared_row(const void *user, uint64_t number, struct qn_unit *out) {
  row_unit_describe(&((const struct shared_rows *)user)->units.cut, number, out);
}

inline unsigned shared_row_owner(const void *user, uint64_t number) {
  const struct shared_rows *shared = (const struct shared_rows *)user;
  return sweep_owner_of(shared->units.firsts, shared->num_devices, number);
}

inline void shared_source(const struct shared_rows *shared, struct qn_unit_source *source) {
  const struct row_units *cut = &shared->units.cut;
  memset(source, 0, sizeof *source);
  source->user = shared;
  source->describe = describe_shared_row;
  source->owner = shared_row_owner;
  row_units_count(cut, source);
  source->fixed_bytes = streamed_rows_bytes(cut) + (SWEEP_FRONTIER ? row_reading_bytes(cut) : 0);
  if (PROGRAM_USES_OUT_DEGREE) {
    source->vertex_bytes = sizeof *shared->out->row_offsets;
    source->fixed_bytes += qn_cuda_rounded(1); /* one offset more */
  }
}

/* ---- Rows that are resident, of all-active programs ------------------------------------------ */

#if SWEEP_FRONTIER
inline void keep_own_rows(struct sweep_dealt_rows *) {}
#else
inline uint64_t resident_rows_bytes(const struct sweep_dealt_rows *rows, unsigned device) {
  const struct unit_vertices own = {(uint32_t)rows->cuts[device], (uint32_t)rows->cuts[device + 1]};
  return own_rows_bytes(reinterpret_cast<const struct shared_rows *>(rows)->csr, own);
}

inline enum qn_status upload_resident_rows(struct sweep_run *run, struct qn_error *error) {
  struct shared_rows *shared = shared_rows_of(run);
  return own_rows_upload(&run->memory, shared->csr, run->state.held,
                         &shared->tiles[run->member->index], error);
}

inline enum qn_status walk_resident_rows(struct sweep_run *run, struct qn_error *error) {
  return own_rows_walk(run, &shared_rows_of(run)->tiles[run->member->index], error);
}

inline void keep_own_rows(struct sweep_dealt_rows *rows) {
  rows->resident_bytes = resident_rows_bytes;
  rows->upload = upload_resident_rows;
  rows->walk = walk_resident_rows;
}
#endif

/* ---- Rows that are read in place, of frontier programs -----------------------------------------
 */

inline enum qn_status add_up_rows(struct sweep_run *run, enum qn_status status,
                                  struct row_tally *tally) {
  struct sweep_member *member = run->member;
  const struct qn_tally *all;
  struct qn_tally own = sweep_tally(member, status);
  own.count = tally->cost;
  own.sum = (double)tally->edges;
  own.least = tally->first_place;
  status = sweep_meet(member, &own, &all);
  for (unsigned i = 0; i < member->team->threads.num_members; i++) {
    if (i == member->index)
      continue;
    tally->cost += all[i].count;
    tally->edges += (uint64_t)all[i].sum;
    tally->first_place = std::min(tally->first_place, (uint32_t)all[i].least);
  }
  return status;
}

/* Rows are read in place if all devices can: then they choose how together. */
inline enum qn_status agree_on_reading(struct sweep_run *run, struct row_reading *reading) {
  struct row_tally able = {};
  const bool streams = run->member->device.report.plan.streams;
  able.cost = streams && sweep_may_read(run, zero_copy_bytes(reading));
  const enum qn_status status = add_up_rows(run, QN_OK, &able);
  reading->may_read = able.cost == run->member->team->threads.num_members;
  reading->add_up = reading->may_read ? add_up_rows : NULL;
  return status;
}

inline void begin_readings(struct shared_rows *shared, const struct qn_run_request *request,
                           bool undirected, uint64_t total_bytes) {
  const struct dealt_units *units = &shared->units;
  for (unsigned i = 0; i < shared->num_devices; i++) {
    struct row_reading *reading = &shared->readings[i];
    reading->cut = &units->cut;
    reading->first_in = units->cut.num_units;
    reading->in = shared->matrix;
    reading->sends = reading->receives = {units->firsts[i], units->firsts[i + 1]};
    reading->total_bytes = total_bytes;
    reading->may_pull =
        PROGRAM_FIRST_SUFFICES && undirected && request->device->streaming.moves == QN_MOVE_ACTIVE;
  }
}

inline uint64_t count_waiting_rows(const struct sweep_run *run) {
  return shared_rows_of(run)->readings[run->member->index].num_waiting;
}

/* ---- A member ------------------------------------------------------------------------------- */

/* All units have their numbers, as the host counts them; hubs are added up by who has them. */
inline enum qn_status upload_tables(const struct shared_rows *shared, struct sweep_run *run,
                                    struct qn_error *error) {
  const uint64_t *first_hubs = &shared->units.first_hubs[run->member->index];
  struct row_units own = shared->units.cut;
  own.hubs += first_hubs[0];
  own.num_hubs = first_hubs[1] - first_hubs[0];
  return streamed_rows_upload(&own, run, error);
}

inline enum qn_status upload_shared(struct sweep_run *run, struct qn_error *error) {
  struct shared_rows *shared = shared_rows_of(run);
  struct row_reading *reading = &shared->readings[run->member->index];
  run->stands_in = true;
  run->engine = reading;
  run->state.layout.needed.first_in = (uint32_t)shared->units.cut.num_units;
  enum qn_status status = SWEEP_FRONTIER ? agree_on_reading(run, reading) : QN_OK;
  if (!status)
    status = upload_tables(shared, run, error);
  if (!status && PROGRAM_USES_OUT_DEGREE)
    status = sweep_copy_of_held(run, &run->state.layout.out_offsets, shared->out->row_offsets, 1,
                                "row offsets", error);
  if (!status && SWEEP_FRONTIER && run->member->device.report.plan.streams)
    status = row_reading_upload(reading, run, error);
  return status;
}

inline enum qn_status prepare_shared(struct sweep_run *run, struct qn_error *error) {
  struct row_reading *reading = (struct row_reading *)run->engine;
  const struct qn_stream_plan *plan = &run->member->device.report.plan;
  enum qn_status status = QN_OK;
  if (!SWEEP_FRONTIER || !run->stream)
    return QN_OK;
  if (reading->may_read)
    status = qn_unit_pins_open(&run->pins, run->source, plan->pin_bytes, error);
  return status ? status : row_reading_create(reading, run, error);
}

/* ---- The run -------------------------------------------------------------------------------- */

inline enum qn_status share_rows(struct shared_rows *shared, const struct qn_run_request *request,
                                 bool undirected, struct qn_run_result *result,
                                 struct qn_error *error) {
  const uint64_t most = SWEEP_FRONTIER ? ROW_UNIT_ACTIVE : ROW_UNIT_ALL;
  struct qn_unit_source source;
  auto upload = [](struct sweep_run *run, struct qn_error *failure) {
    return upload_shared(run, failure);
  };
  auto prepare = [](struct sweep_run *run, struct qn_error *failure) {
    return prepare_shared(run, failure);
  };
  shared->num_devices = request->device->num_devices;
  shared->matrix = row_matrix_of_csr(shared->csr, PROGRAM_USES_WEIGHTS, shared->bounds);
  keep_own_rows(&shared->dealt);
  shared->dealt.waiting = SWEEP_FRONTIER ? count_waiting_rows : NULL;
  deal_rows(shared->csr, shared->num_devices, shared->dealt.cuts);
  enum qn_status status = deal_units(&shared->matrix, most, shared->num_devices, shared->dealt.cuts,
                                     &shared->units, error);
  if (!status) {
    shared_source(shared, &source);
    begin_readings(shared, request, undirected, source.total_bytes);
    status = sweep_run_devices(request, shared->out->num_vertices, shared->out->num_edges, NULL,
                               &source, &shared->dealt, upload, prepare, result, error);
    for (unsigned i = 0; i < shared->num_devices; i++)
      row_reading_destroy(&shared->readings[i]);
  }
  row_units_destroy(&shared->units.cut);
  return status;
}

inline enum qn_status check_shared(const struct qn_run_request *request, const struct qn_csr *out,
                                   struct qn_error *error) {
  const struct qn_run_state *resumed = qn_state_resumed(request);
  if (resumed && !sweep_state_is_streamed(resumed))
    return qn_fail(error, QN_UNSUPPORTED,
                   "the checkpoint is of a run of %s on one device that had the whole graph there, "
                   "which several cannot go on with; run it on one, or remove the checkpoint to "
                   "start over",
                   PROGRAM_NAME);
  return engine_check_weights(&out->weights, out->num_edges, out->num_vertices, error);
}

inline enum qn_status engine_run(const struct qn_run_request *request, struct qn_run_result *result,
                                 struct qn_error *error) {
  const struct qn_graph *view = (const struct qn_graph *)request->view;
  struct shared_rows *shared;
  struct qn_graph made;
  memset(result, 0, sizeof *result);
  memset(&made, 0, sizeof made);
  enum qn_status status = check_shared(request, &view->out, error);
  if (!status)
    status = qn_alloc_zeroed(&shared, 1, sizeof *shared, "what devices share", error);
  if (status)
    return status;
  shared->csr = shared->out = &view->out;
  if (!SWEEP_FRONTIER)
    status = qn_find_in_edges(view, &made, &shared->csr, error);
  if (!status)
    status = share_rows(shared, request, view->directedness == QN_UNDIRECTED, result, error);
  qn_graph_unmap(&made);
  qn_free(shared);
  return status;
}

} /* namespace */

QN_DEFINE_KERNEL(QN_LAYOUT_GRAPH, QN_CUDA, "plain rows, by several devices",
                 QN_KERNEL_DEVICES | QN_KERNEL_STANDS_IN | QN_KERNEL_SHARES_ROWS);
