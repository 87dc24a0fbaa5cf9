/* Connected components of plain CSR that does not fit into device memory: the parents
 * (cc_trees.cuh) stay on the device: every edge is joined once, as its unit
 * passes by (row_units.cuh), so the topology crosses the bus a single time, where propagating
 * labels moves it once for each step of the diameter. The first neighbours alone, with which a
 * resident run begins to save most of its work, would move nearly all of it too.
 *
 * An iteration is CC_STEP_BYTES of units. Trees only ever grow together, so between two of them the
 * parents are a state to go on from.
 *
 * Several devices each join the edges of their rows (edges/row_team.cuh). Then one joins what
 * another has found, a vertex to its parent, until the first has all: for N devices log2(N) times
 * 4 bytes a vertex come in. */
#pragma once

#include "kernels/cuda/edges/fit_or_read.cuh"
#include "kernels/cuda/edges/keep.cuh"
#include "kernels/cuda/rows/row_units.cuh"
#include "kernels/cuda/standalone/cc_trees.cuh"
#include "kernels/cuda/stream/pins.cuh"

#ifndef CC_STEP_BYTES
#define CC_STEP_BYTES ((uint64_t)4 << 30)
#endif
#define CC_THREADS 256

namespace {

__global__ void __launch_bounds__(CC_THREADS)
    join_units(const struct row_tables tables, uint32_t *parent,
               const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
  const struct row_unit unit = tables.units[entry.unit];
  const struct unit_rows rows = unit_rows_at(tables, entry);
  each_unit_row(
      unit, rows, [](uint32_t) { return true; },
      [&](bool, uint32_t row, uint32_t begin, uint32_t end, uint32_t lane, uint32_t width) {
        for (uint32_t edge = begin + lane; edge < end; edge += width)
          join(parent, unit_row_vertex(unit, rows, row), rows.columns[edge]);
      });
}

struct cc_stream {
  const struct qn_run_request *request;
  struct qn_run_result *result;
  struct qn_cuda_memory *memory;
  uint64_t num_vertices;
  struct row_units cut;
  struct qn_unit_source source;
  struct row_tables tables;
  struct qn_unit_stream *stream;
  uint8_t *flags; /* [num_units] of an iteration */
  uint32_t *parent;
  const uint32_t *positions;
  uint32_t *first;  /* [V] for labels by position; NULL without positions */
  uint32_t *theirs; /* [V] the parents of another device; NULL: this one is alone */
  unsigned blocks;  /* of threads for all units */
};

inline enum qn_status cc_walk(void *user, const struct qn_unit_entry *entries, uint64_t count,
                              cudaStream_t stream, struct qn_error *error) {
  const struct cc_stream *work = (const struct cc_stream *)user;
  QN_LAUNCH(join_units, dim3((unsigned)count, work->blocks), CC_THREADS, 0, stream, work->tables,
            work->parent, entries);
  return qn_cuda_launched("joining edges", error);
}

/* Device memory beside the units. */
inline uint64_t cc_attribute_bytes(const struct cc_stream *work) {
  const uint64_t numbers = qn_cuda_rounded(work->num_vertices * sizeof(uint32_t));
  const unsigned more = work->request->device->member ? 1 : 0;
  return row_tables_bytes(&work->cut) + (work->request->positions ? 3 + more : 1 + more) * numbers;
}

inline enum qn_status cc_plan(struct cc_stream *work, struct qn_error *error) {
  struct qn_stream_plan *plan = &work->request->device->report.plan;
  const uint64_t usable = qn_cuda_plannable_bytes(&work->memory->device, work->memory->cap);
  const uint64_t attributes = cc_attribute_bytes(work), least = qn_unit_stream_least(&work->source);
  if (attributes > usable || least > usable - attributes)
    return qn_run_too_large(work->memory, "even streaming, cc", attributes + least, error);
  enum qn_status status = QN_OK;
  if (work->source.num_units > 0) {
    plan->attribute_bytes = attributes;
    status = qn_unit_stream_plan(&work->source, &work->request->device->streaming,
                                 usable - attributes, plan, error);
  }
  qn_row_plan(work->memory, attributes, work->source.total_bytes);
  return status;
}

inline enum qn_status cc_create(struct cc_stream *work, struct qn_error *error) {
  const struct qn_run_request *request = work->request;
  struct qn_cuda_memory *memory = work->memory;
  enum qn_status status = qn_cuda_alloc(memory, &work->parent, work->num_vertices,
                                        sizeof *work->parent, "labels", error);
  if (!status && request->positions)
    status = qn_cuda_copy_of(memory, &work->positions, request->positions, work->num_vertices, 0,
                             sizeof *work->positions, "positions", error);
  if (!status && request->positions)
    status = qn_cuda_alloc(memory, &work->first, work->num_vertices, sizeof *work->first,
                           "first positions", error);
  if (!status && memory->member)
    status = qn_cuda_alloc(memory, &work->theirs, work->num_vertices, sizeof *work->theirs,
                           "labels of another device", error);
  if (!status)
    status = row_tables_upload(memory, &work->cut, &work->tables, error);
  if (!status)
    status = qn_pages_alloc(&work->flags, work->source.num_units, 1, "flags of units", error);
  if (status || work->source.num_units == 0)
    return status;
  qn_unit_map(&work->source);
  status = qn_unit_stream_create(&work->stream, memory, &work->source, &request->device->streaming,
                                 &work->request->device->report.plan, error);
  if (!status && request->device->streaming.on_plan)
    request->device->streaming.on_plan(request->device->streaming.user,
                                       &work->request->device->report.plan);
  work->blocks = row_unit_blocks(&work->source);
  return status;
}

/* The parents of a state must be what parents always are, or searches for roots would not end. */
inline bool cc_state_is_sound(const struct cc_stream *work, const struct qn_run_state *state) {
  const uint32_t *parent = (const uint32_t *)state->values;
  const bool alone = !work->memory->member;
  uint64_t bad = alone && state->registers[QN_STATE_ENGINE] > work->source.num_units;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    bad += parent[v] > v;
  return bad == 0;
}

/* The first parents; *done becomes how many units have been joined: of one of several devices none,
 * whose units are others than those of the state. */
inline enum qn_status cc_begin(struct cc_stream *work, uint64_t *done, struct qn_error *error) {
  const struct qn_run_state *state = qn_state_resumed(work->request);
  *done = 0;
  if (!state) {
    QN_LAUNCH(begin_alone, qn_run_blocks(work->memory, work->num_vertices), QN_QUEUE_THREADS, 0,
              NULL, work->parent, work->num_vertices);
    return qn_cuda_launched("preparing labels", error);
  }
  if (!cc_state_is_sound(work, state))
    return qn_fail(error, QN_INVALID, "the checkpoint has values that cc cannot have left there");
  if (!work->memory->member)
    *done = state->registers[QN_STATE_ENGINE];
  work->result->stats.iterations = state->registers[QN_STATE_ITERATIONS];
  return qn_cuda_upload(work->memory, work->parent, state->values, work->num_vertices,
                        sizeof *work->parent, "labels", error);
}

inline enum qn_status cc_keep(struct cc_stream *work, uint64_t done, struct qn_error *error) {
  struct qn_state_parts parts = keep_parts(work->num_vertices, sizeof *work->parent, NULL);
  done = work->memory->member ? 0 : done;
  parts.numbers[0] = &done;
  return keep_values(work->request, work->result->stats.iterations, 0, &parts, work->memory,
                     work->parent, error);
}

/* An iteration that began at `begin` is over. */
inline void cc_tell(const struct cc_stream *work, const struct qn_device_iteration *device,
                    double begin) {
  struct qn_iteration report;
  memset(&report, 0, sizeof report);
  report.iteration = (uint32_t)work->result->stats.iterations++;
  report.mode = "join";
  report.device = device;
  report.num_active = work->num_vertices;
  report.seconds = qn_seconds() - begin;
  if (work->request->hooks.on_iteration)
    work->request->hooks.on_iteration(work->request->hooks.user, &report);
}

/* One iteration: the units [first, end). Of several devices all of it is one, which the first tells
 * when all have joined. */
inline enum qn_status cc_step(struct cc_stream *work, uint64_t first, uint64_t end,
                              struct qn_error *error) {
  struct qn_row_member *member = work->memory->member;
  struct qn_device_iteration device = {};
  const double begin = qn_seconds();
  memset(work->flags, 0, work->source.num_units);
  memset(work->flags + first, 1, end - first);
  enum qn_status status =
      qn_unit_stream_run(work->stream, work->flags, cc_walk, work, &device.moved, error);
  if (status)
    return status;
  QN_LAUNCH(compress, qn_run_blocks(work->memory, work->num_vertices), QN_QUEUE_THREADS, 0, NULL,
            work->parent, work->num_vertices);
  status = qn_cuda_launched("joining edges", error);
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "joining edges", error);
  if (!status && member)
    qn_stream_figures_add(&member->moved, &device.moved);
  else if (!status)
    cc_tell(work, &device, begin);
  return status;
}

inline enum qn_status cc_join(struct cc_stream *work, struct qn_error *error) {
  const uint64_t units = CC_STEP_BYTES / work->cut.limit + 1;
  uint64_t done;
  enum qn_status status = cc_begin(work, &done, error);
  while (!status && done < work->source.num_units) {
    const uint64_t left = work->source.num_units - done, end = done + (left < units ? left : units);
    status = cc_step(work, done, end, error);
    done = end;
    if (!status && done < work->source.num_units)
      status = cc_keep(work, done, error);
  }
  return status;
}

__global__ void join_parents(uint32_t *parent, const uint32_t *theirs, uint64_t num_vertices) {
  qn_grid_steps(num_vertices, [&](uint64_t v) {
    if (theirs[v] != v)
      join(parent, (uint32_t)v, theirs[v]);
  });
}

/* Join what device `by` has found. */
inline enum qn_status cc_join_theirs(struct cc_stream *work, unsigned by, struct qn_error *error) {
  const uint64_t num_vertices = work->num_vertices;
  const unsigned blocks = qn_run_blocks(work->memory, num_vertices);
  enum qn_status status =
      qn_row_copy(work->memory, work->theirs, by, qn_row_told(work->memory->member, by),
                  num_vertices * sizeof *work->theirs, error);
  if (status)
    return status;
  QN_LAUNCH(join_parents, blocks, QN_QUEUE_THREADS, 0, NULL, work->parent, work->theirs,
            num_vertices);
  QN_LAUNCH(compress, blocks, QN_QUEUE_THREADS, 0, NULL, work->parent, num_vertices);
  status = qn_cuda_launched("joining trees", error);
  return status ? status : qn_cuda_status(cudaDeviceSynchronize(), "joining trees", error);
}

/* Until the first of several devices has all trees, and tells what all have done since `begin`. */
inline enum qn_status cc_join_devices(struct cc_stream *work, double begin,
                                      struct qn_error *error) {
  struct qn_row_member *member = work->memory->member;
  const unsigned members = qn_row_members(member);
  const double merge_begin = qn_seconds();
  enum qn_status status = QN_OK;
  for (unsigned step = 1; step < members && !status; step *= 2) {
    status = qn_row_tell(member, QN_OK, work->parent, error);
    if (!status && member->index % (2 * step) == 0 && member->index + step < members)
      status = cc_join_theirs(work, member->index + step, error);
    status = qn_row_agree(member, status);
  }
  if (status || !member || member->index > 0)
    return status;
  struct qn_stream_figures moved[QN_MAX_DEVICES];
  const struct qn_shared_iteration shared = {members, qn_seconds() - merge_begin, moved};
  struct qn_device_iteration device = {};
  device.shared = &shared;
  qn_row_moved(member, moved);
  for (unsigned i = 0; i < members; i++)
    qn_stream_figures_add(&device.moved, &moved[i]);
  cc_tell(work, &device, begin);
  return QN_OK;
}

inline void cc_destroy(struct cc_stream *work) {
  qn_unit_stream_destroy(work->stream);
  qn_pages_free(work->flags, work->source.num_units, 1);
  row_units_destroy(&work->cut);
}

/* A run whole. Rows of out-edges are enough: an edge joins its ends from whichever it is seen. */
inline enum qn_status cc_run_streamed(const struct qn_run_request *request,
                                      struct qn_run_result *result, struct qn_error *error) {
  const struct qn_csr *out = &((const struct qn_graph *)request->view)->out;
  uint64_t bounds[4];
  struct qn_cuda_memory memory;
  struct cc_stream work;
  memset(&work, 0, sizeof work);
  memset(&memory, 0, sizeof memory);
  memset(result, 0, sizeof *result);
  work.request = request;
  work.result = result;
  work.memory = &memory;
  work.num_vertices = out->num_vertices;
  const struct row_matrix matrix = row_matrix_of_csr(out, false, bounds);
  qn_row_range(request->device->member, out->num_vertices, &bounds[0], &bounds[1]);
  enum qn_status status = row_units_create(&work.cut, &matrix, ROW_UNIT_ALL, error);
  if (!status) {
    row_units_count(&work.cut, &work.source);
    work.source.user = &work.cut;
    work.source.describe = row_unit_describe;
    work.source.moves_once = true;
  }
  auto prepare = [&](struct qn_error *failure) {
    const enum qn_status planned = cc_plan(&work, failure);
    return planned ? planned : cc_create(&work, failure);
  };
  auto algorithm = [&](struct qn_error *failure) {
    const double begin = qn_seconds();
    enum qn_status joined = cc_join(&work, failure);
    if (!joined)
      joined = cc_join_devices(&work, begin, failure);
    return joined ? joined
                  : label(&memory, work.parent, work.positions, work.first, work.num_vertices,
                          failure);
  };
  auto finish = [&](enum qn_status ended, struct qn_error *failure) {
    cc_destroy(&work);
    result->stats.converged = true;
    return ended ? ended
                 : qn_run_download(&memory, QN_RESULT_U32, work.parent, work.num_vertices, result,
                                   failure);
  };
  if (!status)
    return qn_run_whole(request, &memory, prepare, algorithm, finish, result, error);
  cc_destroy(&work);
  return status;
}

} /* namespace */
