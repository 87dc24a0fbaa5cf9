/* The module's side: kernels of devices, with what they use of Quern. */
#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/start.h"
#include "library/modules/modules.h"
#include "support/tool.h"

const struct qn_kernel *const *qn_kernels(void) {
  return qn_cuda_kernels();
}

const struct qn_kernel *const *qn_derived_kernels(void) {
  return qn_cuda_derived_kernels();
}

const struct qn_cuda_module *qn_cuda_module(void) {
  static const struct qn_cuda_module module = {
      .version = QN_VERSION,
      .kernel_bytes = sizeof(struct qn_kernel),
      .request_bytes = sizeof(struct qn_run_request),
      .result_bytes = sizeof(struct qn_run_result),
      .device_run_bytes = sizeof(struct qn_device_run),
      .kernels = qn_cuda_kernels,
      .followers = qn_cuda_derived_kernels,
      .count = qn_cuda_count,
      .open = qn_cuda_open,
      .store_create = qn_store_create,
      .store_add = qn_store_add,
      .store_destroy = qn_store_destroy,
      .values_download = qn_device_values_download,
      .values_free = qn_device_values_free,
      .start = qn_cuda_start,
      .start_seconds = qn_cuda_start_seconds,
      .end = qn_cuda_end,
      .leave = qn_cuda_leave,
  };
  return &module;
}
