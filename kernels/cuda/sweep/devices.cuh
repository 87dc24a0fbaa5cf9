/* A run of sweeps on several devices whole (team.cuh, member.cuh): what each device's
 * thread does from opening its device to its part of the results. */
#pragma once

#include "kernels/cuda/sweep/loop.cuh"
#include "kernels/cuda/sweep/member.cuh"

namespace {

/* ---- A member's run --------------------------------------------------------------------- */

/* The results of the vertices that it owns, in the engine's order. */
inline enum qn_status sweep_member_results(struct sweep_member *member, struct qn_error *error) {
  struct sweep_team *team = member->team;
  struct sweep_run *run = &member->run;
  const struct unit_vertices own = member->own;
  const uint64_t count = sweep_length(own);
  program_result *results;
  if (!team->host_messages)
    qn_cuda_release(&run->memory, run->state.messages);
  qn_cuda_release(&run->memory, run->state.sums + run->state.held.begin);
  enum qn_status status =
      qn_cuda_alloc(&run->memory, &results, count, sizeof *results, "result values", error);
  if (!status && member->index == 0)
    status = qn_pages_alloc(&team->results, team->num_vertices, sizeof *team->results,
                            "result values", error);
  status = sweep_agree(member, status);
  if (status)
    return status;
  QN_LAUNCH(output_values, run->blocks, SWEEP_THREADS, 0, NULL, run->context, count,
            run->state.values + own.begin, (const uint32_t *)NULL, results);
  status = qn_cuda_launched("writing the results", error);
  if (!status)
    status = qn_cuda_download(&run->memory, team->results + own.begin, results, count,
                              sizeof *results, "result values", error);
  return sweep_agree(member, status);
}

inline void sweep_member_event(void *user, const struct qn_stream_event *event) {
  const struct sweep_member *member = (const struct sweep_member *)user;
  struct sweep_team *team = member->team;
  struct qn_stream_event here = *event;
  here.device = member->index;
  here.begin += member->clock;
  here.end += member->clock;
  pthread_mutex_lock(&team->threads.lock);
  team->request->device->streaming.on_event(team->request->device->streaming.user, &here);
  pthread_mutex_unlock(&team->threads.lock);
}

/* The run's request as this member has it: the first one tells of iterations. */
inline void sweep_member_request(struct sweep_member *member) {
  struct qn_run_request *request = &member->request;
  *request = *member->team->request;
  member->device = *request->device;
  request->device = &member->device;
  if (member->index > 0)
    request->hooks.on_iteration = NULL;
  request->device->streaming.on_plan = NULL;
  request->device->streaming.user = member;
  if (request->device->streaming.on_event)
    request->device->streaming.on_event = sweep_member_event;
}

/* Of a device that is named twice a half is for either. */
inline enum qn_status sweep_member_open(struct sweep_member *member, struct qn_error *error) {
  const struct qn_device_run *device = member->team->request->device;
  struct qn_cuda_memory *memory = &member->run.memory;
  const int index = device->indices[member->index];
  enum qn_status status = qn_cuda_memory_create_for(memory, &member->request, index, error);
  unsigned sharing = 0;
  for (unsigned i = 0; i < device->num_devices; i++)
    sharing += device->indices[i] == index;
  memory->device.free_bytes /= sharing;
  return status;
}

/* Open the device; all together plan; take memory. */
inline enum qn_status sweep_member_prepare(struct sweep_member *member, struct qn_error *error) {
  struct sweep_team *team = member->team;
  struct sweep_run *run = &member->run;
  const struct qn_run_request *request = team->request;
  enum qn_status status = sweep_agree(member, sweep_member_open(member, error));
  bool peers = false;
  if (!status)
    status = sweep_agree(member, qn_team_connect(&team->threads, member->index,
                                                 request->device->indices, &peers, error));
  if (!status && member->index == 0) {
    team->peers = peers;
    status = sweep_team_plan(team, error);
  }
  status = sweep_agree(member, status);
  if (status)
    return status;
  run->source = &member->source;
  run->mine = member->share.mine;
  run->blocks = qn_grid(team->num_vertices, SWEEP_THREADS, run->memory.device.multiprocessors, 8);
  status = team->call_upload(team->upload, run, error);
  if (!status)
    status = sweep_member_create(member, error);
  if (!status)
    status = sweep_member_pin(member, error);
  if (!status && member->device.report.plan.streams)
    status = sweep_stream_create(run, error);
  else if (!status && sweep_team_sums_rows(team))
    status = team->rows->upload(run, error);
  else if (!status)
    status = qn_unit_share_upload(&member->share, &run->memory, &member->source, error);
  if (!status)
    status = team->call_prepare(team->prepare, run, error);
  qn_load_kernels();
  return sweep_agree(member, status);
}

/* What a user is told of all of them: the plan of the one with the most to stream. */
inline struct qn_stream_plan sweep_team_summary(const struct sweep_team *team) {
  struct qn_stream_plan plan = team->members[0].device.report.plan;
  for (unsigned i = 1; i < team->threads.num_members; i++) {
    const struct qn_stream_plan *other = &team->members[i].device.report.plan;
    const double rate = plan.copy_rate;
    if (other->streams > plan.streams ||
        (other->streams == plan.streams && other->attribute_bytes > plan.attribute_bytes))
      plan = *other;
    plan.copy_rate = rate > 0 && rate < plan.copy_rate ? rate : plan.copy_rate;
  }
  plan.topology_bytes = team->source->total_bytes;
  plan.num_units = team->source->num_units;
  return plan;
}

inline enum qn_status sweep_member_work(void *user, unsigned index, struct qn_error *error) {
  struct sweep_team *team = (struct sweep_team *)user;
  struct sweep_member *member = &team->members[index];
  struct sweep_run *run = &member->run;
  enum qn_status status = sweep_member_prepare(member, error);
  if (!status && index == 0) {
    const struct qn_stream_plan plan = sweep_team_summary(team);
    team->began = qn_seconds();
    if (team->request->device->streaming.on_plan)
      team->request->device->streaming.on_plan(team->request->device->streaming.user, &plan);
  }
  if (!status)
    status = sweep_agree(member, QN_OK);
  if (!status) /* when all are ready: some take longer */
    status = sweep_agree(member, qn_cuda_algorithm_begin(&run->memory, error));
  if (!status)
    status = sweep_first_values(member, run, error);
  if (!status)
    status = sweep_agree(member, iterate(member, run, error));
  if (!status)
    status = sweep_agree(member, qn_cuda_algorithm_end(&run->memory, error));
  cudaDeviceSynchronize(); /* after a failure something may still read what is pinned */
  sweep_stream_destroy(run);
  if (!status)
    status = sweep_member_results(member, error);
  qn_cuda_report(&run->memory, &member->result);
  cudaDeviceSynchronize();    /* nothing of this device's reads the others' memory any more, nor */
  sweep_agree(member, QN_OK); /* the other way round: so that memory can be given back */
  if (member->sums)
    cudaFreeHost(member->sums);
  if (member->received)
    cudaFreeHost(member->received);
  qn_unit_share_destroy(&member->share);
  qn_cuda_memory_destroy(&run->memory);
  return status;
}

/* ---- The team's run ----------------------------------------------------------------------- */

/* Where vertices, as the engine numbers them, stand in original order. */
inline enum qn_status sweep_team_positions(struct sweep_team *team, struct qn_error *error) {
  const uint32_t *to_vertex = team->to_vertex, *positions = team->request->positions;
  team->positions = positions ? positions : to_vertex;
  if (!positions || !to_vertex)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&team->made_positions, team->num_vertices,
                                         sizeof *team->made_positions, "positions", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < team->num_vertices; v++)
    team->made_positions[v] = positions[to_vertex[v]];
  team->positions = team->made_positions;
  return QN_OK;
}

/* In the graph's order. */
inline enum qn_status sweep_team_results(struct sweep_team *team, struct qn_run_result *result,
                                         struct qn_error *error) {
  program_result *values = team->results;
  if (team->to_vertex) {
    enum qn_status status =
        qn_pages_alloc(&values, team->num_vertices, sizeof *values, "result values", error);
    if (status)
      return status;
#pragma omp parallel for schedule(static)
    for (uint64_t v = 0; v < team->num_vertices; v++)
      values[team->to_vertex[v]] = team->results[v];
    qn_pages_free(team->results, team->num_vertices, sizeof *values);
  }
  team->results = NULL;
  result->type = PROGRAM_RESULT;
  result->num_values = team->num_vertices;
  result->values = values;
  return QN_OK;
}

inline void sweep_team_report(const struct sweep_team *team, struct qn_run_result *result) {
  const struct qn_run_result *first = &team->members[0].result;
  struct qn_device_report *report = &team->request->device->report;
  struct qn_device_figures *all = &report->figures;
  result->stats.iterations = first->stats.iterations;
  result->stats.converged = first->stats.converged;
  result->stats.change = first->stats.change;
  result->stats.prepare_seconds = first->stats.prepare_seconds;
  result->stats.kernel_seconds = first->stats.kernel_seconds;
  report->num_devices = team->threads.num_members;
  report->plan = sweep_team_summary(team);
  *all = team->members[0].device.report.figures;
  for (unsigned i = 0; i < team->threads.num_members; i++) {
    const struct sweep_member *member = &team->members[i];
    const struct qn_device_figures *one = &member->device.report.figures;
    struct qn_device_share *share = &report->shares[i];
    share->index = team->request->device->indices[i];
    share->figures = *one;
    share->plan = member->device.report.plan;
    share->moved = member->moved;
    share->merged_bytes = member->merged_bytes;
    if (i > 0)
      qn_team_add_figures(all, one);
  }
}

inline void sweep_team_destroy(struct sweep_team *team) {
  void *const pinned[] = {team->values, team->messages, team->active};
  for (void *memory : pinned)
    if (memory)
      cudaFreeHost(memory);
  qn_pages_free(team->results, team->num_vertices, sizeof *team->results);
  qn_pages_free(team->made_positions, team->num_vertices, sizeof *team->made_positions);
  qn_free(team);
}

template <class Call>
enum qn_status sweep_call(const void *call, struct sweep_run *run, struct qn_error *error) {
  return (*(const Call *)call)(run, error);
}

/* As sweep_run_with and the usual iterations, on request->device->indices. `rows` may be NULL. */
template <class Upload, class Prepare>
enum qn_status
sweep_run_devices(const struct qn_run_request *request, uint64_t num_vertices, uint64_t num_edges,
                  const uint32_t *to_vertex, const struct qn_unit_source *source,
                  const struct sweep_dealt_rows *rows, const Upload &upload, const Prepare &prepare,
                  struct qn_run_result *result, struct qn_error *error) {
  struct sweep_team *team;
  memset(result, 0, sizeof *result);
  if (rows && request->device->strategy == QN_SCALABILITY)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s on this layout deals rows to devices, whatever the strategy; leave "
                   "--strategy out, or say performance",
                   PROGRAM_NAME);
  enum qn_status status = qn_alloc_zeroed(&team, 1, sizeof *team, "the devices' runs", error);
  if (status)
    return status;
  team->threads.num_members = request->device->num_devices;
  team->request = request;
  team->source = source;
  team->to_vertex = to_vertex;
  team->num_vertices = num_vertices;
  team->num_edges = num_edges;
  team->rows = rows;
  team->upload = &upload;
  team->call_upload = sweep_call<Upload>;
  team->prepare = &prepare;
  team->call_prepare = sweep_call<Prepare>;
  for (unsigned i = 0; i < request->device->num_devices; i++) {
    struct sweep_member *member = &team->members[i];
    member->team = team;
    member->index = i;
    sweep_member_request(member);
    member->run.member = member;
    member->run.request = &member->request;
    member->run.result = &member->result;
    member->run.order = to_vertex;
    member->run.context = qn_run_begin(request, num_vertices, num_edges, &member->result);
  }
  status = sweep_team_positions(team, error);
  if (!status)
    status =
        qn_team_run(&team->threads, request->device->num_devices, sweep_member_work, team, error);
  if (!status)
    status = sweep_team_results(team, result, error);
  if (!status)
    sweep_team_report(team, result);
  sweep_team_destroy(team);
  return status;
}

} /* namespace */
