/* Device-wide primitives: CUB on a device; plain loops, in the stream's order,
 * in the emulator (tests/emulator). Temporary storage is kept in a scratch
 * that grows: reserve first with the largest count to keep allocation out of loops.
 *
 * All pointers are device memory. Everything is enqueued in `stream`. Results are
 * the same in every run: integer sums only. */
#ifndef QN_KERNELS_CUDA_PRIMITIVES_CUH
#define QN_KERNELS_CUDA_PRIMITIVES_CUH

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/memory.cuh"

#ifdef QN_CUDA_EMULATOR
#include <algorithm>
#include <numeric>
#include <vector>
#else
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#endif

/* Zero it before use; what it holds belongs to the qn_cuda_memory. */
struct qn_cuda_scratch {
  void *bytes;
  size_t size;
};

static inline enum qn_status qn_cuda_scratch_reserve(struct qn_cuda_memory *memory,
                                                     struct qn_cuda_scratch *scratch, size_t size,
                                                     struct qn_error *error) {
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

#ifdef QN_CUDA_EMULATOR

#define QN_PRIMITIVE(name, action)                                                                 \
  (void)memory;                                                                                    \
  (void)scratch;                                                                                   \
  return qn_cuda_status(::emulator::device_task(name, stream, [=] action), name, error)

#else

/* CUB's own has changed its name between versions. */
struct qn_cuda_plus {
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
    status = qn_cuda_scratch_reserve(memory, scratch, size, error);                                \
  if (!status)                                                                                     \
    status = qn_cuda_status(call(scratch->bytes, size, __VA_ARGS__, stream), name, error);         \
  return status

#endif

/* out[i] = in[0] + ... + in[i-1], for i < count; give count + 1 for the total too (in[count] is
 * then read, but of no effect on the rest). `in` may be `out`. */
template <class In, class Out>
static enum qn_status
qn_cuda_exclusive_sum(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch, const In *in,
                      Out *out, uint64_t count, cudaStream_t stream, struct qn_error *error) {
#ifdef QN_CUDA_EMULATOR
  QN_PRIMITIVE("exclusive sum", {
    Out sum = 0;
    for (uint64_t i = 0; i < count; i++) {
      const Out value = Out(in[i]);
      out[i] = sum;
      sum += value;
    }
    ::emulator::device_wrote(out, count * sizeof *out);
  });
#else
  QN_PRIMITIVE("exclusive sum", cub::DeviceScan::ExclusiveScan, in, out, qn_cuda_plus(), Out(0),
               (int64_t)count);
#endif
}

/* *out = the sum of in[0..count). Integers. */
template <class In, class Out>
static enum qn_status qn_cuda_sum(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                                  const In *in, Out *out, uint64_t count, cudaStream_t stream,
                                  struct qn_error *error) {
#ifdef QN_CUDA_EMULATOR
  QN_PRIMITIVE("sum", {
    Out sum = 0;
    for (uint64_t i = 0; i < count; i++)
      sum += Out(in[i]);
    *out = sum;
    ::emulator::device_wrote(out, sizeof *out);
  });
#else
  QN_PRIMITIVE("sum", cub::DeviceReduce::Reduce, in, out, (int64_t)count, qn_cuda_plus(), Out(0));
#endif
}

/* The entries of `in` whose flag (u8) is not 0, in order, and how many in *out_count. */
template <class T>
static enum qn_status qn_cuda_select(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                                     const T *in, const uint8_t *flags, T *out, uint64_t *out_count,
                                     uint64_t count, cudaStream_t stream, struct qn_error *error) {
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

/* Sort by key, stably, by the bits [0, bits) of the keys. */
template <class Key, class Value>
static enum qn_status
qn_cuda_sort_pairs(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                   const Key *keys_in, Key *keys_out, const Value *values_in, Value *values_out,
                   uint64_t count, int bits, cudaStream_t stream, struct qn_error *error) {
#ifdef QN_CUDA_EMULATOR
  QN_PRIMITIVE("sort", {
    const Key mask = bits >= int(8 * sizeof(Key)) ? Key(~Key(0)) : Key((Key(1) << bits) - 1);
    std::vector<uint64_t> order(count);
    std::iota(order.begin(), order.end(), uint64_t(0));
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
      return Key(keys_in[a] & mask) < Key(keys_in[b] & mask);
    });
    for (uint64_t i = 0; i < count; i++) {
      keys_out[i] = keys_in[order[i]];
      values_out[i] = values_in[order[i]];
    }
    ::emulator::device_wrote(keys_out, count * sizeof *keys_out);
    ::emulator::device_wrote(values_out, count * sizeof *values_out);
  });
#else
  QN_PRIMITIVE("sort", cub::DeviceRadixSort::SortPairs, keys_in, keys_out, values_in, values_out,
               (int64_t)count, 0, bits);
#endif
}

/* Sort keys by their bits [0, bits). */
template <class Key>
static enum qn_status
qn_cuda_sort_keys(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch, const Key *in,
                  Key *out, uint64_t count, int bits, cudaStream_t stream, struct qn_error *error) {
#ifdef QN_CUDA_EMULATOR
  QN_PRIMITIVE("sort", {
    (void)bits;
    std::copy(in, in + count, out);
    std::sort(out, out + count);
    ::emulator::device_wrote(out, count * sizeof *out);
  });
#else
  QN_PRIMITIVE("sort", cub::DeviceRadixSort::SortKeys, in, out, (int64_t)count, 0, bits);
#endif
}

#undef QN_PRIMITIVE

#endif
