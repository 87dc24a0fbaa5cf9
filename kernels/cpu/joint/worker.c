#include "kernels/cpu/joint/worker.h"

#include "support/threads.h"

/* A search of a long path has iterations of microseconds: sleeping would take longer than these. */
#define SPINS 2000

static bool has_job(struct qn_joint_worker *worker) {
  return __atomic_load_n(&worker->job, __ATOMIC_ACQUIRE) != NULL;
}

/* Wait a little for a job to come or to end, awake. */
static void spin(struct qn_joint_worker *worker, bool until) {
  for (int i = 0; i < SPINS && has_job(worker) != until; i++) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

static void *do_jobs(void *argument) {
  struct qn_joint_worker *worker = argument;
  qn_threads_set(worker->num_threads);
  for (;;) {
    spin(worker, true);
    pthread_mutex_lock(&worker->lock);
    while (!worker->job && !worker->stops)
      pthread_cond_wait(&worker->changed, &worker->lock);
    if (!worker->job)
      break;
    pthread_mutex_unlock(&worker->lock);
    worker->job(worker->argument);
    pthread_mutex_lock(&worker->lock);
    __atomic_store_n(&worker->job, NULL, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
  }
  pthread_mutex_unlock(&worker->lock);
  return NULL;
}

enum qn_status qn_joint_worker_create(struct qn_joint_worker *worker, struct qn_error *error) {
  worker->num_threads = qn_threads();
  pthread_mutex_init(&worker->lock, NULL);
  pthread_cond_init(&worker->changed, NULL);
  worker->exists = qn_thread_start(&worker->thread, do_jobs, worker) == 0;
  if (worker->exists)
    return QN_OK;
  pthread_cond_destroy(&worker->changed);
  pthread_mutex_destroy(&worker->lock);
  return qn_fail(error, QN_SYSTEM, "cannot start a thread for the CPU's part");
}

void qn_joint_worker_destroy(struct qn_joint_worker *worker) {
  if (!worker->exists)
    return;
  pthread_mutex_lock(&worker->lock);
  worker->stops = true;
  pthread_cond_broadcast(&worker->changed);
  pthread_mutex_unlock(&worker->lock);
  pthread_join(worker->thread, NULL);
  pthread_cond_destroy(&worker->changed);
  pthread_mutex_destroy(&worker->lock);
  worker->exists = false;
}

void qn_joint_worker_begin(struct qn_joint_worker *worker, void (*job)(void *), void *argument) {
  pthread_mutex_lock(&worker->lock);
  worker->argument = argument;
  __atomic_store_n(&worker->job, job, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&worker->changed);
  pthread_mutex_unlock(&worker->lock);
}

void qn_joint_worker_wait(struct qn_joint_worker *worker) {
  spin(worker, false);
  pthread_mutex_lock(&worker->lock);
  while (worker->job)
    pthread_cond_wait(&worker->changed, &worker->lock);
  pthread_mutex_unlock(&worker->lock);
}
