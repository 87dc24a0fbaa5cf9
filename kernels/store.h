/* Arrays that stay on devices from one run to the next.
 *
 *   struct qn_store *store;
 *   if (qn_store_create(&store, &error)) ...
 *   if (qn_store_add(store, section->data, section->bytes, &error)) ...
 *   request.store = store; ... kernel->run(&request, &result, &error) ...
 *   qn_store_destroy(store);
 *
 * A run that copies an array of the host's to a device (qn_cuda_copy_of) leaves the copy there if
 * the array is known to stay as it is, and the next run finds it. What no run uses gives way to
 * what a run needs. Runs may share a store side by side. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_store;

/* In a build without CUDA *out is NULL, which all of these take. */
enum qn_status qn_store_create(struct qn_store **out, struct qn_error *error);
/* What lies in these bytes of the host's memory stays as it is for as long as the store lives. */
enum qn_status qn_store_add(struct qn_store *store, const void *begin, uint64_t bytes,
                            struct qn_error *error);
/* No run uses it any more. */
void qn_store_destroy(struct qn_store *store);

/* ---- For runs (kernels/cuda/device) -------------------------------------------------- */

/* An array on a device: `bytes` as they lie at `from` on the host, and `extra` zeros. */
struct qn_stored {
  int device;
  const void *from;
  uint64_t bytes, extra;
};

/* The copy, in use until it is given back; NULL if there is none. */
void *qn_store_take(struct qn_store *store, const struct qn_stored *array);
/* Keep a copy that a run has made, which goes on using it; false if it stays the run's. */
bool qn_store_keep(struct qn_store *store, const struct qn_stored *array, void *copy);
void qn_store_give_back(struct qn_store *store, void *copy);
/* Bytes on a device that no run uses. */
uint64_t qn_store_idle_bytes(struct qn_store *store, int device);
/* Free these; false if there was nothing to free. */
bool qn_store_make_room(struct qn_store *store, int device);

/* ---- Values that a run has left on a device --------------------------------- */

struct qn_device_values {
  int device;
  uint64_t bytes;
  void *data; /* NULL: there are none */
};

/* Copy them to the host. */
enum qn_status qn_device_values_download(const struct qn_device_values *values, void *to,
                                         struct qn_error *error);
/* Zeroed values are allowed. */
void qn_device_values_free(struct qn_device_values *values);

#ifdef __cplusplus
}
#endif
