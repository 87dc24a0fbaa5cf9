/* The rest of the runtime's interface: devices, memory, copies, launches. */
#include "internal.h"

#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <unordered_map>

namespace emulator {

namespace {

std::unordered_map<const void *, int> shared_allowed; /* by kernel: cudaFuncSetAttribute */
bool peers[MAX_DEVICES][MAX_DEVICES];

} /* namespace */

void api_reset() {
  std::memset(peers, 0, sizeof peers);
}

bool peer_enabled(int device, int peer) {
  return device >= 0 && peers[device][peer];
}

namespace {

bool launchable(const void *function, dim3 grid, dim3 block, std::size_t shared) {
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (threads == 0 || threads > MAX_BLOCK || block.z > 64 || grid.x == 0 || grid.y == 0 ||
      grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
    return false;
  auto allowed = shared_allowed.find(function);
  return shared <=
         (allowed == shared_allowed.end() ? STATIC_SHARED_LIMIT : std::size_t(allowed->second));
}

} /* namespace */

void launch(const char *name, const void *function, dim3 grid, dim3 block, std::size_t shared,
            cudaStream_t stream, bound_kernel *bound) {
  std::shared_ptr<bound_kernel> kernel(bound);
  configure_once();
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);
  if (injected("cudaLaunchKernel") || launch_failed) {
    launch_failed = true;
    set_error(cudaErrorLaunchFailure);
    return;
  }
  if (!launchable(function, grid, block, shared)) {
    set_error(cudaErrorInvalidConfiguration);
    return;
  }
  const int device = stream_device(stream);
  if (device != current_device()) {
    set_error(cudaErrorInvalidResourceHandle);
    return;
  }
  grid_launch what{name, grid, block, shared, device, kernel};
  set_error(enqueue(stream, [what] { run_grid(what); }));
}

cudaError_t device_work(const char *name, cudaStream_t stream, bound_kernel *task) {
  std::shared_ptr<bound_kernel> work(task);
  configure_once();
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);
  if (injected(name))
    return set_error(cudaErrorLaunchFailure);
  return set_error(enqueue(stream, [work] { work->call(); }));
}

} /* namespace emulator */

using namespace emulator;

#define ENTER_WITH(error)                                                                          \
  configure_once();                                                                                \
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);                                   \
  if (injected(__func__))                                                                          \
    return set_error(error);
#define ENTER ENTER_WITH(cudaErrorUnknown)
#define ENTER_SURELY                                                                               \
  configure_once();                                                                                \
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);
#define CHECK(condition, error)                                                                    \
  if (!(condition))                                                                                \
    return set_error(error);

namespace {

bool device_exists(int device) {
  return the_machine.options.driver == EMULATOR_DRIVER_OK && device >= 0 &&
         device < the_machine.options.devices;
}

cudaError_t no_device() {
  return the_machine.options.driver == EMULATOR_DRIVER_OK ? cudaErrorNoDevice
                                                          : cudaErrorInsufficientDriver;
}

/* Copy now, between any two places, with the marks of device memory kept up. */
void copy_bytes(void *to, const void *from, std::size_t bytes) {
  arena_guard open;
  if (bytes == 0)
    return;
  std::memmove(to, from, bytes);
  if (device_of(to) >= 0 && device_of(from) >= 0)
    device_copy_marks(to, from, bytes);
  else if (device_of(to) >= 0)
    device_mark_written(to, bytes);
}

bool copy_valid(const void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  const bool to_device = device_of(to) >= 0, from_device = device_of(from) >= 0;
  if (to_device && !device_range_ok(to, bytes))
    return false;
  if (from_device && !device_range_ok(from, bytes))
    return false;
  if (!from_device && is_pinned(from, 1) && !is_pinned(from, bytes))
    return false; /* it begins in pinned memory and ends elsewhere */
  switch (kind) {
  case cudaMemcpyHostToHost:
    return !to_device && !from_device;
  case cudaMemcpyHostToDevice:
    return to_device && !from_device;
  case cudaMemcpyDeviceToHost:
    return !to_device && from_device;
  case cudaMemcpyDeviceToDevice:
    return to_device && from_device;
  case cudaMemcpyDefault:
    return true;
  }
  return false;
}

/* Can all pages be had? Not those of a file that was truncated. */
bool has_pages(void *memory, std::size_t bytes) {
  const uintptr_t page = 4096, begin = reinterpret_cast<uintptr_t>(memory) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(memory) + bytes;
  return madvise(reinterpret_cast<void *>(begin), end - begin, MADV_POPULATE_READ) == 0 ||
         errno == EINVAL; /* a system that does not know how to */
}

cudaError_t copy_async(void *to, const void *from, std::size_t bytes, cudaStream_t stream) {
  const bool from_pageable = device_of(from) < 0 && !is_pinned(from, bytes);
  const bool to_pageable = device_of(to) < 0 && !is_pinned(to, bytes);
  cudaError_t error;
  if (from_pageable && !to_pageable) { /* CUDA stages it before the call returns */
    std::shared_ptr<char[]> staged(new char[bytes ? bytes : 1]);
    std::memcpy(staged.get(), from, bytes);
    return enqueue(stream, [=] { copy_bytes(to, staged.get(), bytes); });
  }
  error = enqueue(stream, [=] { copy_bytes(to, from, bytes); });
  if (error == cudaSuccess && to_pageable)
    drain_stream(stream);
  return error;
}

} /* namespace */

extern "C" {

cudaError_t cudaDriverGetVersion(int *version) {
  configure_once();
  *version = the_machine.options.driver == EMULATOR_DRIVER_OK    ? CUDART_VERSION
             : the_machine.options.driver == EMULATOR_DRIVER_OLD ? 11020
                                                                 : 0;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
  ENTER
  *count = 0;
  CHECK(the_machine.options.driver == EMULATOR_DRIVER_OK, cudaErrorInsufficientDriver)
  CHECK(the_machine.options.devices > 0, cudaErrorNoDevice)
  *count = the_machine.options.devices;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  ENTER
  CHECK(device_exists(device), cudaErrorInvalidDevice)
  const emulator_options &options = the_machine.options;
  std::memset(properties, 0, sizeof *properties);
  std::snprintf(properties->name, sizeof properties->name, "CUDA emulator %d", device);
  properties->totalGlobalMem = options.device_memory;
  properties->sharedMemPerBlock = STATIC_SHARED_LIMIT;
  properties->sharedMemPerBlockOptin = SHARED_OPTIN_LIMIT;
  properties->sharedMemPerMultiprocessor = 228 << 10;
  properties->reservedSharedMemPerBlock = 1 << 10;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->warpSize = WARP;
  properties->maxThreadsPerBlock = MAX_BLOCK;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = MAX_BLOCK;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->major = 9;
  properties->multiProcessorCount = options.multiprocessors;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->maxBlocksPerMultiProcessor = 32;
  properties->canMapHostMemory = properties->concurrentKernels = properties->unifiedAddressing = 1;
  properties->asyncEngineCount = 3;
  properties->pciBusID = device;
  properties->memoryBusWidth = 64;
  properties->l2CacheSize = options.l2_bytes;
  properties->persistingL2CacheMaxSize = options.l2_bytes / 2;
  properties->accessPolicyMaxWindowSize = options.l2_bytes;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess)
    return error;
  const std::map<int, int> values = {
      {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
      {cudaDevAttrMaxSharedMemoryPerBlock, int(properties.sharedMemPerBlock)},
      {cudaDevAttrWarpSize, properties.warpSize},
      {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
      {cudaDevAttrL2CacheSize, properties.l2CacheSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
      {cudaDevAttrComputeCapabilityMajor, properties.major},
      {cudaDevAttrComputeCapabilityMinor, properties.minor},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, int(properties.sharedMemPerMultiprocessor)},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, !the_machine.options.no_registered},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, int(properties.sharedMemPerBlockOptin)},
      {cudaDevAttrMaxPersistingL2CacheSize, properties.persistingL2CacheMaxSize}};
  auto found = values.find(attribute);
  CHECK(found != values.end(), cudaErrorInvalidValue)
  *value = found->second;
  return cudaSuccess;
}

cudaError_t cudaDeviceReset(void) {
  ENTER_SURELY
  drain_device(current_device());
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  ENTER
  CHECK(device_exists(device) && device_exists(peer), cudaErrorInvalidDevice)
  *can = device != peer && !the_machine.options.no_peers;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  ENTER
  CHECK(device_exists(peer) && peer != current_device(), cudaErrorInvalidDevice)
  CHECK(!the_machine.options.no_peers, cudaErrorPeerAccessUnsupported)
  CHECK(!peers[current_device()][peer], cudaErrorPeerAccessAlreadyEnabled)
  peers[current_device()][peer] = true;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  ENTER_WITH(cudaErrorMemoryAllocation)
  CHECK(device_exists(current_device()), no_device())
  return set_error(device_allocate(current_device(), bytes, memory));
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream) {
  ENTER_WITH(cudaErrorMemoryAllocation)
  CHECK(stream_device(stream) >= 0, cudaErrorInvalidResourceHandle)
  return set_error(device_allocate(stream_device(stream), bytes, memory));
}

cudaError_t cudaFree(void *memory) {
  ENTER_SURELY
  if (!memory)
    return cudaSuccess;
  CHECK(device_of(memory) >= 0, cudaErrorInvalidValue)
  drain_device(device_of(memory));
  CHECK(device_free(memory), cudaErrorInvalidValue)
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
  ENTER_SURELY
  CHECK(device_of(memory) >= 0, cudaErrorInvalidValue)
  return set_error(enqueue(stream, [=] {
    if (!device_free(memory))
      fail("cudaFreeAsync of what is no allocation");
  }));
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
  ENTER_WITH(cudaErrorMemoryAllocation)
  CHECK(device_exists(current_device()), no_device())
  *memory = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  CHECK(*memory, cudaErrorMemoryAllocation)
  std::memset(*memory, 0xcb, bytes);
  pinned_add(*memory, bytes, true);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) {
  return cudaHostAlloc(memory, bytes, 0);
}

cudaError_t cudaFreeHost(void *memory) {
  ENTER_SURELY
  if (!memory)
    return cudaSuccess;
  for (int device = 0; device < MAX_DEVICES; device++)
    drain_device(device);
  CHECK(pinned_remove(memory, true), cudaErrorInvalidValue)
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned) {
  ENTER
  CHECK(memory && bytes > 0, cudaErrorInvalidValue)
  CHECK(!pinned_within(memory, bytes), cudaErrorHostMemoryAlreadyRegistered)
  CHECK(has_pages(memory, bytes), cudaErrorInvalidValue)
  pinned_add(memory, bytes, false);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory) {
  ENTER_SURELY
  for (int device = 0; device < MAX_DEVICES; device++)
    drain_device(device);
  CHECK(pinned_remove(memory, false), cudaErrorHostMemoryNotRegistered)
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
  ENTER
  CHECK(is_pinned(host, 1), cudaErrorInvalidValue)
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  ENTER
  CHECK(device_exists(current_device()), no_device())
  *total_bytes = the_machine.options.device_memory;
  *free_bytes = *total_bytes - device_bytes_used(current_device());
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  ENTER
  CHECK(stream_device(stream) >= 0, cudaErrorInvalidResourceHandle)
  CHECK(bytes == 0 || copy_valid(to, from, bytes, kind), cudaErrorInvalidValue)
  return set_error(copy_async(to, from, bytes, stream));
}

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                                 size_t count, struct cudaMemcpyAttributes *attributes,
                                 size_t *first_copies, size_t num_attributes, cudaStream_t stream) {
  ENTER
  CHECK(stream && stream_device(stream) >= 0, cudaErrorInvalidResourceHandle)
  CHECK(count > 0 && num_attributes > 0 && num_attributes <= count, cudaErrorInvalidValue)
  CHECK(first_copies[0] == 0, cudaErrorInvalidValue)
  for (size_t i = 0; i < num_attributes; i++)
    CHECK(attributes[i].srcAccessOrder >= cudaMemcpySrcAccessOrderStream &&
              attributes[i].srcAccessOrder <= cudaMemcpySrcAccessOrderAny,
          cudaErrorInvalidValue)
  for (size_t i = 0; i < count; i++)
    CHECK(bytes[i] > 0 && copy_valid(to[i], from[i], bytes[i], cudaMemcpyDefault),
          cudaErrorInvalidValue)
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; i < count && error == cudaSuccess; i++)
    error = copy_async(to[i], from[i], bytes[i], stream);
  return set_error(error);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  ENTER
  CHECK(bytes == 0 || copy_valid(to, from, bytes, kind), cudaErrorInvalidValue)
  cudaError_t error = enqueue(nullptr, [=] { copy_bytes(to, from, bytes); });
  drain_stream(nullptr);
  return set_error(error);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  ENTER
  CHECK(device_of(to) == to_device && device_of(from) == from_device, cudaErrorInvalidValue)
  CHECK(copy_valid(to, from, bytes, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue)
  return set_error(copy_async(to, from, bytes, stream));
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes) {
  cudaError_t error = cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
  ENTER
  if (bytes == 0)
    return cudaSuccess;
  CHECK(device_range_ok(memory, bytes), cudaErrorInvalidValue)
  return set_error(enqueue(stream, [=] {
    std::memset(memory, value, bytes);
    device_mark_written(memory, bytes);
  }));
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                 int value) {
  ENTER
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess;
  CHECK(value >= 0 && std::size_t(value) <= SHARED_OPTIN_LIMIT, cudaErrorInvalidValue)
  shared_allowed[function] = value;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int block_size,
                                                          size_t dynamic_shared) {
  ENTER
  CHECK(block_size > 0 && block_size <= int(MAX_BLOCK), cudaErrorInvalidValue)
  const std::size_t by_threads = 2048 / block_size;
  const std::size_t by_shared = (228 << 10) / (dynamic_shared + (1 << 10));
  *blocks = int(std::min({by_threads, by_shared, std::size_t(32)}));
  return cudaSuccess;
}

} /* extern "C" */
