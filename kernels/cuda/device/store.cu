#include "kernels/store.h"

#include <pthread.h>
#include <string.h>

#include "kernels/cuda/device/memory.cuh"
#include "support/memory.h"

struct range {
  const char *begin;
  uint64_t bytes;
};

struct entry {
  struct qn_stored array;
  void *copy;
  unsigned users; /* runs */
};

struct qn_store {
  pthread_mutex_t lock;
  struct range *ranges;
  uint64_t num_ranges;
  struct entry *entries;
  uint64_t num_entries;
};

enum qn_status qn_store_create(struct qn_store **out, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "arrays on devices", error);
  if (!status)
    pthread_mutex_init(&(*out)->lock, NULL);
  return status;
}

enum qn_status qn_store_add(struct qn_store *store, const void *begin, uint64_t bytes,
                            struct qn_error *error) {
  if (!bytes)
    return QN_OK;
  enum qn_status status = qn_realloc(&store->ranges, store->num_ranges + 1, sizeof *store->ranges,
                                     "arrays on devices", error);
  if (!status)
    store->ranges[store->num_ranges++] = {(const char *)begin, bytes};
  return status;
}

/* What belongs to a device is freed by a thread that has chosen it; which one it had is none of our
 * business. */
static void free_on(int device, void *block) {
  int current = device;
  cudaGetDevice(&current);
  if (current != device)
    cudaSetDevice(device);
  cudaFree(block);
  if (current != device)
    cudaSetDevice(current);
}

void qn_store_destroy(struct qn_store *store) {
  if (!store)
    return;
  for (uint64_t i = 0; i < store->num_entries; i++)
    free_on(store->entries[i].array.device, store->entries[i].copy);
  pthread_mutex_destroy(&store->lock);
  qn_free(store->entries);
  qn_free(store->ranges);
  qn_free(store);
}

static uint64_t bytes_of(const struct qn_stored *array) {
  return qn_cuda_rounded(array->bytes + array->extra);
}

static bool is_known(const struct qn_store *store, const struct qn_stored *array) {
  const char *from = (const char *)array->from;
  for (uint64_t i = 0; i < store->num_ranges; i++) {
    const struct range *range = &store->ranges[i];
    if (from >= range->begin && array->bytes <= range->bytes &&
        (uint64_t)(from - range->begin) <= range->bytes - array->bytes)
      return true;
  }
  return false;
}

static struct entry *find(const struct qn_store *store, const struct qn_stored *array) {
  for (uint64_t i = 0; i < store->num_entries; i++) {
    const struct qn_stored *other = &store->entries[i].array;
    if (other->device == array->device && other->from == array->from &&
        other->bytes == array->bytes && other->extra == array->extra)
      return &store->entries[i];
  }
  return NULL;
}

void *qn_store_take(struct qn_store *store, const struct qn_stored *array) {
  if (!store)
    return NULL;
  pthread_mutex_lock(&store->lock);
  struct entry *entry = find(store, array);
  if (entry)
    entry->users++;
  void *copy = entry ? entry->copy : NULL;
  pthread_mutex_unlock(&store->lock);
  return copy;
}

bool qn_store_keep(struct qn_store *store, const struct qn_stored *array, void *copy) {
  if (!store || !array->bytes)
    return false;
  pthread_mutex_lock(&store->lock);
  const bool kept = is_known(store, array) && !find(store, array) &&
                    !qn_realloc(&store->entries, store->num_entries + 1, sizeof *store->entries,
                                "arrays on devices", NULL);
  if (kept)
    store->entries[store->num_entries++] = {*array, copy, 1};
  pthread_mutex_unlock(&store->lock);
  return kept;
}

void qn_store_give_back(struct qn_store *store, void *copy) {
  pthread_mutex_lock(&store->lock);
  for (uint64_t i = 0; i < store->num_entries; i++)
    if (store->entries[i].copy == copy)
      store->entries[i].users--;
  pthread_mutex_unlock(&store->lock);
}

uint64_t qn_store_idle_bytes(struct qn_store *store, int device) {
  uint64_t bytes = 0;
  if (!store)
    return 0;
  pthread_mutex_lock(&store->lock);
  for (uint64_t i = 0; i < store->num_entries; i++)
    if (store->entries[i].array.device == device && !store->entries[i].users)
      bytes += bytes_of(&store->entries[i].array);
  pthread_mutex_unlock(&store->lock);
  return bytes;
}

bool qn_store_make_room(struct qn_store *store, int device) {
  bool found = false;
  if (!store)
    return false;
  pthread_mutex_lock(&store->lock);
  for (uint64_t i = store->num_entries; i-- > 0;) {
    const struct entry *entry = &store->entries[i];
    if (entry->array.device != device || entry->users)
      continue;
    free_on(device, entry->copy);
    store->entries[i] = store->entries[--store->num_entries];
    found = true;
  }
  pthread_mutex_unlock(&store->lock);
  return found;
}

enum qn_status qn_device_values_download(const struct qn_device_values *values, void *to,
                                         struct qn_error *error) {
  struct qn_cuda_memory memory;
  enum qn_status status = qn_cuda_memory_create(&memory, values->device, 0, error);
  if (!status)
    status = qn_cuda_download(&memory, to, values->data, values->bytes, 1, "result values", error);
  qn_cuda_memory_destroy(&memory);
  return status;
}

void qn_device_values_free(struct qn_device_values *values) {
  if (values->data)
    free_on(values->device, values->data);
  memset(values, 0, sizeof *values);
}
