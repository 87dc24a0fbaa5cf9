/* Threads that fill a ring of staging buffers, batch after batch in order, ahead of the one thread
 * that sends them. They call nothing of CUDA's. Batches are numbered over all iterations.
 *
 * A batch is filled in parts, by several threads: if each filled one of its own, all would begin
 * and end together, and the bus would wait for the first one of each round.
 *
 *   qn_unit_readers_add(readers, count);       so many more batches may be read
 *   for each batch: qn_unit_readers_allow(readers, first batch whose buffer is still being sent);
 *                   qn_unit_readers_wait(readers, batch);    it lies in buffer batch % num_stages
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_MAX_READERS 12 /* 8 feed a bus of 52 GB/s */

/* What the threads do. */
struct qn_unit_filling {
  /* A batch begins to be filled: in how many parts, at least 1? Not called by two threads at once.
   */
  unsigned (*begin)(void *user, uint64_t batch);
  /* Fill a part of it. Called by several threads at once. */
  void (*fill)(void *user, uint64_t batch, unsigned part);
  void *user;
};

/* Zero it before use. */
struct qn_unit_readers {
  struct qn_unit_filling filling;
  unsigned num_threads;
  pthread_t threads[QN_MAX_READERS];
  pthread_mutex_t lock;
  pthread_cond_t to_readers, to_sender;
  uint64_t *filled;     /* [num_stages] of the batch in it, its number + 1 */
  unsigned *parts_left; /* [num_stages] of the batch that is being filled there */
  uint64_t num_stages;
  uint64_t num_batches; /* added so far */
  uint64_t sent;        /* the buffers of batches before are free again */
  uint64_t next, limit; /* batches [next, limit) may be taken */
  unsigned part, parts; /* of batch `next`, these before `part` are taken; 0 of 0: none is */
  bool ready, stops;
};

/* Owned until qn_unit_readers_destroy. */
enum qn_status qn_unit_readers_create(struct qn_unit_readers *readers, unsigned num_threads,
                                      uint64_t num_stages, const struct qn_unit_filling *filling,
                                      struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_unit_readers_destroy(struct qn_unit_readers *readers);

void qn_unit_readers_add(struct qn_unit_readers *readers, uint64_t count);
/* The buffers of all batches before `sent` are free again. */
void qn_unit_readers_allow(struct qn_unit_readers *readers, uint64_t sent);
void qn_unit_readers_wait(struct qn_unit_readers *readers, uint64_t batch);

#ifdef __cplusplus
}
#endif
