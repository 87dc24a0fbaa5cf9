#include "kernels/cpu/csr/priority_buckets.h"

#include "support/memory.h"
#include "support/arrays/reserve.h"

enum qn_status qn_buckets_create(struct qn_buckets **out, struct qn_error *error) {
  return qn_alloc_zeroed(out, 1, sizeof **out, "buckets", error);
}

void qn_buckets_destroy(struct qn_buckets *buckets) {
  if (!buckets)
    return;
  for (uint64_t slot = 0; slot <= QN_BUCKET_WINDOW; slot++)
    qn_free(buckets->lists[slot].vertices);
  qn_free(buckets);
}

enum qn_status qn_bucket_list_grow(struct qn_bucket_list *list, struct qn_error *error) {
  return qn_reserve(&list->vertices, &list->capacity, list->capacity + 1, sizeof *list->vertices,
                    "bucket", error);
}

uint64_t qn_buckets_next(const struct qn_buckets *buckets, uint64_t from) {
  for (uint64_t slot = from - buckets->first; slot < QN_BUCKET_WINDOW; slot++)
    if (buckets->lists[slot].count > 0)
      return buckets->first + slot;
  return QN_NO_BUCKET;
}
