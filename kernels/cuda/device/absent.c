/* Devices in a build without CUDA. */
#include <stddef.h>

#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/start.h"
#include "kernels/store.h"

enum qn_status qn_cuda_count(int *count, struct qn_error *error) {
  *count = 0;
  return qn_fail(error, QN_DEVICE,
                 "this build has no CUDA kernels: build it with the CUDA Toolkit (scons cuda=yes), "
                 "or use --device cpu");
}

enum qn_status qn_cuda_open(int index, struct qn_cuda_device *device, struct qn_error *error) {
  int count;
  (void)index, (void)device;
  return qn_cuda_count(&count, error);
}

/* Nothing is started where there is nothing. */
void qn_cuda_start(int index) {
  (void)index;
}

double qn_cuda_start_seconds(void) {
  return 0;
}

void qn_cuda_end(void) {}

void qn_cuda_leave(int code) {
  (void)code;
}

/* Nothing stays where there is nothing. */
enum qn_status qn_store_create(struct qn_store **out, struct qn_error *error) {
  (void)error;
  *out = NULL;
  return QN_OK;
}

enum qn_status qn_store_add(struct qn_store *store, const void *begin, uint64_t bytes,
                            struct qn_error *error) {
  (void)store, (void)begin, (void)bytes, (void)error;
  return QN_OK;
}

void qn_store_destroy(struct qn_store *store) {
  (void)store;
}

enum qn_status qn_device_values_download(const struct qn_device_values *values, void *to,
                                         struct qn_error *error) {
  int count;
  (void)values, (void)to;
  return qn_cuda_count(&count, error);
}

void qn_device_values_free(struct qn_device_values *values) {
  (void)values;
}
