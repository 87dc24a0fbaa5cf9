#include "kernels/cuda/device/sort_pairs.cuh"

#include <cuda_runtime.h>

#ifdef QN_CUDA_EMULATOR

#include <algorithm>
#include <utility>
#include <vector>

static void sort_here(const uint64_t *keys, uint64_t *keys_out, const uint64_t *values,
                      uint64_t *values_out, uint64_t count) {
  std::vector<std::pair<uint64_t, uint64_t>> pairs(count);
  for (uint64_t i = 0; i < count; i++)
    pairs[i] = {keys[i], values[i]};
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  for (uint64_t i = 0; i < count; i++) {
    keys_out[i] = pairs[i].first;
    values_out[i] = pairs[i].second;
  }
  ::emulator::device_wrote(keys_out, count * sizeof *keys_out);
  ::emulator::device_wrote(values_out, count * sizeof *values_out);
}

enum qn_status qn_cuda_sort_pairs(struct qn_cuda_memory *, struct qn_cuda_scratch *,
                                  const uint64_t *keys, uint64_t *keys_out, const uint64_t *values,
                                  uint64_t *values_out, uint64_t count, int, cudaStream_t stream,
                                  struct qn_error *error) {
  return qn_cuda_status(
      ::emulator::device_task("sort", stream,
                              [=] { sort_here(keys, keys_out, values, values_out, count); }),
      "sort", error);
}

#else

#include <cub/device/device_radix_sort.cuh>

enum qn_status qn_cuda_sort_pairs(struct qn_cuda_memory *memory, struct qn_cuda_scratch *scratch,
                                  const uint64_t *keys, uint64_t *keys_out, const uint64_t *values,
                                  uint64_t *values_out, uint64_t count, int bits,
                                  cudaStream_t stream, struct qn_error *error) {
  size_t size = 0;
  enum qn_status status =
      qn_cuda_status(cub::DeviceRadixSort::SortPairs(NULL, size, keys, keys_out, values, values_out,
                                                     (int64_t)count, 0, bits, stream),
                     "sort", error);
  if (!status && size > scratch->size) {
    if (scratch->bytes)
      qn_cuda_release(memory, scratch->bytes);
    scratch->bytes = NULL;
    scratch->size = 0;
    status = qn_cuda_alloc(memory, &scratch->bytes, size, 1, "temporary storage", error);
    scratch->size = status ? 0 : size;
  }
  return status ? status
                : qn_cuda_status(cub::DeviceRadixSort::SortPairs(scratch->bytes, size, keys,
                                                                 keys_out, values, values_out,
                                                                 (int64_t)count, 0, bits, stream),
                                 "sort", error);
}

#endif
