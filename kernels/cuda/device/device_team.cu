#include "kernels/cuda/device/device_team.cuh"

#include <math.h>
#include <string.h>

#include "kernels/cuda/device/memory.cuh"
#include "support/threads.h"

struct hired {
  struct qn_device_team *team;
  unsigned member;
  pthread_t thread;
  enum qn_status status;
};

static enum qn_status do_work(struct qn_device_team *team, unsigned member) {
  return team->work(team->user, member, &team->errors[member]);
}

/* Nobody begins before all are there. */
static void *wait_and_work(void *argument) {
  struct hired *hired = (struct hired *)argument;
  struct qn_device_team *team = hired->team;
  pthread_mutex_lock(&team->lock);
  while (team->phase == QN_TEAM_WAITS)
    pthread_cond_wait(&team->changed, &team->lock);
  const bool works = team->phase == QN_TEAM_WORKS;
  pthread_mutex_unlock(&team->lock);
  if (works)
    hired->status = do_work(team, hired->member);
  return NULL;
}

/* How many are there then, the caller included. */
static unsigned hire(struct qn_device_team *team, struct hired *hired) {
  unsigned count = 1;
  for (; count < team->num_members; count++) {
    hired[count].team = team;
    hired[count].member = count;
    if (qn_thread_start(&hired[count].thread, wait_and_work, &hired[count]) != 0)
      break;
  }
  return count;
}

static void begin_phase(struct qn_device_team *team, bool works) {
  pthread_mutex_lock(&team->lock);
  team->phase = works ? QN_TEAM_WORKS : QN_TEAM_DISMISSED;
  pthread_cond_broadcast(&team->changed);
  pthread_mutex_unlock(&team->lock);
}

enum qn_status qn_team_run(struct qn_device_team *team, unsigned num_members,
                           enum qn_status (*work)(void *user, unsigned member,
                                                  struct qn_error *error),
                           void *user, struct qn_error *error) {
  struct hired hired[QN_MAX_DEVICES];
  memset(hired, 0, sizeof hired);
  team->num_members = num_members;
  team->work = work;
  team->user = user;
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->changed, NULL);
  const unsigned count = hire(team, hired);
  begin_phase(team, count == num_members);
  if (count == num_members)
    hired[0].status = do_work(team, 0);
  for (unsigned i = 1; i < count; i++)
    pthread_join(hired[i].thread, NULL);
  pthread_cond_destroy(&team->changed);
  pthread_mutex_destroy(&team->lock);
  if (count < num_members)
    return qn_fail(error, QN_SYSTEM, "cannot start a thread for each device");
  for (unsigned i = 0; i < count; i++)
    if (team->errors[i].status) {
      if (error)
        *error = team->errors[i];
      return team->errors[i].status;
    }
  return hired[0].status;
}

enum qn_status qn_team_meet(struct qn_device_team *team, unsigned member,
                            const struct qn_tally *own, const struct qn_tally **all) {
  pthread_mutex_lock(&team->lock);
  const uint64_t meeting = team->meetings;
  team->tallies[meeting % 2][member] = *own;
  if (++team->here == team->num_members) {
    team->here = 0;
    team->meetings++;
    pthread_cond_broadcast(&team->changed);
  }
  while (team->meetings == meeting)
    pthread_cond_wait(&team->changed, &team->lock);
  pthread_mutex_unlock(&team->lock);
  *all = team->tallies[meeting % 2];
  for (unsigned i = 0; i < team->num_members; i++)
    if ((*all)[i].status)
      return (*all)[i].status;
  return QN_OK;
}

enum qn_status qn_team_agree(struct qn_device_team *team, unsigned member, enum qn_status status) {
  const struct qn_tally *all;
  struct qn_tally own;
  memset(&own, 0, sizeof own);
  own.status = status;
  return qn_team_meet(team, member, &own, &all);
}

static enum qn_status enable_peer(int peer, struct qn_error *error) {
  cudaError_t result = cudaDeviceEnablePeerAccess(peer, 0);
  if (result != cudaErrorPeerAccessAlreadyEnabled)
    return qn_cuda_status(result, "giving a device access to another's memory", error);
  cudaGetLastError();
  return QN_OK;
}

enum qn_status qn_team_connect(struct qn_device_team *team, unsigned member, const int *devices,
                               bool *peers, struct qn_error *error) {
  const struct qn_tally *all;
  struct qn_tally own;
  memset(&own, 0, sizeof own);
  for (unsigned i = 0; i < team->num_members && !own.status; i++) {
    int can = 1;
    if (devices[i] != devices[member])
      own.status = qn_cuda_status(cudaDeviceCanAccessPeer(&can, devices[member], devices[i]),
                                  "asking whether a device has access to another's memory", error);
    own.count += !can;
  }
  enum qn_status status = qn_team_meet(team, member, &own, &all);
  *peers = true;
  for (unsigned i = 0; i < team->num_members; i++)
    *peers = *peers && all[i].count == 0;
  for (unsigned i = 0; i < team->num_members && !status && *peers; i++)
    if (devices[i] != devices[member])
      status = enable_peer(devices[i], error);
  return status;
}

void qn_team_add_figures(struct qn_device_figures *all, const struct qn_device_figures *one) {
  all->memory_bytes = one->memory_bytes > all->memory_bytes ? one->memory_bytes : all->memory_bytes;
  all->copy_seconds = fmax(all->copy_seconds, one->copy_seconds);
  all->kernel_seconds = fmax(all->kernel_seconds, one->kernel_seconds);
  all->copied_bytes += one->copied_bytes;
  all->uploaded_bytes += one->uploaded_bytes;
}
