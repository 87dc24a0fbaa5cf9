/* Several devices that share a run: one host thread for each, as CUDA's current device is a
 * thread's, and what they tell each other. All threads do the same, and meet where they need each
 * other's results; a failure of one is known to all at the next meeting, so that all end there. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "kernels/device_run.h"
#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a member tells the others in a meeting. */
struct qn_tally {
  enum qn_status status;
  uint64_t count;
  double sum;
  double least;
  struct qn_stream_figures moved;
};

enum qn_team_phase { QN_TEAM_WAITS, QN_TEAM_WORKS, QN_TEAM_DISMISSED };

/* Zero it before use. */
struct qn_device_team {
  unsigned num_members;
  pthread_mutex_t lock; /* of the meeting, and of the run's callbacks */
  pthread_cond_t changed;
  unsigned here;
  uint64_t meetings;
  struct qn_tally tallies[2][QN_MAX_DEVICES]; /* of this meeting and the one before, in turn */
  struct qn_error errors[QN_MAX_DEVICES];
  enum qn_status (*work)(void *user, unsigned member, struct qn_error *error);
  void *user;
  enum qn_team_phase phase;
};

/* `work(user, member, error)` by all members at once; member 0 is the calling thread. All must meet
 * equally often. The error is that of the first member that failed. */
enum qn_status qn_team_run(struct qn_device_team *team, unsigned num_members,
                           enum qn_status (*work)(void *user, unsigned member,
                                                  struct qn_error *error),
                           void *user, struct qn_error *error);

/* Wait for all members. Returns the first failure among their tallies' statuses, to all of them;
 * `*all` [num_members] is what they told, valid until the member's next meeting but one. */
enum qn_status qn_team_meet(struct qn_device_team *team, unsigned member,
                            const struct qn_tally *own, const struct qn_tally **all);

/* The same with nothing to tell. */
enum qn_status qn_team_agree(struct qn_device_team *team, unsigned member, enum qn_status status);

/* Let the current device, devices[member], reach the memory of the others; `*peers` becomes true if
 * all can reach all. */
enum qn_status qn_team_connect(struct qn_device_team *team, unsigned member, const int *devices,
                               bool *peers, struct qn_error *error);

/* Of all members, with `one` more: sums of bytes copied, maxima of the others. */
void qn_team_add_figures(struct qn_device_figures *all, const struct qn_device_figures *one);

#ifdef __cplusplus
}
#endif
