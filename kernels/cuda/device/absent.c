/* Devices in a build without CUDA. */
#include "kernels/cuda/device/device.h"

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
