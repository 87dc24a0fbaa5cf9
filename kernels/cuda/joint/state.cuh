/* A run that the CPU and the device share: rows in stretches, which of them each side takes, and
 * where the values are valid. The includer defines QN_JOINT_CPU. */
#pragma once

#include "kernels/cpu/joint/share.h"
#include "kernels/cuda/shards/engine.cuh"

QN_EXTERN_C const struct qn_joint_cpu_kernel QN_JOINT_CPU;

namespace {

/* Rows [begin, end), where begin is a multiple of 64, and end is one or V. */
struct row_range {
  uint64_t begin, end;
};

/* Units before a stretch. */
struct stretch_cut {
  uint32_t unit, segment, hub;
};

struct joint_run {
  struct sweep_run *run;
  const struct qn_sh_units *units;
  const uint32_t *bounds; /* [num_stretches + 1] */
  uint64_t num_stretches;
  struct stretch_cut *cuts; /* [num_stretches + 1] */
  uint8_t *wanted;          /* [num_units] streamed frontier programs: this iteration's units */
  struct qn_joint_cpu *side;
  struct qn_joint_worker worker;
  struct qn_joint_share share;
  struct qn_joint_plan plan;
  struct qn_page_queue queue;
  struct qn_joint_figures figures;
  uint64_t active_edges;   /* frontier programs: out-edges of active vertices */
  bool gathers;            /* readers filled most of what was streamed last */
  bool on_host, on_device; /* where the values and active vertices are valid */
  cudaStream_t up, down;
  cudaEvent_t begun;                     /* a shared iteration's values have been sent */
  struct row_range going_down, going_up; /* in these, while the device gathers */
  void *pinned;                          /* side->values, or NULL */
};

} /* namespace */
