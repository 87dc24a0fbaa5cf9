/* One thread that does the CPU's part of a joint run (cpu.h), so that all of its parallel regions
 * share one team of threads, while the caller drives the accelerator. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it before use. */
struct qn_joint_worker {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  void (*job)(void *); /* NULL: none */
  void *argument;
  bool stops, exists;
  unsigned num_threads; /* of parallel regions */
};

/* QN_SYSTEM if there can be no thread. Owned until qn_joint_worker_destroy. */
enum qn_status qn_joint_worker_create(struct qn_joint_worker *worker, struct qn_error *error);
/* Ends after the job that runs; a zeroed struct is allowed. */
void qn_joint_worker_destroy(struct qn_joint_worker *worker);

/* Begin a job: none may be running. */
void qn_joint_worker_begin(struct qn_joint_worker *worker, void (*job)(void *), void *argument);
void qn_joint_worker_wait(struct qn_joint_worker *worker);

#ifdef __cplusplus
}
#endif
