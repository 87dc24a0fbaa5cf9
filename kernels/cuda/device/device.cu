#include "kernels/cuda/device/device.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/device/memory.cuh"
#include "kernels/cuda/device/start.h"

/* A version as the runtime counts it: 13000 is 13.0. */
#define VERSION_FORMAT "%d.%d"
#define VERSION(number) (number) / 1000, (number) % 1000 / 10

static enum qn_status driver_missing(struct qn_error *error) {
  int driver = 0, needed = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&needed);
  if (driver == 0)
    return qn_fail(error, QN_DEVICE,
                   "no CUDA driver is installed: install NVIDIA's driver for CUDA " VERSION_FORMAT
                   " or later, or use --device cpu",
                   VERSION(needed));
  return qn_fail(error, QN_DEVICE,
                 "the driver is too old: it is for CUDA " VERSION_FORMAT
                 ", and this build needs " VERSION_FORMAT
                 "; install a newer driver, or use --device cpu",
                 VERSION(driver), VERSION(needed));
}

enum qn_status qn_cuda_count(int *count, struct qn_error *error) {
  *count = 0;
  qn_cuda_wait();
  cudaError_t found = cudaGetDeviceCount(count);
  if (found != cudaSuccess)
    cudaGetLastError(); /* it must not be reported again by a later launch */
  if (found == cudaErrorInsufficientDriver)
    return driver_missing(error);
  if (found == cudaErrorNoDevice || (found == cudaSuccess && *count == 0))
    return qn_fail(error, QN_DEVICE,
                   "the CUDA driver finds no device (does CUDA_VISIBLE_DEVICES hide it?); use "
                   "--device cpu");
  return qn_cuda_status(found, "looking for CUDA devices", error);
}

enum qn_status qn_cuda_open(int index, struct qn_cuda_device *device, struct qn_error *error) {
  int count;
  enum qn_status status = qn_cuda_count(&count, error);
  if (status)
    return status;
  if (index < 0 || index >= count)
    return qn_fail(error, QN_DEVICE, "there is no CUDA device %d: there are %d, counted from 0",
                   index, count);
  struct cudaDeviceProp properties;
  size_t free_bytes = 0, total_bytes = 0;
  status = qn_cuda_status(cudaSetDevice(index), "choosing the CUDA device", error);
  if (!status)
    status = qn_cuda_status(cudaGetDeviceProperties(&properties, index),
                            "asking for the device's properties", error);
  if (!status)
    status = qn_cuda_status(cudaMemGetInfo(&free_bytes, &total_bytes),
                            "asking for the device's free memory", error);
  if (status)
    return status;
  memset(device, 0, sizeof *device);
  device->index = index;
  snprintf(device->name, sizeof device->name, "%s", properties.name);
  device->compute_major = properties.major;
  device->compute_minor = properties.minor;
  device->multiprocessors = properties.multiProcessorCount;
  device->total_bytes = total_bytes;
  device->free_bytes = free_bytes;
  device->l2_bytes = (uint64_t)properties.l2CacheSize;
  device->shared_bytes = properties.sharedMemPerBlockOptin;
  if (properties.major * 10 + properties.minor < QN_CUDA_LEAST_ARCH)
    return qn_fail(error, QN_DEVICE,
                   "%s has compute capability %d.%d, and this build has kernels for %d.%d and "
                   "later; build with cuda_arch=%d%d, or use --device cpu",
                   properties.name, properties.major, properties.minor, QN_CUDA_LEAST_ARCH / 10,
                   QN_CUDA_LEAST_ARCH % 10, properties.major, properties.minor);
  return QN_OK;
}
