#include "kernels/cuda/stream/readers.cuh"

#include <string.h>

#include "support/memory.h"
#include "support/threads.h"

/* With the lock held: the next part to fill, of batch *batch. */
static unsigned take_part(struct qn_unit_readers *readers, uint64_t *batch) {
  const unsigned part = readers->part++;
  *batch = readers->next;
  if (part == 0) {
    readers->parts = readers->filling.begin(readers->filling.user, *batch);
    readers->parts_left[*batch % readers->num_stages] = readers->parts;
  }
  if (readers->part == readers->parts) {
    readers->next++;
    readers->part = readers->parts = 0;
  }
  return part;
}

/* With the lock held. */
static void leave_part(struct qn_unit_readers *readers, uint64_t batch) {
  const uint64_t stage = batch % readers->num_stages;
  if (--readers->parts_left[stage] == 0)
    readers->filled[stage] = batch + 1;
  pthread_cond_signal(&readers->to_sender);
}

static void *read_batches(void *argument) {
  struct qn_unit_readers *readers = (struct qn_unit_readers *)argument;
  pthread_mutex_lock(&readers->lock);
  for (;;) {
    while (!readers->stops && readers->next >= readers->limit)
      pthread_cond_wait(&readers->to_readers, &readers->lock);
    if (readers->stops)
      break;
    uint64_t batch;
    const unsigned part = take_part(readers, &batch);
    pthread_mutex_unlock(&readers->lock);
    readers->filling.fill(readers->filling.user, batch, part);
    pthread_mutex_lock(&readers->lock);
    leave_part(readers, batch);
  }
  pthread_mutex_unlock(&readers->lock);
  return NULL;
}

enum qn_status qn_unit_readers_create(struct qn_unit_readers *readers, unsigned num_threads,
                                      uint64_t num_stages, const struct qn_unit_filling *filling,
                                      struct qn_error *error) {
  memset(readers, 0, sizeof *readers);
  enum qn_status status = qn_alloc_zeroed(&readers->filled, num_stages, sizeof *readers->filled,
                                          "staging buffers", error);
  if (!status)
    status = qn_alloc_zeroed(&readers->parts_left, num_stages, sizeof *readers->parts_left,
                             "staging buffers", error);
  if (status) {
    qn_free(readers->filled);
    return status;
  }
  readers->filling = *filling;
  readers->num_stages = num_stages;
  pthread_mutex_init(&readers->lock, NULL);
  pthread_cond_init(&readers->to_readers, NULL);
  pthread_cond_init(&readers->to_sender, NULL);
  readers->ready = true;
  const unsigned most = num_threads < QN_MAX_READERS ? num_threads : QN_MAX_READERS;
  while (readers->num_threads < most &&
         qn_thread_start(&readers->threads[readers->num_threads], read_batches, readers) == 0)
    readers->num_threads++;
  if (readers->num_threads > 0) /* fewer than asked for will do */
    return QN_OK;
  qn_unit_readers_destroy(readers);
  return qn_fail(error, QN_SYSTEM, "cannot start a thread to read the graph");
}

void qn_unit_readers_destroy(struct qn_unit_readers *readers) {
  if (!readers->ready)
    return;
  pthread_mutex_lock(&readers->lock);
  readers->stops = true;
  pthread_cond_broadcast(&readers->to_readers);
  pthread_mutex_unlock(&readers->lock);
  for (unsigned i = 0; i < readers->num_threads; i++)
    pthread_join(readers->threads[i], NULL);
  pthread_cond_destroy(&readers->to_readers);
  pthread_cond_destroy(&readers->to_sender);
  pthread_mutex_destroy(&readers->lock);
  qn_free(readers->parts_left);
  qn_free(readers->filled);
  memset(readers, 0, sizeof *readers);
}

/* With the lock held: let threads take what there are buffers for, all of them, as a batch may have
 * many parts. */
static void raise_limit(struct qn_unit_readers *readers) {
  const uint64_t room = readers->sent + readers->num_stages;
  const uint64_t limit = room < readers->num_batches ? room : readers->num_batches;
  if (limit > readers->limit)
    pthread_cond_broadcast(&readers->to_readers);
  readers->limit = limit;
}

void qn_unit_readers_add(struct qn_unit_readers *readers, uint64_t count) {
  pthread_mutex_lock(&readers->lock);
  readers->num_batches += count;
  raise_limit(readers);
  pthread_mutex_unlock(&readers->lock);
}

void qn_unit_readers_allow(struct qn_unit_readers *readers, uint64_t sent) {
  pthread_mutex_lock(&readers->lock);
  readers->sent = sent;
  raise_limit(readers);
  pthread_mutex_unlock(&readers->lock);
}

void qn_unit_readers_wait(struct qn_unit_readers *readers, uint64_t batch) {
  pthread_mutex_lock(&readers->lock);
  while (readers->filled[batch % readers->num_stages] != batch + 1)
    pthread_cond_wait(&readers->to_sender, &readers->lock);
  pthread_mutex_unlock(&readers->lock);
}
