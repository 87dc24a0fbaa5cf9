/* Several devices that share a run of sweeps (GTS, section 4): who holds what, and whether it fits.
 *
 *   performance   every device *holds* the attributes of all vertices; units are dealt to devices
 *   scalability   a device holds those of a range of vertices, and walks all units for them
 *
 * Either way each device *owns* a range: the vertices whose new values it computes. Which vertices
 * are active is known to all: V / 8 bytes. What vertices send (GTS's RA, which is only read) lies
 * on every device under performance; under scalability too if there is room for it, else in pinned
 * host memory, from which kernels read it over the bus while they walk a unit. Then a device keeps
 *
 *   V / N x (value, accumulator, out-degree, position)  +  V / 8  +  what streaming takes
 *
 * which shrinks with N as far as the graph needs it to.
 *
 * Rows (struct sweep_dealt_rows) are dealt to the devices that own their vertices. Of an all-active
 * program only these receive there: each device has what its own have, as under scalability, and
 * walks its own rows alone, as under performance. */
#pragma once

#include "kernels/cuda/device/device_team.cuh"
#include "kernels/cuda/stream/share.cuh"
#include "kernels/cuda/sweep/memory.cuh"
#include "kernels/cuda/sweep/units.cuh"
#include "support/checked.h"
#include "support/memory_plan.h"

namespace {

/* One device. */
struct sweep_member {
  struct sweep_team *team;
  unsigned index;
  struct sweep_run run;
  struct qn_device_run device;   /* the run's, with what streaming tells led to this member, */
  struct qn_run_request request; /* and with this device */
  struct qn_run_result result;   /* of this member: the values are the team's */
  struct unit_vertices own;
  struct qn_unit_share share;
  struct qn_unit_source source; /* of the share */
  struct qn_stream_figures moved;
  /* Pinned copies of what it collected, where devices don't reach each other. */
  program_accumulator *sums;
  uint32_t *received;
  uint64_t merged_bytes;
  struct qn_tally told[QN_MAX_DEVICES]; /* of the last iteration, by all */
  double merge_begin;
  double clock; /* when its stream's clock began, by the team's */
  bool clocked;
};

/* Rows that are dealt by their vertices. */
struct sweep_dealt_rows {
  uint64_t cuts[QN_MAX_DEVICES + 1]; /* device i owns [cuts[i], cuts[i + 1]); multiples of 32 */
  /* Of an all-active program: a share that stays on its device, whose sums `walk` makes. */
  uint64_t (*resident_bytes)(const struct sweep_dealt_rows *rows, unsigned device);
  enum qn_status (*upload)(struct sweep_run *run, struct qn_error *error);
  enum qn_status (*walk)(struct sweep_run *run, struct qn_error *error);
  /* Vertices that go on when no other is active, the same on all devices; NULL: none do. */
  uint64_t (*waiting)(const struct sweep_run *run);
};

struct sweep_team {
  struct qn_device_team threads;
  const struct qn_run_request *request;
  const struct qn_unit_source *source;
  const struct sweep_dealt_rows *rows;   /* NULL: units are not rows */
  const uint32_t *to_vertex, *positions; /* of vertices as the engine numbers them, or NULL */
  uint32_t *made_positions;
  uint64_t num_vertices, num_edges;
  const void *upload, *prepare; /* the engine's, and how to call them */
  enum qn_status (*call_upload)(const void *upload, struct sweep_run *run, struct qn_error *error);
  enum qn_status (*call_prepare)(const void *prepare, struct sweep_run *run,
                                 struct qn_error *error);
  enum qn_strategy strategy;
  bool peers;
  bool host_messages; /* in `messages`, not on the devices */
  /* Pinned: what devices tell each other where they don't reach each other's memory. */
  program_value *values;
  program_message *messages;
  uint32_t *active;
  program_result *results;    /* by vertex as the engine numbers them */
  program_value *kept_values; /* for a checkpoint */
  uint64_t *kept_active;
  double began;
  struct sweep_member members[QN_MAX_DEVICES];
};

/* Of units that devices have one after another: device i has [firsts[i], firsts[i + 1]). */
inline unsigned sweep_owner_of(const uint64_t *firsts, unsigned num_devices, uint64_t unit) {
  unsigned owner = 0;
  while (owner + 1 < num_devices && unit >= firsts[owner + 1])
    owner++;
  return owner;
}

/* Has a device what vertices have of its own alone? */
inline bool sweep_team_splits(const struct sweep_team *team) {
  return team->strategy == QN_SCALABILITY || (team->rows && !SWEEP_FRONTIER);
}

/* Are shares rows whose sums the engine makes by itself, where they are resident? */
inline bool sweep_team_sums_rows(const struct sweep_team *team) {
  return team->rows && !SWEEP_FRONTIER;
}

inline uint32_t sweep_length(struct unit_vertices vertices) {
  return vertices.end - vertices.begin;
}

/* Words of a bitmap that vertices have, from a multiple of 32 on. */
inline struct unit_vertices sweep_words_of(struct unit_vertices vertices) {
  const uint32_t begin = vertices.begin / 32;
  if (vertices.begin == vertices.end)
    return {begin, begin};
  return {begin, (uint32_t)(((uint64_t)vertices.end + 31) / 32)};
}

/* Ranges begin at multiples of 32, so that each device has words of bitmaps for itself. */
inline struct unit_vertices sweep_range_of(uint64_t num_vertices, unsigned parts, unsigned part) {
  const uint64_t words = num_vertices / 32 + (num_vertices % 32 != 0);
  uint64_t begin, end;
  qn_part_of(words, parts, part, &begin, &end);
  begin = 32 * begin < num_vertices ? 32 * begin : num_vertices;
  end = 32 * end < num_vertices ? 32 * end : num_vertices;
  return {(uint32_t)begin, (uint32_t)end};
}

/* What the member holds and owns under the team's strategy. */
inline void sweep_member_assign(struct sweep_member *member) {
  const struct sweep_team *team = member->team;
  member->own = sweep_range_of(team->num_vertices, team->threads.num_members, member->index);
  if (team->rows)
    member->own = {(uint32_t)team->rows->cuts[member->index],
                   (uint32_t)team->rows->cuts[member->index + 1]};
  if (sweep_team_splits(team))
    member->run.state.held = member->own;
  else
    sweep_hold_all(&member->run);
  member->run.splits = sweep_team_splits(team);
}

/* ---- Memory --------------------------------------------------------------------- */

inline unsigned sweep_member_arrays(struct sweep_member *member, struct sweep_array *arrays) {
  const struct sweep_team *team = member->team;
  struct sweep_state *state = &member->run.state;
  const uint64_t held = sweep_length(state->held), num_vertices = team->num_vertices;
  unsigned count = 0;
  arrays[count++] = {&state->values, held, sizeof *state->values, NULL, false, "vertex values"};
  arrays[count++] = {&state->sums, held, sizeof *state->sums, NULL, false, "accumulators"};
  arrays[count++] = {&state->parts, SWEEP_MAX_BLOCKS, sizeof *state->parts, NULL, false, "sums"};
  arrays[count++] = {&state->count, 1, sizeof *state->count, NULL, true, "a counter"};
  arrays[count++] = {&state->least, 1, sizeof *state->least, NULL, true, "a counter"};
  if (!team->host_messages) /* of which only active vertices' are written, but all are published */
    arrays[count++] = {&state->messages, num_vertices, sizeof *state->messages, NULL,
                       SWEEP_FRONTIER,   "messages"};
  if (team->positions)
    arrays[count++] = {&state->to_vertex, held, 4, team->positions + state->held.begin, false,
                       "positions"};
  if (SWEEP_FRONTIER) {
    arrays[count++] = {&state->active, num_vertices / 32 + 1, 4, NULL, true, "bits of vertices"};
    arrays[count++] = {&state->received, held / 32 + 1, 4, NULL, true, "bits of vertices"};
    arrays[count++] = {&member->run.unit_flags, team->source->num_units, 1, NULL, true,
                       "flags of units"};
  }
  return count;
}

/* Of all that stays on the member's device beside the topology. */
inline uint64_t sweep_member_bytes(struct sweep_member *member) {
  const struct sweep_team *team = member->team;
  struct sweep_array arrays[SWEEP_MAX_ARRAYS];
  const unsigned count = sweep_member_arrays(member, arrays);
  const uint64_t held = sweep_length(member->run.state.held);
  const uint64_t results = sizeof(program_result) * sweep_length(member->own);
  uint64_t replaced = sizeof(program_accumulator) * held;
  uint64_t bytes = team->source->fixed_bytes + sweep_table_bytes(team->source, held);
  if (!team->host_messages)
    replaced += sizeof(program_message) * team->num_vertices;
  for (unsigned i = 0; i < count; i++)
    bytes += qn_cuda_rounded(arrays[i].count * arrays[i].size);
  return bytes + (results > replaced ? results - replaced : 0);
}

inline enum qn_status sweep_member_create(struct sweep_member *member, struct qn_error *error) {
  struct sweep_array arrays[SWEEP_MAX_ARRAYS];
  struct sweep_state *state = &member->run.state;
  const uint32_t begin = state->held.begin;
  const unsigned count = sweep_member_arrays(member, arrays);
  enum qn_status status = sweep_create_arrays(&member->run, arrays, count, error);
  if (status)
    return status;
  state->values = sweep_by_vertex(state->values, begin);
  state->sums = sweep_by_vertex(state->sums, begin);
  if (state->to_vertex)
    state->to_vertex = sweep_by_vertex(state->to_vertex, begin);
  if (state->received)
    state->received = sweep_by_vertex(state->received, begin / 32);
  if (member->team->host_messages)
    state->messages = member->team->messages;
  return QN_OK;
}

/* Pinned host memory that the strategy takes, beside buffers for streaming. */
inline uint64_t sweep_team_host_bytes(const struct sweep_team *team) {
  const uint64_t num_vertices = team->num_vertices, bits = 4 * (num_vertices / 32 + 1);
  uint64_t bytes = team->host_messages || (sweep_team_splits(team) && !team->peers)
                       ? sizeof(program_message) * num_vertices
                       : 0;
  if (team->peers)
    return bytes;
  if (!sweep_team_splits(team))
    bytes += sizeof(program_value) * num_vertices +
             team->threads.num_members *
                 (sizeof(program_accumulator) * num_vertices + (SWEEP_FRONTIER ? bits : 0));
  return bytes + (SWEEP_FRONTIER ? bits : 0);
}

template <class Type> enum qn_status sweep_pin(Type **out, uint64_t count, struct qn_error *error) {
  uint64_t bytes;
  if (!qn_mul_u64(count, sizeof **out, &bytes))
    return qn_fail_memory(error, "pinned memory", UINT64_MAX);
  return qn_cuda_status(cudaHostAlloc((void **)out, bytes ? bytes : 1, cudaHostAllocPortable),
                        "allocating pinned memory for several devices", error);
}

inline enum qn_status sweep_team_pin(struct sweep_team *team, struct qn_error *error) {
  const uint64_t num_vertices = team->num_vertices;
  const bool splits = sweep_team_splits(team);
  enum qn_status status = QN_OK;
  if (team->host_messages || (splits && !team->peers))
    status = sweep_pin(&team->messages, num_vertices, error);
  if (!status && !team->peers && !splits)
    status = sweep_pin(&team->values, num_vertices, error);
  if (!status && !team->peers && SWEEP_FRONTIER)
    status = sweep_pin(&team->active, num_vertices / 32 + 1, error);
  return status;
}

inline enum qn_status sweep_member_pin(struct sweep_member *member, struct qn_error *error) {
  const struct sweep_team *team = member->team;
  if (team->peers || sweep_team_splits(team))
    return QN_OK;
  enum qn_status status = sweep_pin(&member->sums, team->num_vertices, error);
  if (!status && SWEEP_FRONTIER)
    status = sweep_pin(&member->received, team->num_vertices / 32 + 1, error);
  return status;
}

/* ---- Choosing a strategy ---------------------------------------------------------- */

/* What may be planned with on a member's device. */
inline uint64_t sweep_member_usable(const struct sweep_member *member) {
  return qn_cuda_plannable_bytes(&member->run.memory.device, member->run.memory.cap);
}

/* What the team's devices need at least, streaming or not: the most that one of them does. Do they
 * have it? */
inline bool sweep_team_fits(struct sweep_team *team, enum qn_strategy strategy, bool host_messages,
                            uint64_t *most) {
  const struct qn_unit_source *source = team->source;
  bool fits = true;
  team->strategy = strategy;
  team->host_messages = host_messages;
  *most = 0;
  for (unsigned i = 0; i < team->threads.num_members; i++) {
    struct sweep_member *member = &team->members[i];
    sweep_member_assign(member);
    const uint64_t topology = source->num_units ? qn_unit_stream_least(source) : 0;
    const uint64_t needed = sweep_member_bytes(member) + topology;
    fits = fits && needed <= sweep_member_usable(member);
    *most = needed > *most ? needed : *most;
  }
  return fits;
}

/* The one that may use the least. */
inline const struct sweep_member *sweep_smallest_member(const struct sweep_team *team) {
  const struct sweep_member *smallest = &team->members[0];
  for (unsigned i = 1; i < team->threads.num_members; i++)
    if (sweep_member_usable(&team->members[i]) < sweep_member_usable(smallest))
      smallest = &team->members[i];
  return smallest;
}

inline enum qn_status sweep_team_too_large(struct sweep_team *team, uint64_t performance,
                                           uint64_t scalability, bool scales,
                                           struct qn_error *error) {
  char all[32], part[32], may[32];
  const struct sweep_member *smallest = sweep_smallest_member(team);
  return qn_fail(error, QN_DEVICE,
                 "not enough device memory: even streaming, %s on this graph needs %s on each of "
                 "%u devices with --strategy performance and %s with --strategy scalability, but "
                 "%s of %s may be used; %s",
                 PROGRAM_NAME, qn_size_text(performance, all, sizeof all),
                 team->threads.num_members, qn_size_text(scalability, part, sizeof part),
                 qn_size_text(sweep_member_usable(smallest), may, sizeof may),
                 smallest->run.memory.device.name,
                 scales ? "use --strategy scalability"
                        : "allow more with --device-memory, or use more devices");
}

inline enum qn_status sweep_rows_too_large(const struct sweep_team *team, uint64_t needed,
                                           struct qn_error *error) {
  char least[32], may[32];
  const struct sweep_member *smallest = sweep_smallest_member(team);
  return qn_fail(error, QN_DEVICE,
                 "not enough device memory: even streaming, %s on this graph needs %s on each of "
                 "%u devices, but %s of %s may be used; allow more with --device-memory%s",
                 PROGRAM_NAME, qn_size_text(needed, least, sizeof least), team->threads.num_members,
                 qn_size_text(sweep_member_usable(smallest), may, sizeof may),
                 smallest->run.memory.device.name,
                 sweep_team_sums_rows(team) ? ", or use more devices" : "");
}

/* Sets the strategy, and where messages lie. */
inline enum qn_status sweep_team_choose(struct sweep_team *team, struct qn_error *error) {
  const enum qn_strategy wanted = team->request->device->strategy;
  uint64_t performance, scalability;
  if (sweep_team_fits(team, QN_PERFORMANCE, false, &performance) && wanted != QN_SCALABILITY)
    return QN_OK;
  if (team->rows)
    return sweep_team_sums_rows(team) && sweep_team_fits(team, QN_PERFORMANCE, true, &performance)
               ? QN_OK
               : sweep_rows_too_large(team, performance, error);
  const bool beside = sweep_team_fits(team, QN_SCALABILITY, false, &scalability);
  const bool scales = beside || sweep_team_fits(team, QN_SCALABILITY, true, &scalability);
  return scales && wanted != QN_PERFORMANCE
             ? QN_OK
             : sweep_team_too_large(team, performance, scalability, scales, error);
}

/* ---- The plan ---------------------------------------------------------------------- */

/* Whether a member's share stays on its device or is streamed, and how. */
inline enum qn_status sweep_member_plan(struct sweep_member *member,
                                        const struct qn_stream_options *options,
                                        struct qn_error *error) {
  const struct sweep_team *team = member->team;
  const struct qn_unit_share *share = &member->share;
  struct qn_stream_plan *plan = &member->device.report.plan;
  const uint64_t attribute_bytes = sweep_member_bytes(member);
  const uint64_t available = sweep_member_usable(member) - attribute_bytes;
  enum qn_status status = QN_OK;
  member->source = *team->source;
  member->source.total_bytes = share->bytes;
  member->device.streaming.host_memory = options->host_memory;
  plan->attribute_bytes = attribute_bytes;
  plan->topology_bytes = share->bytes;
  if (share->count > 0 && share->resident_bytes > available)
    status = qn_unit_stream_plan(&member->source, options, available, plan, error);
  plan->num_units = share->count;
  plan->unit_bytes = team->source->unit_bytes;
  plan->cache_units = plan->cache_units < share->count ? plan->cache_units : share->count;
  plan->cache_bytes = plan->cache_units * plan->unit_bytes;
  plan->num_readers = plan->num_readers / team->threads.num_members;
  plan->num_readers += plan->streams && plan->num_readers == 0;
  plan->num_devices = team->threads.num_members;
  plan->strategy = team->strategy;
  plan->peers = team->peers;
  plan->message_bytes = team->host_messages ? sizeof(program_message) * team->num_vertices : 0;
  return status;
}

/* What is pinned is shared: whoever pins does so for all that stream, as much as one alone would.
 */
inline void sweep_team_share_pins(struct sweep_team *team, uint64_t host_memory) {
  uint64_t total = 0;
  for (unsigned i = 0; i < team->threads.num_members; i++)
    total += team->members[i].device.report.plan.pin_bytes;
  if (!host_memory && total > qn_memory_available() / 2)
    total = qn_memory_available() / 2;
  for (unsigned i = 0; i < team->threads.num_members; i++)
    if (team->members[i].device.report.plan.pin_bytes > 0)
      team->members[i].device.report.plan.pin_bytes = total;
}

/* Host memory is for all of them together. */
inline enum qn_status sweep_team_plan(struct sweep_team *team, struct qn_error *error) {
  const unsigned num_members = team->threads.num_members;
  struct qn_stream_options options = team->request->device->streaming;
  struct qn_unit_share shares[QN_MAX_DEVICES];
  enum qn_status status = sweep_team_choose(team, error);
  if (status)
    return status;
  const uint64_t pinned = sweep_team_host_bytes(team);
  if (options.host_memory && options.host_memory <= pinned) {
    char needed[32], given[32];
    return qn_fail(error, QN_DEVICE,
                   "%u devices need %s of pinned host memory for the values of vertices, and "
                   "--host-memory allows %s",
                   num_members, qn_size_text(pinned, needed, sizeof needed),
                   qn_size_text(options.host_memory, given, sizeof given));
  }
  if (options.host_memory) {
    options.host_memory = (options.host_memory - pinned) / num_members;
    options.host_memory += options.host_memory == 0; /* which would mean no limit */
  }
  status = qn_unit_shares_create(shares, num_members, team->strategy == QN_SCALABILITY,
                                 team->source, error);
  for (unsigned i = 0; i < num_members; i++) {
    if (sweep_team_sums_rows(team))
      shares[i].resident_bytes = team->rows->resident_bytes(team->rows, i);
    team->members[i].share = shares[i];
    if (!status)
      status = sweep_member_plan(&team->members[i], &options, error);
  }
  sweep_team_share_pins(team, options.host_memory);
  return status ? status : sweep_team_pin(team, error);
}

} /* namespace */
