/* The iterations of loop.cuh on several devices (team.cuh). Every device's thread does
 * this:
 *
 *   send       messages of held vertices; those of its own to the others, under scalability
 *   walk       its share of the units, which it streams by itself, with a cache of its own
 *   -- all meet --
 *   merge      what the others collected for its own vertices, under performance
 *   apply      for its own vertices; values (under performance) and active bits to the others
 *   -- all meet: are there active vertices, did values change? --
 *
 * Values are the same on all devices that hold them, as one of them computed them: so all threads
 * come to the same decisions from the same numbers, added up in the order of devices. */
#pragma once

#include "kernels/cuda/sweep/exchange.cuh"
#include "kernels/cuda/sweep/rounds.cuh"

namespace {

/* ---- Walking ----------------------------------------------------------------------- */

inline enum qn_status sweep_member_stream(struct sweep_member *member, struct qn_error *error) {
  struct sweep_run *run = &member->run;
  const uint8_t *flags = run->mine;
  enum qn_status status = QN_OK;
  if (SWEEP_FRONTIER && run->request->device->streaming.moves != QN_MOVE_ALL) {
    status = engine_flag_units(run, error);
    for (uint64_t unit = 0; flags && unit < run->source->num_units; unit++)
      run->host_flags[unit] &= flags[unit];
    flags = run->host_flags;
  }
  if (!member->clocked)
    member->clock = qn_seconds() - member->team->began;
  member->clocked = true;
  if (!status)
    status = qn_unit_stream_run(run->stream, flags, sweep_walk_units, run, &run->moved, error);
  return status ? status : engine_complete(run, error);
}

inline enum qn_status sweep_member_walk(struct sweep_member *member, struct qn_error *error) {
  struct sweep_run *run = &member->run;
  enum qn_status status = QN_OK;
  if (run->stream)
    status = sweep_member_stream(member, error);
  else if (member->share.count > 0 && sweep_team_sums_rows(member->team))
    status = member->team->rows->walk(run, error);
  else if (member->share.count > 0)
    status = engine_walk(run, member->share.entries, member->share.count, NULL, error);
  if (!status)
    status = sweep_show_sums(member, error);
  return status ? status : sweep_synchronize(error);
}

/* ---- An iteration ------------------------------------------------------------------- */

inline struct qn_tally sweep_tally(const struct sweep_member *member, enum qn_status status) {
  struct qn_tally tally;
  memset(&tally, 0, sizeof tally);
  tally.status = status;
  tally.moved = member->run.moved;
  return tally;
}

inline enum qn_status sweep_meet(struct sweep_member *member, const struct qn_tally *own,
                                 const struct qn_tally **all) {
  return qn_team_meet(&member->team->threads, member->index, own, all);
}

inline enum qn_status sweep_agree(struct sweep_member *member, enum qn_status status) {
  return qn_team_agree(&member->team->threads, member->index, status);
}

/* All get the sum of the numbers that they have. */
inline enum qn_status sweep_add_up(struct sweep_run *run, enum qn_status status, uint64_t *number) {
  struct sweep_member *member = run->member;
  struct qn_tally own = sweep_tally(member, status);
  const struct qn_tally *all;
  own.count = *number;
  status = sweep_meet(member, &own, &all);
  *number = 0;
  for (unsigned i = 0; i < member->team->threads.num_members; i++)
    *number += all[i].count;
  return status;
}

/* After what the others published was fetched, where devices don't reach each other: did all? */
inline enum qn_status sweep_fetched(struct sweep_member *member, enum qn_status status) {
  return member->team->peers ? status : sweep_agree(member, status);
}

/* Held vertices' numbers are the run's if all are held, else a part of them. */
inline uint64_t sweep_counted(const struct sweep_member *member, const struct qn_tally *all) {
  uint64_t count = 0;
  if (!sweep_team_splits(member->team))
    return all[member->index].count;
  for (unsigned i = 0; i < member->team->threads.num_members; i++)
    count += all[i].count;
  return count;
}

inline enum qn_status sweep_member_send(struct sweep_member *member, struct qn_error *error) {
  struct sweep_team *team = member->team;
  struct sweep_run *run = &member->run;
  const bool splits = sweep_team_splits(team);
  const struct qn_tally *all;
  double aggregate = 0;
  enum qn_status status = QN_OK;
  SWEEP_LAUNCH(run, sweep_send);
  if (splits && !team->host_messages)
    status = sweep_publish(member, &sweep_state::messages, team->messages, member->own, error);
  if (!status && PROGRAM_AGGREGATE)
    status = sweep_total(run, &aggregate, error);
  else if (!status && splits)
    status = sweep_synchronize(error);
  run->context.aggregate = aggregate;
  if (!splits)
    return status;
  struct qn_tally tally = sweep_tally(member, status);
  tally.sum = aggregate;
  status = sweep_meet(member, &tally, &all);
  run->context.aggregate = 0;
  for (unsigned i = 0; i < team->threads.num_members; i++)
    run->context.aggregate += all[i].sum;
  if (!status && !team->host_messages)
    status = sweep_fetch(member, &sweep_state::messages, team->messages, false, error);
  return status;
}

/* Values have changed by `*change`; what all devices told is in member->told. */
inline enum qn_status sweep_member_apply(struct sweep_member *member, double *change,
                                         struct qn_error *error) {
  struct sweep_team *team = member->team;
  struct sweep_run *run = &member->run;
  const bool splits = sweep_team_splits(team);
  enum qn_status status = sweep_clear(run->state.count, 0, error);
  if (!splits)
    sweep_merge_others(member);
  SWEEP_LAUNCH_OVER(run, member->own, sweep_apply, run->context);
  if (!status && !splits)
    status = sweep_publish(member, &sweep_state::values, team->values, member->own, error);
  if (!status)
    status = sweep_publish_active(member, error);
  struct qn_tally tally = sweep_tally(member, QN_OK);
  if (!status && SWEEP_FRONTIER)
    status = sweep_read_count(run, &tally.count, error);
  else if (!status && PROGRAM_CONVERGES)
    status = sweep_total(run, &tally.sum, error);
  else if (!status)
    status = sweep_synchronize(error);
  tally.status = status;
  const struct qn_tally *all;
  status = sweep_meet(member, &tally, &all);
  /* Two meetings on the others write there again, before this one may have told the user. */
  memcpy(member->told, all, sizeof member->told);
  uint64_t count = 0;
  for (unsigned i = 0; i < team->threads.num_members; i++) {
    count += member->told[i].count;
    *change += member->told[i].sum;
  }
  run->num_active = SWEEP_FRONTIER ? count : run->context.num_vertices;
  if (status)
    return status;
  if (!splits) {
    status = sweep_fetch(member, &sweep_state::values, team->values, false, error);
    sweep_forget_others(member);
  }
  if (!status)
    status = sweep_fetch_active(member, error);
  return sweep_fetched(member, status);
}

/* The first device's thread tells the user; true if it was the last iteration allowed. */
inline bool iteration_finished(struct sweep_member *member, uint64_t num_active, double change,
                               double begin) {
  const unsigned num_members = member->team->threads.num_members;
  struct sweep_run *run = &member->run;
  struct qn_stream_figures moved[QN_MAX_DEVICES], total;
  const struct qn_shared_iteration shared = {num_members, qn_seconds() - member->merge_begin,
                                             moved};
  memset(&total, 0, sizeof total);
  for (unsigned i = 0; i < num_members; i++) {
    moved[i] = member->told[i].moved;
    qn_stream_figures_add(&total, &moved[i]);
  }
  qn_stream_figures_add(&member->moved, &run->moved);
  run->moved = total;
  run->shared = &shared;
  const bool finished = sweep_finished(run, num_active, change, begin);
  run->shared = NULL;
  memset(&run->moved, 0, sizeof run->moved);
  return finished;
}

/* ---- Checkpoints --------------------------------------------------------------------- */

inline enum qn_status sweep_member_download(struct sweep_member *member, struct qn_error *error) {
  struct sweep_team *team = member->team;
  struct sweep_run *run = &member->run;
  const struct unit_vertices own = member->own;
  enum qn_status status =
      qn_cuda_download(&run->memory, team->kept_values + own.begin, run->state.values + own.begin,
                       sweep_length(own), sizeof(program_value), "vertex values", error);
  if (!status && SWEEP_FRONTIER && member->index == 0)
    status =
        qn_cuda_download(&run->memory, team->kept_active, run->state.active, sweep_state_words(run),
                         sizeof *run->state.active, "bits of vertices", error);
  return status;
}

inline enum qn_status sweep_team_save(struct sweep_team *team, struct qn_error *error) {
  const struct sweep_run *run = &team->members[0].run;
  struct qn_state_parts parts =
      keep_parts(team->num_vertices, sizeof(program_value), &run->context);
  parts.values = team->kept_values;
  parts.active = SWEEP_FRONTIER ? team->kept_active : NULL;
  uint64_t stands_in = run->stands_in ? SWEEP_STATE_STANDS_IN : 0;
  parts.numbers[QN_STATE_NUMBERS - 1] = &stands_in;
  return qn_state_save(run->request, run->context.iteration, run->result->stats.change, &parts,
                       error);
}

/* After an iteration that is not the last one: a checkpoint, if the first device's thread says that
 * one is due. */
inline enum qn_status sweep_member_keep(struct sweep_member *member, struct qn_error *error) {
  struct sweep_team *team = member->team;
  struct sweep_run *run = &member->run;
  const bool is_first = member->index == 0;
  const struct qn_tally *all;
  struct qn_tally tally = sweep_tally(member, QN_OK);
  if (!team->request->hooks.checkpointing)
    return QN_OK;
  tally.count = is_first && qn_state_is_due(run->request, run->context.iteration);
  if (tally.count > 0)
    tally.status = qn_pages_alloc(&team->kept_values, team->num_vertices, sizeof(program_value),
                                  "a checkpoint's values", error);
  if (tally.count > 0 && !tally.status)
    tally.status = qn_pages_alloc(&team->kept_active, qn_state_words(team->num_vertices),
                                  sizeof(uint64_t), "a checkpoint's bits", error);
  enum qn_status status = sweep_meet(member, &tally, &all);
  const bool is_due = all[0].count > 0;
  if (is_due && !status)
    status = sweep_agree(member, sweep_member_download(member, error));
  if (is_due && !status)
    status = sweep_agree(member, is_first ? sweep_team_save(team, error) : QN_OK);
  if (is_first) {
    qn_pages_free(team->kept_values, team->num_vertices, sizeof(program_value));
    qn_pages_free(team->kept_active, qn_state_words(team->num_vertices), sizeof(uint64_t));
    team->kept_values = NULL;
    team->kept_active = NULL;
  }
  return status;
}

/* ---- What the loop (iterations.cuh, rounds.cuh) asks of a member --------------------------- */

inline enum qn_status agree(struct sweep_member *member, enum qn_status status) {
  return sweep_agree(member, status);
}

inline enum qn_status count_active(struct sweep_member *member, enum qn_status status,
                                   struct qn_error *error) {
  struct sweep_run *run = &member->run;
  const struct qn_tally *all;
  struct qn_tally tally = sweep_tally(member, QN_OK);
  if (!status && run->splits)
    status = sweep_publish_active(member, error);
  if (!status && SWEEP_FRONTIER)
    status = sweep_read_count(run, &tally.count, error);
  tally.status = status;
  status = sweep_meet(member, &tally, &all);
  run->num_active = SWEEP_FRONTIER ? sweep_counted(member, all) : run->context.num_vertices;
  if (status || !run->splits)
    return status;
  return sweep_fetched(member, sweep_fetch_active(member, error));
}

inline enum qn_status agree_on_round(struct sweep_member *member, double *round,
                                     enum qn_status status) {
  const struct qn_tally *all;
  struct qn_tally tally = sweep_tally(member, status);
  tally.least = *round;
  status = sweep_meet(member, &tally, &all);
  for (unsigned i = 0; i < member->team->threads.num_members; i++)
    *round = fmin(*round, all[i].least);
  return status;
}

/* How many wait, but for a round? */
inline uint64_t sweep_member_waiting(const struct sweep_member *member) {
  const struct sweep_dealt_rows *rows = member->team->rows;
  return rows && rows->waiting ? rows->waiting(&member->run) : 0;
}

inline enum qn_status next_round(struct sweep_member *member, struct qn_error *error) {
  member->run.num_active = sweep_member_waiting(member);
  if (member->run.num_active > 0)
    return QN_OK;
  return sweep_next_round(member, &member->run, error);
}

inline enum qn_status one_iteration(struct sweep_member *member, double *change,
                                    struct qn_error *error) {
  enum qn_status status = sweep_member_send(member, error);
#if PROGRAM_BEGINS
  program_begin(&member->run.context);
#endif
  if (!status)
    status = sweep_member_walk(member, error);
  status = sweep_agree(member, status);
  member->merge_begin = qn_seconds();
  if (!status)
    status = sweep_member_apply(member, change, error);
  member->run.woken = false;
  return status;
}

inline enum qn_status keep(struct sweep_member *member, struct qn_error *error) {
  return sweep_member_keep(member, error);
}

inline bool may_wait(const struct sweep_member *member) {
  return sweep_member_waiting(member) > 0;
}

} /* namespace */
