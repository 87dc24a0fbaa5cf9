/* The language extensions of CUDA C++ as far as kernels in Quern use them, for a
 * C++ compiler that knows nothing of them. A kernel becomes a plain function
 * that the emulator calls on a fiber for every thread.
 *
 * Two things cannot be had without nvcc and go through kernels/cuda/device/launch.cuh:
 * launching (QN_LAUNCH) and shared memory (QN_SHARED, QN_SHARED_DYNAMIC). */
#ifndef EMULATOR_CUDA_RUNTIME_H
#define EMULATOR_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#define __host__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
/* Not inlined, so that the launching code, which runs uninstrumented, stays apart from it. */
#define __global__ __attribute__((noinline))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

#define EMULATOR_VECTOR(type, name, alignment)                                                     \
  struct alignas(2 * alignment) name##2 {                                                          \
    type x, y;                                                                                     \
  };                                                                                               \
  struct alignas(4 * alignment > 16 ? 16 : 4 * alignment) name##4 {                                \
    type x, y, z, w;                                                                               \
  };                                                                                               \
  static inline name##2 make_##name##2(type x, type y) {                                           \
    return {x, y};                                                                                 \
  }                                                                                                \
  static inline name##4 make_##name##4(type x, type y, type z, type w) {                           \
    return {x, y, z, w};                                                                           \
  }
EMULATOR_VECTOR(unsigned char, uchar, 1)
EMULATOR_VECTOR(unsigned short, ushort, 2)
EMULATOR_VECTOR(int, int, 4)
EMULATOR_VECTOR(unsigned int, uint, 4)
EMULATOR_VECTOR(float, float, 4)
EMULATOR_VECTOR(double, double, 8)
EMULATOR_VECTOR(long long, longlong, 8)
EMULATOR_VECTOR(unsigned long long, ulonglong, 8)
#undef EMULATOR_VECTOR

namespace emulator {

struct site {
  const char *file;
  int line;
};

/* What the built-in variables of the running thread say. */
struct position {
  dim3 grid, block;
  uint3 block_index, thread_index;
};
extern position running; /* one thread of one kernel runs at a time */

enum class warp_op {
  sync,
  shuffle,
  ballot,
  any,
  all,
  match_any,
  match_all,
  add,
  min,
  max,
  band,
  bor,
  bxor
};

void barrier(site where);
int barrier_reduce(int predicate, char kind, site where); /* kind: 'c'ount, 'a'nd, 'o'r */
/* Meet the lanes of `mask`; the result depends on `op`. `argument` is the source lane of a shuffle.
 */
uint64_t warp_meet(warp_op op, unsigned mask, uint64_t value, int argument, int type, site where);
unsigned lane();
unsigned long long clock();
void relax(); /* let other threads run */
void atomic_access(void *address, std::size_t bytes);

void *shared_static(const void *key, std::size_t bytes, std::size_t alignment);
void *shared_dynamic();

/* A kernel with its arguments. Not a std::function: its code would be compiled with the kernel's
 * instrumentation and be reported for reading host memory. */
struct bound_kernel {
  virtual ~bound_kernel() {}
  virtual void call() = 0;
};

template <class Call> struct bound_call final : bound_kernel {
  Call bound;
  explicit bound_call(const Call &c) : bound(c) {}
  __attribute__((no_sanitize("thread"))) void call() override { bound(); }
};

/* Takes over `kernel`. */
void launch(const char *name, const void *function, dim3 grid, dim3 block, std::size_t shared,
            cudaStream_t stream, bound_kernel *kernel);

/* Put host code that works on device memory into a stream (the device-wide primitives). */
cudaError_t device_work(const char *name, cudaStream_t stream, bound_kernel *task);
template <class Task>
cudaError_t device_task(const char *name, cudaStream_t stream, const Task &task) {
  return device_work(name, stream, new bound_call<Task>(task));
}
/* Such code says what it wrote: it must lie in device memory. */
void device_wrote(const void *memory, std::size_t bytes);

template <class... Parameters, class... Arguments>
void launch_kernel(const char *name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                   std::size_t shared, cudaStream_t stream, Arguments... arguments) {
  auto call = [=]() __attribute__((no_sanitize("thread"))) {
    kernel(arguments...);
  };
  launch(name, reinterpret_cast<const void *>(kernel), grid, block, shared, stream,
         new bound_call<decltype(call)>(call));
}

} /* namespace emulator */

#define threadIdx (::emulator::running.thread_index)
#define blockIdx (::emulator::running.block_index)
#define blockDim (::emulator::running.block)
#define gridDim (::emulator::running.grid)
static constexpr int warpSize = 32;

#define EMULATOR_SITE (::emulator::site{__FILE__, __LINE__})

#define __syncthreads() ::emulator::barrier(EMULATOR_SITE)
#define __syncthreads_count(predicate)                                                             \
  ::emulator::barrier_reduce((predicate) ? 1 : 0, 'c', EMULATOR_SITE)
#define __syncthreads_and(predicate)                                                               \
  ::emulator::barrier_reduce((predicate) ? 1 : 0, 'a', EMULATOR_SITE)
#define __syncthreads_or(predicate)                                                                \
  ::emulator::barrier_reduce((predicate) ? 1 : 0, 'o', EMULATOR_SITE)

#include "cuda_warp.h"

#include "cuda_atomic.h"

/* CUDA's C++ conveniences over the C interface */
template <class T> static inline cudaError_t cudaMalloc(T **memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **memory, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **memory, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocHost(T **memory, std::size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void **>(memory), bytes);
}
template <class... P>
static inline cudaError_t cudaFuncSetAttribute(void (*function)(P...), cudaFuncAttribute attribute,
                                               int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}
template <class... P>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*function)(P...), int block_size,
                                              std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void *>(function), block_size, dynamic_shared);
}

#endif /* __cplusplus */
#endif
