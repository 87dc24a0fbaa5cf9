#include "kernels/cuda/stream/keep.cuh"

#include "kernels/cuda/device/launch.cuh"

#define KEEP_THREADS 256

/* By a block. */
template <class Word>
static __device__ void keep_words(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  const Word *words = reinterpret_cast<const Word *>(from);
  for (uint32_t i = threadIdx.x; i < bytes / sizeof(Word); i += blockDim.x)
    reinterpret_cast<Word *>(to)[i] = words[i];
}

static __device__ void keep_run(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  const uintptr_t odd = reinterpret_cast<uintptr_t>(from) | bytes;
  if (odd % sizeof(uint64_t) == 0)
    keep_words<uint64_t>(to, from, bytes);
  else if (odd % sizeof(uint32_t) == 0)
    keep_words<uint32_t>(to, from, bytes);
  else
    keep_words<uint8_t>(to, from, bytes);
}

/* A block a unit. */
__global__ void keep_units(const struct qn_unit_entry *entries) {
  const struct qn_unit_entry entry = entries[blockIdx.x];
  uint8_t *to = entry.keep;
  for (unsigned i = 0; to && i < QN_UNIT_PIECES && entry.pieces[i]; i++)
    for (uint32_t run = 0; run <= entry.more; run++) {
      keep_run(to, entry.pieces[i] + (uint64_t)run * entry.strides[i], entry.bytes[i]);
      to += qn_unit_rounded(entry.bytes[i]);
    }
}

enum qn_status qn_unit_keep(const struct qn_unit_entry *entries, uint32_t count,
                            cudaStream_t stream, struct qn_error *error) {
  QN_LAUNCH(keep_units, count, KEEP_THREADS, 0, stream, entries);
  return qn_cuda_launched("keeping a part of the graph on the device", error);
}
