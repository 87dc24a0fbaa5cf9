/* How kernels are launched and take shared memory.
 *
 * Everything in kernels/cuda is compiled by nvcc for the device and, in tests,
 * by a plain C++ compiler for the emulator (tests/emulator), which stands in for
 * cuda_runtime.h. The few things that are no C++ go through these macros:
 *
 *   QN_LAUNCH(kernel, grid, block, shared_bytes, stream, arguments...);
 *       a kernel with template arguments goes in parentheses: QN_LAUNCH((pull<P, 4>), ...)
 *   QN_SHARED(float, sums, 256);           in a kernel or device function: float sums[256]
 *   QN_SHARED_DYNAMIC(uint32_t, bins);     uint32_t *bins, of the launch's shared_bytes
 *
 *   QN_UNROLL for (...)                    unrolled by nvcc
 *
 * Neither __shared__ nor <<<>>> is written anywhere else. */
#ifndef QN_KERNELS_CUDA_LAUNCH_CUH
#define QN_KERNELS_CUDA_LAUNCH_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#ifdef QN_CUDA_EMULATOR

#define QN_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
  ::emulator::launch_kernel(#kernel, kernel, grid, block, shared_bytes, stream, ##__VA_ARGS__)
#define QN_UNROLL
#define QN_SHARED(type, name, count)                                                               \
  static char name##_key;                                                                          \
  type(&name)[count] = *static_cast<type(*)[count]>(                                               \
      ::emulator::shared_static(&name##_key, sizeof(type[count]), alignof(type)))
#define QN_SHARED_DYNAMIC(type, name) type *name = static_cast<type *>(::emulator::shared_dynamic())

#else

#define QN_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
  kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#define QN_UNROLL _Pragma("unroll")
#define QN_SHARED(type, name, count) __shared__ type name[count]
#define QN_SHARED_DYNAMIC(type, name)                                                              \
  extern __shared__ __align__(16) unsigned char qn_shared_dynamic[];                               \
  type *name = reinterpret_cast<type *>(qn_shared_dynamic)

#endif

#define QN_FULL_WARP 0xffffffffu

#endif
