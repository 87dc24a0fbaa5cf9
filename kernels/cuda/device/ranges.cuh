/* Named ranges on the timeline of NVIDIA's profilers (Nsight Systems, Nsight Compute). A
 * `const struct qn_range range("iteration");` lasts as long as the object; where a range ends
 * elsewhere than where it began, keep what qn_range_start returns (never 0 under a profiler) for
 * qn_range_stop, which takes 0 too.
 *
 * NVTX comes with the CUDA Toolkit as a header, and does nothing unless a profiler is attached;
 * without it, and in the emulator, ranges do nothing either. */
#pragma once

#include <stdint.h>

#if !defined(QN_CUDA_EMULATOR) && __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

static inline uint64_t qn_range_start(const char *name) {
  return nvtxRangeStartA(name);
}
static inline void qn_range_stop(uint64_t range) {
  if (range)
    nvtxRangeEnd(range);
}

#else

static inline uint64_t qn_range_start(const char *name) {
  (void)name;
  return 0;
}
static inline void qn_range_stop(uint64_t range) {
  (void)range;
}

#endif

struct qn_range {
  uint64_t id;
  explicit qn_range(const char *name) : id(qn_range_start(name)) {}
  ~qn_range() { qn_range_stop(id); }
  qn_range(const qn_range &) = delete;
  qn_range &operator=(const qn_range &) = delete;
};
