#include "converters/edges/id_collector.h"

#include <string.h>

#include "support/memory.h"
#include "support/sizes.h"

#define MIN_WAITING ((uint64_t)1 << 16)

enum qn_status qn_id_collector_create(uint64_t memory, struct qn_id_collector **out,
                                      struct qn_error *error) {
  struct qn_id_collector *collector;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&collector, 1, sizeof *collector, "a set of ids", error);
  if (status)
    return status;
  /* A quarter for marks, which take a quarter of a byte an id; a quarter for far ids, which take 24
   * bytes each while they are merged. */
  uint64_t most = (uint64_t)1 << 32;
  collector->near_end = (memory < most ? memory : most) & ~(uint64_t)63;
  collector->max_far = memory / 4 / 24;
  status = qn_pages_alloc(&collector->marks, collector->near_end / 64, sizeof *collector->marks,
                          "the map of ids", error);
  if (status) {
    qn_free(collector);
    return status;
  }
  pthread_mutex_init(&collector->mutex, NULL);
  *out = collector;
  return QN_OK;
}

void qn_id_collector_destroy(struct qn_id_collector *collector) {
  if (!collector)
    return;
  qn_pages_free(collector->marks, collector->near_end / 64, sizeof *collector->marks);
  qn_pages_free(collector->far, collector->far_capacity, sizeof *collector->far);
  qn_pages_free(collector->waiting, collector->waiting_capacity, sizeof *collector->waiting);
  pthread_mutex_destroy(&collector->mutex);
  qn_free(collector);
}

/* ---- Far ids -------------------------------------------------------------- */

static enum qn_status merge_waiting(struct qn_id_collector *collector, struct qn_error *error) {
  uint64_t num_new = qn_sort_unique(collector->waiting, collector->num_waiting), *merged;
  uint64_t capacity = collector->num_far + num_new;
  collector->num_waiting = 0;
  if (num_new == 0)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&merged, capacity, sizeof *merged, "the ids", error);
  if (status)
    return status;
  uint64_t count =
      qn_merge_unique(collector->far, collector->num_far, collector->waiting, num_new, merged);
  qn_pages_free(collector->far, collector->far_capacity, sizeof *collector->far);
  collector->far = merged;
  collector->num_far = count;
  collector->far_capacity = capacity;
  if (count > collector->max_far) {
    qn_pages_free(collector->far, collector->far_capacity, sizeof *collector->far);
    collector->far = NULL;
    collector->num_far = collector->far_capacity = 0;
    collector->full = true;
  }
  return QN_OK;
}

enum qn_status qn_id_collector_check(const struct qn_id_collector *collector,
                                     struct qn_error *error) {
  char near_text[32];
  if (!collector->full)
    return QN_OK;
  return qn_fail(error, QN_SYSTEM,
                 "more than %llu different ids beyond %s: the map of ids does not fit into the "
                 "memory allowed; give more with --memory, or --block-vertices makes a set, whose "
                 "ids one process numbers on disk",
                 (unsigned long long)collector->max_far,
                 qn_count_text(collector->near_end, near_text, sizeof near_text));
}

/* So many wait that merging them costs little for each, and no more than are there already. */
static enum qn_status make_room(struct qn_id_collector *collector, uint64_t count,
                                struct qn_error *error) {
  if (collector->num_waiting + count <= collector->waiting_capacity)
    return QN_OK;
  enum qn_status status = merge_waiting(collector, error);
  uint64_t capacity = collector->num_far > MIN_WAITING ? collector->num_far : MIN_WAITING;
  capacity = capacity > count ? capacity : count;
  if (status || collector->waiting_capacity >= capacity)
    return status;
  qn_pages_free(collector->waiting, collector->waiting_capacity, sizeof *collector->waiting);
  collector->waiting = NULL;
  collector->waiting_capacity = 0;
  status =
      qn_pages_alloc(&collector->waiting, capacity, sizeof *collector->waiting, "the ids", error);
  if (!status)
    collector->waiting_capacity = capacity;
  return status;
}

/* `ids` are spoilt. */
static enum qn_status add_far(struct qn_id_collector *collector, uint64_t *ids, uint64_t count,
                              struct qn_error *error) {
  count = qn_sort_unique(ids, count);
  pthread_mutex_lock(&collector->mutex);
  enum qn_status status = collector->full ? QN_OK : make_room(collector, count, error);
  if (!status && !collector->full) {
    memcpy(collector->waiting + collector->num_waiting, ids, count * sizeof *ids);
    collector->num_waiting += count;
  }
  pthread_mutex_unlock(&collector->mutex);
  return status;
}

/* ---- Adding --------------------------------------------------------------- */

enum qn_status qn_id_collector_add_ids(struct qn_id_collector *collector, const uint64_t *ids,
                                       uint64_t count, struct qn_error *error) {
  enum { BATCH = 1024 };
  uint64_t far[BATCH];
  enum qn_status status = QN_OK;
  for (uint64_t begin = 0; begin < count && !status; begin += BATCH) {
    uint64_t end = count - begin < BATCH ? count : begin + BATCH, num_far = 0;
    for (uint64_t i = begin; i < end; i++)
      if (ids[i] < collector->near_end)
        qn_mark(collector->marks, ids[i]);
      else
        far[num_far++] = ids[i];
    if (num_far)
      status = add_far(collector, far, num_far, error);
  }
  return status;
}

enum qn_status qn_id_collector_add(struct qn_id_collector *collector, struct qn_edge_block *block,
                                   struct qn_error *error) {
  enum { BATCH = 512 };
  const uint64_t *ids = qn_edge_block_ids(block);
  if (block->largest < collector->near_end) {
    qn_mark_block(collector->marks, block);
    return QN_OK;
  }
  if (block->wide)
    return qn_id_collector_add_ids(collector, ids, 2 * (uint64_t)block->count, error);
  uint64_t ends[2 * BATCH];
  enum qn_status status = QN_OK;
  for (uint64_t begin = 0; begin < block->count && !status; begin += BATCH) {
    uint64_t count = block->count - begin < BATCH ? block->count - begin : BATCH;
    for (uint64_t i = 0; i < count; i++) {
      ends[2 * i] = (uint32_t)ids[begin + i];
      ends[2 * i + 1] = ids[begin + i] >> 32;
    }
    status = qn_id_collector_add_ids(collector, ends, 2 * count, error);
  }
  return status;
}

enum qn_status qn_id_collector_finish(struct qn_id_collector *collector, struct qn_error *error) {
  enum qn_status status = merge_waiting(collector, error);
  qn_pages_free(collector->waiting, collector->waiting_capacity, sizeof *collector->waiting);
  collector->waiting = NULL;
  collector->waiting_capacity = 0;
  return status;
}
