#include "kernels/cuda/device/primitives.cuh"

#include <cuda_runtime.h>

#ifdef QN_CUDA_EMULATOR

#include <algorithm>

#define QN_PRIMITIVE(name, action)                                                                 \
  (void)memory;                                                                                    \
  (void)scratch;                                                                                   \
  return qn_cuda_status(::emulator::device_task(name, stream, [=] action), name, error)

#else

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

static enum qn_status reserve(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                              size_t size, struct qn_error *error) {
  if (size <= scratch->size)
    return QN_OK;
  if (scratch->bytes)
    qn_cuda_release(memory, scratch->bytes);
  scratch->bytes = NULL;
  scratch->size = 0;
  enum qn_status status =
      qn_cuda_alloc(memory, &scratch->bytes, size, 1, "temporary storage", error);
  if (!status)
    scratch->size = size;
  return status;
}

/* CUB's own has changed its name between versions. */
struct addition {
  template <class A, class B>
  __host__ __device__ auto operator()(A a, B b) const -> decltype(a + b) {
    return a + b;
  }
};

/* CUB's protocol: the first call says how much storage it wants, the second does the work. */
#define QN_PRIMITIVE(name, call, ...)                                                              \
  size_t size = 0;                                                                                 \
  enum qn_status status = qn_cuda_status(call(NULL, size, __VA_ARGS__, stream), name, error);      \
  if (!status)                                                                                     \
    status = reserve(memory, scratch, size, error);                                                \
  if (!status)                                                                                     \
    status = qn_cuda_status(call(scratch->bytes, size, __VA_ARGS__, stream), name, error);         \
  return status

#endif

enum qn_status qn_cuda_exclusive_sum(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                                     const uint8_t *in, uint32_t *out, uint64_t count,
                                     cudaStream_t stream, struct qn_error *error) {
#ifdef QN_CUDA_EMULATOR
  QN_PRIMITIVE("exclusive sum", {
    uint32_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
      out[i] = sum;
      sum += in[i];
    }
    ::emulator::device_wrote(out, count * sizeof *out);
  });
#else
  QN_PRIMITIVE("exclusive sum", cub::DeviceScan::ExclusiveScan, in, out, addition(), uint32_t(0),
               (int64_t)count);
#endif
}

enum qn_status qn_cuda_select(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                              const uint64_t *in, const uint8_t *flags, uint64_t *out,
                              uint64_t *out_count, uint64_t count, cudaStream_t stream,
                              struct qn_error *error) {
#ifdef QN_CUDA_EMULATOR
  QN_PRIMITIVE("selection", {
    uint64_t chosen = 0;
    for (uint64_t i = 0; i < count; i++)
      if (flags[i])
        out[chosen++] = in[i];
    *out_count = chosen;
    ::emulator::device_wrote(out, chosen * sizeof *out);
    ::emulator::device_wrote(out_count, sizeof *out_count);
  });
#else
  QN_PRIMITIVE("selection", cub::DeviceSelect::Flagged, in, flags, out, out_count, (int64_t)count);
#endif
}

enum qn_status qn_cuda_sort(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                            const uint64_t *in, uint64_t *out, uint64_t count, cudaStream_t stream,
                            struct qn_error *error) {
#ifdef QN_CUDA_EMULATOR
  QN_PRIMITIVE("sort", {
    std::copy(in, in + count, out);
    std::sort(out, out + count);
    ::emulator::device_wrote(out, count * sizeof *out);
  });
#else
  QN_PRIMITIVE("sort", cub::DeviceRadixSort::SortKeys, in, out, (int64_t)count, 0, 64);
#endif
}
