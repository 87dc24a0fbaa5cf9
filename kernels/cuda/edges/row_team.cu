#include "kernels/cuda/edges/row_team.cuh"

#include <string.h>

#include "kernels/in_edges.h"
#include "support/memory.h"
#include <quern/graph.h>

struct qn_row_team {
  struct qn_device_team threads;
  const struct qn_run_request *request;
  struct qn_graph graph; /* the request's, with in-edges if the run walks these */
  qn_row_run run;
  uint64_t cuts[QN_MAX_DEVICES + 1];  /* the rows [cuts[i], cuts[i + 1]) are member i's, */
  uint64_t edges[QN_MAX_DEVICES + 1]; /* which edges[i] edges come before */
  bool peers;
  struct qn_row_member members[QN_MAX_DEVICES];
};

/* ---- What members do together ------------------------------------------------------------------
 */

enum qn_status qn_row_agree(struct qn_row_member *member, enum qn_status status) {
  uint64_t nothing = 0;
  return qn_row_sum(member, status, &nothing);
}

enum qn_status qn_row_sum(struct qn_row_member *member, enum qn_status status, uint64_t *count) {
  struct qn_tally own;
  const struct qn_tally *all;
  if (!member)
    return status;
  if (member->parted)
    return member->parted;
  if (status) /* of a copy that failed something may be left to do; then memory is given back */
    cudaDeviceSynchronize();
  memset(&own, 0, sizeof own);
  own.status = status;
  own.count = *count;
  member->parted = qn_team_meet(&member->team->threads, member->index, &own, &all);
  *count = 0;
  for (unsigned i = 0; i < qn_row_members(member); i++)
    *count += all[i].count;
  return member->parted;
}

enum qn_status qn_row_tell(struct qn_row_member *member, enum qn_status status, const void *what,
                           struct qn_error *error) {
  if (!member)
    return status;
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "what several devices share", error);
  member->told = what;
  return qn_row_agree(member, status);
}

unsigned qn_row_members(const struct qn_row_member *member) {
  return member ? member->team->threads.num_members : 1;
}

const void *qn_row_told(const struct qn_row_member *member, unsigned by) {
  return member->team->members[by].told;
}

void qn_row_moved(const struct qn_row_member *member, struct qn_stream_figures *moved) {
  for (unsigned i = 0; i < qn_row_members(member); i++)
    moved[i] = member->team->members[i].moved;
}

enum qn_status qn_row_copy(struct qn_cuda_memory *memory, void *to, unsigned by, const void *from,
                           uint64_t bytes, struct qn_error *error) {
  struct qn_row_member *member = memory->member;
  if (bytes == 0)
    return QN_OK;
  member->merged_bytes += bytes;
  return qn_cuda_status(cudaMemcpyPeer(to, memory->device.index, from,
                                       member->team->members[by].request.device->index, bytes),
                        "copying from another device", error);
}

/* All others have copied, when this returns. */
static enum qn_status end_copies(struct qn_row_member *member, enum qn_status status,
                                 struct qn_error *error) {
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "copying from other devices", error);
  return qn_row_agree(member, status);
}

enum qn_status qn_row_gather(struct qn_cuda_memory *memory, void *array, uint64_t size,
                             struct qn_error *error) {
  struct qn_row_member *member = memory->member;
  if (!member)
    return QN_OK;
  const uint64_t *cuts = member->team->cuts;
  const unsigned members = qn_row_members(member);
  enum qn_status status = qn_row_tell(member, QN_OK, array, error);
  for (unsigned turn = 1; turn < members && !status; turn++) {
    const unsigned by = (member->index + turn) % members;
    const uint64_t begin = cuts[by] * size;
    status = qn_row_copy(memory, (char *)array + begin, by,
                         (const char *)qn_row_told(member, by) + begin,
                         (cuts[by + 1] - cuts[by]) * size, error);
  }
  return end_copies(member, status, error);
}

enum qn_status qn_row_spread(struct qn_cuda_memory *memory, void *array, uint64_t bytes,
                             struct qn_error *error) {
  struct qn_row_member *member = memory->member;
  if (!member)
    return QN_OK;
  enum qn_status status = qn_row_tell(member, QN_OK, array, error);
  if (!status && member->index > 0)
    status = qn_row_copy(memory, array, 0, qn_row_told(member, 0), bytes, error);
  return end_copies(member, status, error);
}

/* ---- What a member has -------------------------------------------------------------------------
 */

void qn_row_range(const struct qn_row_member *member, uint64_t num_rows, uint64_t *begin,
                  uint64_t *end) {
  *begin = member ? member->team->cuts[member->index] : 0;
  *end = member ? member->team->cuts[member->index + 1] : num_rows;
}

uint64_t qn_row_bytes(const struct qn_row_member *member, uint64_t bytes) {
  if (!member)
    return bytes;
  const uint64_t *edges = member->team->edges;
  const uint64_t all = edges[qn_row_members(member)];
  const uint64_t own = edges[member->index + 1] - edges[member->index];
  return all ? (uint64_t)((unsigned __int128)bytes * own / all) : 0;
}

void qn_row_plan(struct qn_cuda_memory *memory, uint64_t vertex_bytes, uint64_t edge_bytes) {
  struct qn_row_member *member = memory->member;
  struct qn_stream_plan *plan = &memory->report->plan;
  if (!member)
    return;
  plan->attribute_bytes = vertex_bytes;
  plan->topology_bytes = edge_bytes;
  plan->num_devices = qn_row_members(member);
  plan->strategy = QN_PERFORMANCE;
  plan->peers = member->team->peers;
}

/* ---- A member's run ---------------------------------------------------------------------------
 */

enum qn_status qn_row_begin(struct qn_cuda_memory *memory, enum qn_status status,
                            struct qn_error *error) {
  struct qn_row_member *member = memory->member;
  bool peers = false;
  if (!member)
    return status;
  struct qn_row_team *team = member->team;
  const int *indices = team->request->device->indices;
  unsigned sharing = 0;
  status = qn_row_agree(member, status);
  if (status)
    return status;
  for (unsigned i = 0; i < qn_row_members(member); i++)
    sharing += indices[i] == memory->device.index;
  memory->device.free_bytes /= sharing;
  status = qn_team_connect(&team->threads, member->index, indices, &peers, error);
  status = qn_row_agree(member, status);
  if (member->index == 0)
    team->peers = peers;
  return qn_row_agree(member, status);
}

/* What a user is told of all of them: the plan of the first, which streams if one does. */
static struct qn_stream_plan plan_of_all(const struct qn_row_team *team) {
  struct qn_stream_plan plan = team->members[0].device.report.plan;
  for (unsigned i = 1; i < team->threads.num_members; i++) {
    const struct qn_stream_plan *other = &team->members[i].device.report.plan;
    plan.streams = plan.streams || other->streams;
    plan.topology_bytes += other->topology_bytes;
    plan.pin_bytes += other->pin_bytes;
  }
  return plan;
}

enum qn_status qn_row_prepared(struct qn_cuda_memory *memory, enum qn_status status) {
  struct qn_row_member *member = memory->member;
  status = qn_row_agree(member, status);
  if (status || !member || member->index > 0)
    return status;
  const struct qn_stream_options *options = &member->team->request->device->streaming;
  const struct qn_stream_plan plan = plan_of_all(member->team);
  if (options->on_plan)
    options->on_plan(options->user, &plan);
  return QN_OK;
}

enum qn_status qn_row_end(struct qn_cuda_memory *memory, enum qn_status status) {
  const enum qn_status ended = qn_row_agree(memory->member, status);
  if (ended && !status)
    qn_run_result_destroy(&memory->member->result);
  return ended;
}

bool qn_row_makes_result(const struct qn_cuda_memory *memory) {
  return !memory->member || memory->member->index == 0;
}

static enum qn_status work(void *user, unsigned index, struct qn_error *error) {
  struct qn_row_team *team = (struct qn_row_team *)user;
  struct qn_row_member *member = &team->members[index];
  return team->run(&member->request, &member->result, error);
}

/* ---- The team's run ---------------------------------------------------------------------------
 */

static bool never(void *, uint64_t) {
  return false;
}

/* The first member tells of iterations, and keeps states. */
/* Members tell one at a time, of the device that each is. */
static void tell_event(void *user, const struct qn_stream_event *event) {
  struct qn_row_member *member = (struct qn_row_member *)user;
  struct qn_row_team *team = member->team;
  const struct qn_stream_options *options = &team->request->device->streaming;
  struct qn_stream_event here = *event;
  here.device = member->index;
  pthread_mutex_lock(&team->threads.lock);
  options->on_event(options->user, &here);
  pthread_mutex_unlock(&team->threads.lock);
}

static void make_member(struct qn_row_team *team, unsigned index) {
  struct qn_row_member *member = &team->members[index];
  struct qn_device_run *device = &member->device;
  struct qn_run_request *request = &member->request;
  const unsigned num_members = team->threads.num_members;
  member->team = team;
  member->index = index;
  *request = *team->request;
  *device = *request->device;
  request->view = &team->graph;
  request->device = device;
  device->index = device->indices[index];
  device->num_devices = 0;
  device->member = member;
  device->store = NULL;
  device->leaves_values = false;
  device->streaming.on_plan = NULL;
  device->streaming.user = member;
  if (device->streaming.on_event)
    device->streaming.on_event = tell_event;
  if (device->streaming.host_memory) /* which is for all; 0 would mean no limit */
    device->streaming.host_memory =
        device->streaming.host_memory / num_members + (device->streaming.host_memory < num_members);
  if (index == 0)
    return;
  request->hooks.on_iteration = NULL;
  if (!request->hooks.checkpointing)
    return;
  member->checkpointing.resume = request->hooks.checkpointing->resume;
  member->checkpointing.is_due = never;
  request->hooks.checkpointing = &member->checkpointing;
}

/* Edges that the run walks in the rows before. */
static uint64_t edges_before(const struct qn_row_team *team, bool walks_back, uint64_t row) {
  const struct qn_graph *graph = &team->graph;
  const bool both = walks_back && graph->directedness != QN_UNDIRECTED;
  return graph->out.row_offsets[row] + (both ? graph->in.row_offsets[row] : 0);
}

/* A vertex counts as an edge does, so that all have some where there are few edges. */
static void cut_rows(struct qn_row_team *team, bool walks_back) {
  const uint64_t num_rows = team->graph.out.num_vertices;
  const unsigned num_members = team->threads.num_members;
  const uint64_t all = num_rows + edges_before(team, walks_back, num_rows);
  for (unsigned i = 0; i <= num_members; i++) {
    const uint64_t wanted = (uint64_t)((unsigned __int128)all * i / num_members);
    uint64_t low = 0, high = num_rows;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (middle + edges_before(team, walks_back, middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    team->cuts[i] = low;
    team->edges[i] = edges_before(team, walks_back, low);
  }
}

/* What members tell each other of a vertex has 31 bits (told_steps.cuh). */
static enum qn_status check_rows(const struct qn_csr *csr, struct qn_error *error) {
  bool is_long = false;
#pragma omp parallel for schedule(static) reduction(|| : is_long)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    is_long = is_long || csr->row_offsets[v + 1] - csr->row_offsets[v] > INT32_MAX;
  if (!is_long)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "several devices do not share a graph with a vertex of 2^31 edges or more; run it "
                 "on one, or with --device cpu");
}

static enum qn_status make_graph(struct qn_row_team *team, bool walks_back, struct qn_graph *made,
                                 struct qn_error *error) {
  struct qn_graph *graph = &team->graph;
  *graph = *(const struct qn_graph *)team->request->view;
  const bool undirected = graph->directedness == QN_UNDIRECTED;
  const struct qn_csr *in = &graph->out;
  enum qn_status status = check_rows(&graph->out, error);
  if (status || !walks_back || undirected)
    return status;
  status = qn_find_in_edges(graph, made, &in, error);
  if (status)
    return status;
  graph->in = *in;
  graph->has_transpose = true;
  return check_rows(&graph->in, error);
}

static void report_all(const struct qn_row_team *team) {
  struct qn_device_report *report = &team->request->device->report;
  memset(report, 0, sizeof *report);
  struct qn_device_figures *all = &report->figures;
  report->num_devices = team->threads.num_members;
  report->plan = plan_of_all(team);
  *all = team->members[0].device.report.figures;
  for (unsigned i = 0; i < report->num_devices; i++) {
    const struct qn_row_member *member = &team->members[i];
    const struct qn_device_figures *one = &member->device.report.figures;
    struct qn_device_share *share = &report->shares[i];
    share->index = member->device.index;
    share->figures = *one;
    share->plan = member->device.report.plan;
    share->moved = member->moved;
    share->merged_bytes = member->merged_bytes;
    if (i > 0)
      qn_team_add_figures(all, one);
  }
}

static enum qn_status run_team(struct qn_row_team *team, bool walks_back, struct qn_graph *made,
                               struct qn_error *error) {
  enum qn_status status = make_graph(team, walks_back, made, error);
  if (status)
    return status;
  cut_rows(team, walks_back);
  for (unsigned i = 0; i < team->threads.num_members; i++)
    make_member(team, i);
  return qn_team_run(&team->threads, team->threads.num_members, work, team, error);
}

enum qn_status qn_run_by_rows(const struct qn_run_request *request, bool walks_back, qn_row_run run,
                              struct qn_run_result *result, struct qn_error *error) {
  struct qn_row_team *team;
  struct qn_graph made;
  if (request->device->num_devices < 2)
    return run(request, result, error);
  memset(result, 0, sizeof *result);
  memset(&made, 0, sizeof made);
  if (request->device->strategy == QN_SCALABILITY)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s on plain rows keeps what vertices have on every device: --strategy "
                   "performance is for it",
                   request->algorithm->name);
  enum qn_status status = qn_alloc_zeroed(&team, 1, sizeof *team, "the devices' runs", error);
  if (status)
    return status;
  team->request = request;
  team->run = run;
  team->threads.num_members = request->device->num_devices;
  status = run_team(team, walks_back, &made, error);
  if (!status) {
    *result = team->members[0].result;
    report_all(team);
  }
  qn_in_edges_free(&made);
  qn_free(team);
  return status;
}
