/* Which processor a run is done sooner on, where nobody has said. A device has to be started, which
 * takes as long as many a run on the CPU, and the graph has to be brought there. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "kernels/registry.h"

/* What is known of a run before it. */
struct qn_workload {
  const struct qn_container_info *info;
  int64_t iterations;   /* that a user asks for; negative: none does */
  uint32_t num_sources; /* that are searched from one after another; 0: one */
  unsigned num_threads; /* that the CPU has: a result must not depend on how many a run takes */
  uint64_t room;        /* bytes of memory that devices have for it; 0: not known, enough */
  bool started;         /* the device has been started */
  bool placed;          /* and has the graph */
};

/* Seconds that are expected. */
struct qn_choice {
  bool weighed; /* else nothing was to be chosen */
  bool streams; /* the device has no room for all of it */
  double cpu;
  double start, copies, kernels; /* of the device: their sum */
};

/* Device memory that a vertex takes beside the topology: at least, and where everything is kept. */
enum { QN_LEAST_VERTEX_BYTES = 24, QN_MOST_VERTEX_BYTES = 40 };

/* How often all edges are walked, and the bytes of the graph that a device is brought. */
double qn_workload_walks(const struct qn_workload *workload, const struct qn_kernel *kernel);
double qn_workload_bytes(const struct qn_workload *workload, const struct qn_kernel *kernel);

/* For both kernels of an algorithm. */
struct qn_choice qn_choice_weigh(const struct qn_workload *workload, const struct qn_kernel *cpu,
                                 const struct qn_kernel *device);

/* Is the device expected to be done sooner? */
static inline bool qn_choice_is_device(const struct qn_choice *choice) {
  return choice->start + choice->copies + choice->kernels < choice->cpu;
}

/* {"taken", "streams", "cpu_seconds", "device_seconds", "start_seconds", "copy_seconds",
 * "kernel_seconds"};
 * NULL if nothing was weighed. */
json_t *qn_choice_json(const struct qn_choice *choice);
