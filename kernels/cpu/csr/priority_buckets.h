/* One thread's buckets of vertices, in order of priority, for delta-stepping.
 *
 * A window of QN_BUCKET_WINDOW consecutive buckets has a list each; everything behind it waits
 * in one more list until the window moves there. So memory does not depend on how far
 * priorities spread. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

#define QN_BUCKET_WINDOW 1024
#define QN_NO_BUCKET UINT64_MAX

struct qn_bucket_list {
  uint32_t *vertices;
  uint64_t count, capacity;
};

struct qn_buckets {
  uint64_t first;                                    /* bucket of lists[0] */
  struct qn_bucket_list lists[QN_BUCKET_WINDOW + 1]; /* the last is of all buckets behind */
};

/* An empty set. Owned until qn_buckets_destroy; NULL is allowed there. */
enum qn_status qn_buckets_create(struct qn_buckets **out, struct qn_error *error);
void qn_buckets_destroy(struct qn_buckets *buckets);

enum qn_status qn_bucket_list_grow(struct qn_bucket_list *list, struct qn_error *error);

/* The list of `bucket`, which must not be before `first`. */
static inline struct qn_bucket_list *qn_buckets_list(struct qn_buckets *buckets, uint64_t bucket) {
  uint64_t slot = bucket - buckets->first;
  return &buckets->lists[slot < QN_BUCKET_WINDOW ? slot : QN_BUCKET_WINDOW];
}

static inline enum qn_status qn_buckets_push(struct qn_buckets *buckets, uint64_t bucket,
                                             uint32_t vertex, struct qn_error *error) {
  struct qn_bucket_list *list = qn_buckets_list(buckets, bucket);
  if (list->count == list->capacity) {
    enum qn_status status = qn_bucket_list_grow(list, error);
    if (status)
      return status;
  }
  list->vertices[list->count++] = vertex;
  return QN_OK;
}

/* The lowest bucket with members in the window at or behind `from`, or QN_NO_BUCKET. */
uint64_t qn_buckets_next(const struct qn_buckets *buckets, uint64_t from);
