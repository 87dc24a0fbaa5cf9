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
 * CUDA loads a kernel when it is first launched, which takes longer than many kernels run:
 * qn_load_kernels() does it beforehand for all that a source file launches. QN_LAUNCH keeps
 * their list, so that none can be left out.
 *
 * Neither __shared__ nor <<<>>> is written anywhere else. */
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

#ifdef QN_CUDA_EMULATOR

static inline void qn_load_kernels(void) {}

#define QN_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
  ::emulator::launch_kernel(#kernel, kernel, grid, block, shared_bytes, stream, ##__VA_ARGS__)
#define QN_UNROLL
#define QN_SHARED(type, name, count)                                                               \
  static char name##_key;                                                                          \
  type(&name)[count] = *static_cast<type(*)[count]>(                                               \
      ::emulator::shared_static(&name##_key, sizeof(type[count]), alignof(type)))
#define QN_SHARED_DYNAMIC(type, name) type *name = static_cast<type *>(::emulator::shared_dynamic())

#else

namespace {

struct qn_launched_kernel {
  const void *kernel;
  const qn_launched_kernel *next;
};
const qn_launched_kernel *qn_launched_kernels; /* of this source file */

/* Its entry joins the list before main, as any static object is made. */
template <auto standalone_kernel> struct qn_launched {
  static qn_launched_kernel entry, *made;
  static qn_launched_kernel *make() {
    entry.kernel = (const void *)standalone_kernel;
    entry.next = qn_launched_kernels;
    qn_launched_kernels = &entry;
    return &entry;
  }
  static void note() { (void)&made; }
};
template <auto standalone_kernel> qn_launched_kernel qn_launched<standalone_kernel>::entry;
template <auto standalone_kernel>
qn_launched_kernel *qn_launched<standalone_kernel>::made = qn_launched<standalone_kernel>::make();

/* A kernel that can't be loaded fails, with the reason, when it is launched. */
inline void qn_load_kernels(void) {
  for (const qn_launched_kernel *each = qn_launched_kernels; each; each = each->next) {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, each->kernel) != cudaSuccess)
      cudaGetLastError();
  }
}

} /* namespace */

#define QN_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
  (qn_launched<kernel>::note(), kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__))
#define QN_UNROLL _Pragma("unroll")
#define QN_SHARED(type, name, count) __shared__ type name[count]
#define QN_SHARED_DYNAMIC(type, name)                                                              \
  extern __shared__ __align__(16) unsigned char qn_shared_dynamic[];                               \
  type *name = reinterpret_cast<type *>(qn_shared_dynamic)

#endif

#define QN_FULL_WARP 0xffffffffu
