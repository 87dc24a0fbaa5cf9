/* What a run on devices is asked for besides, and what it tells: of accelerators, alone, several,
 * or with the CPU. Kernels of the CPU have none of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/joint.h"
#include "kernels/registry.h"
#include "kernels/store.h"
#include "kernels/streaming.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the threads of a device share the edges of a page: as many a vertex as the page is dense,
 * one, or a warp. */
enum qn_parallelism { QN_PARALLEL_HYBRID, QN_PARALLEL_VERTEX, QN_PARALLEL_EDGE };

/* What a device used. */
struct qn_device_figures {
  char name[128];
  uint64_t memory_bytes; /* device memory in use at the highest point */
  uint64_t copied_bytes; /* to and from the device */
  double copy_seconds;
  uint64_t uploaded_bytes; /* of these, to the device before the algorithm began: the graph */
  double kernel_seconds;   /* the algorithm itself, by the device's clock */
};

/* One of several devices. */
struct qn_device_share {
  int index; /* of the accelerator */
  struct qn_device_figures figures;
  struct qn_stream_plan plan; /* where all is resident: attribute_bytes, num_units, unit_bytes */
  struct qn_stream_figures moved; /* in all iterations */
  uint64_t merged_bytes;          /* of values and accumulators, read from the other devices */
};

/* What a run tells of its devices. */
struct qn_device_report {
  struct qn_device_figures figures; /* of several: sums of bytes copied, maxima of the others */
  unsigned num_devices;             /* 0: one */
  struct qn_device_share shares[QN_MAX_DEVICES];
  struct qn_stream_plan plan;     /* streams is false where all was resident */
  struct qn_device_values values; /* the result's, if they were left there */
};

struct qn_row_member; /* kernels/cuda/edges/row_team.cuh */

struct qn_device_run {
  int index;       /* of the accelerator */
  uint64_t memory; /* cap on device memory in bytes; 0: all that is free */
  /* Several accelerators, QN_KERNEL_DEVICES: `memory` is for each. One may be named twice. */
  const int *indices;   /* [num_devices] instead of `index` */
  unsigned num_devices; /* 0: one; at most QN_MAX_DEVICES */
  enum qn_strategy strategy;
  struct qn_stream_options streaming;
  enum qn_parallelism parallelism;
  /* QN_JOINT: who does an iteration, in turn: 'c' the CPU, 'd' the device, 'b' both; NULL: whoever
   * is expected to take the least. */
  const char *joint_choices;
  struct qn_store *store;       /* where a device keeps arrays for further runs; NULL: nowhere */
  bool leaves_values;           /* by a single device, in the report, if the kernel can */
  struct qn_row_member *member; /* set by kernels of their own alone: of those that share the run */
  struct qn_device_report report; /* set by the run; not to be looked at if it failed */
};

#ifdef QN_HOST_DEVICE_ABI /* as QN_HOST_KERNEL_ABI (kernel.h) */
_Static_assert(sizeof(struct qn_device_run) == QN_HOST_DEVICE_ABI,
               "these headers are of another build of Quern");
#endif

/* ---- An iteration -------------------------------------------------------------------------- */

/* What several devices did in an iteration. */
struct qn_shared_iteration {
  unsigned num_devices;
  double merge_seconds;                  /* until they agreed on the values */
  const struct qn_stream_figures *moved; /* [num_devices] */
};

struct qn_device_iteration {
  struct qn_stream_figures moved;           /* what streaming moved, to all devices */
  const struct qn_joint_figures *joint;     /* QN_JOINT, else NULL */
  const struct qn_shared_iteration *shared; /* by several devices; NULL: one */
};

/* All zero where there was no device. */
static inline struct qn_device_iteration
qn_iteration_on_devices(const struct qn_iteration *iteration) {
  const struct qn_device_iteration none = {{0, 0, 0, 0, 0, 0, 0, 0, 0}, NULL, NULL};
  return iteration->device ? *iteration->device : none;
}

#ifdef __cplusplus
}
#endif
